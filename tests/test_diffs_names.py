"""Flags, variables and public names that came or went, and what only looks like it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.changed_lines import facts, patch, told


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("a.py", 'parser.add_argument("-j", "--jobs", type=int)', "--jobs"),
        ("a.py", "parser.add_argument(\n    '--dry-run',", "--dry-run"),
        ("a.py", '@cli.option("--deep/--shallow")', "--deep"),
        ("a.py", 'jobs: int = typer.Option(1, "--jobs")', "--jobs"),
        ("a.rs", '    #[arg(long = "org", default_value = "acme")]', "org"),
        ("a.rs", "    #[arg(short, long)]\n    dry_run: bool,", "dry_run"),
        ("a.rs", '.arg(Arg::new("x").long("depth"))', "depth"),
        ("a.go", 'n := flag.Int("depth", 3, "how deep")', "depth"),
        ("a.go", 'cmd.Flags().StringVarP(&o.dir, "dir", "d", "", "where")', "dir"),
        ("a.ts", "program.option('-p, --port <n>', 'where')", "--port"),
        ("a.ts", ".option('depth', { type: 'number' })", "depth"),
        ("a.cpp", 'DEFINE_bool(eager, false, "at once");', "eager"),
        ("A.java", '@Option(names = {"-j", "--jobs"})', "--jobs"),
        ("a.sh", "    -f|--force)", "--force"),
    ],
)
def test_a_flag_that_comes_and_one_that_goes(path: str, line: str, name: str) -> None:
    assert told("flag", path, "", line) == [(name, "", name)]
    assert told("flag", path, line, "") == [(name, name, "")]


@pytest.mark.parametrize(
    "files",
    [
        {
            "a.py": ('p.add_argument("--jobs", type=int)', 'p.add_argument(\n    "--jobs",\n    type=int,\n)')
        },  # re-wrapped
        {"a.py": ('p.add_argument("--jobs")', ""), "b.py": ("", 'q.add_argument("--jobs")')},  # moved
        {"a.py": ('p.add_argument("--jobs")', ""), "b.py": ("", '    if "--jobs" in argv:')},  # still named
        {"tests/test_a.py": ("", 'p.add_argument("--jobs")')},
        {"docs/a.md": ("", 'p.add_argument("--jobs")')},
        {"a.py": ("", '# p.add_argument("--jobs")')},
        {"a.py": ("", 'p.add_argument("jobs")')},  # a positional argument
        {"a.sh": ("", "    --help)")},
    ],
)
def test_what_is_no_flag_that_came_or_went(files: Mapping[str, tuple[str, str]]) -> None:
    assert facts("flag", patch(7, files)) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", '    "ENGINE_MODE": lambda: os.getenv("ENGINE_MODE", "0") == "1",'),
        ("a.py", '    "ENGINE_MODE":\n    lambda: int(os.getenv("ENGINE_MODE", 0)),'),
        ("a.py", '@click.option("--mode", envvar="ENGINE_MODE")'),
        ("a.rs", '    #[arg(long, env = "ENGINE_MODE")]'),
        ("a.go", '\tMode string `env:"ENGINE_MODE"`'),
    ],
)
def test_a_declared_variable_that_comes_and_one_that_goes(path: str, line: str) -> None:
    assert told("environment", path, "", line) == [("ENGINE_MODE", "", "ENGINE_MODE")]
    assert told("environment", path, line, "") == [("ENGINE_MODE", "ENGINE_MODE", "")]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", 'if os.environ["ENGINE_MODE"] == "1":'),
        ("a.py", 'mode = os.environ.get("ENGINE_MODE")'),
        ("a.py", 'mode = os.getenv("ENGINE_MODE")'),
        ("a.py", 'if "ENGINE_MODE" in os.environ:'),
        ("a.rs", 'let mode = std::env::var("ENGINE_MODE").ok();'),
        ("a.go", 'mode := os.Getenv("ENGINE_MODE")'),
        ("a.ts", "const mode = process.env.ENGINE_MODE;"),
        ("A.java", 'var mode = System.getenv("ENGINE_MODE");'),
        ("a.cpp", 'auto mode = std::getenv("ENGINE_MODE");'),
    ],
)
@pytest.mark.parametrize(
    ("told_in", "words"),
    [
        ("docs/usage.md", "| `ENGINE_MODE` | how to run |"),
        (".env.sample", "# ENGINE_MODE=fast"),
        ("README.md", "Set the environment variable `ENGINE_MODE` to change it."),
        ("docs/zh.md", "可以用环境变量 `ENGINE_MODE` 覆盖。"),
    ],
)
def test_a_variable_that_is_read_and_explained(path: str, line: str, told_in: str, words: str) -> None:
    came = patch(7, {path: ("", line), told_in: ("", words)})
    went = patch(8, {path: (line, ""), told_in: (words, "")})
    assert [(fact.name, fact.old, fact.new) for fact in facts("environment", came)] == [
        ("ENGINE_MODE", "", "ENGINE_MODE")
    ]
    assert [(fact.name, fact.old, fact.new) for fact in facts("environment", went)] == [
        ("ENGINE_MODE", "ENGINE_MODE", "")
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": ("", 'mode = os.getenv("ENGINE_MODE")')},  # one reader more; there may be others
        {
            "a.py": ("", 'mode = os.getenv("ENGINE_MODE")'),
            "docs/a.md": ("", "With this, `ENGINE_MODE` and others work."),
        },
        {"a.py": ('m = os.getenv("ENGINE_MODE")', ""), "b.py": ("", '    "ENGINE_MODE": lambda: read(),')},  # moved
        {"a.py": ("", 'os.environ["ENGINE_MODE"] = "1"'), ".env.sample": ("", "ENGINE_MODE=1")},  # set, not read
        {"a.py": ("", 'x = environ.get("ENGINE_MODE")'), ".env.sample": ("", "ENGINE_MODE=1")},  # of a request
        {"a.py": ("", '    "ENGINE_MODE": lambda args: args.mode,')},  # no table of variables
        {"a.py": ("", 'home = os.getenv("HOME")'), "README.md": ("", "export HOME=/srv")},
        {"tests/test_a.py": ("", '    "ENGINE_MODE": lambda: 1,')},
        {
            "a.py": ("", 'm = os.getenv("ENGINE_MODE")'),
            "docs/a.md": ("`ENGINE_MODE` old words", "`ENGINE_MODE` new words"),
        },
    ],
)
def test_what_is_no_variable_that_came_or_went(files: Mapping[str, tuple[str, str]]) -> None:
    assert facts("environment", patch(7, files)) == []


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("a.py", "class Engine(Base):", "Engine"),
        ("a.py", "async def start_engine(x):", "start_engine"),
        ("a.py", "ENGINE_KINDS = {", "ENGINE_KINDS"),
        ("a.rs", "pub async fn start_engine(x: u8) {", "start_engine"),
        ("a.rs", "pub struct Engine {", "Engine"),
        ("a.go", "func StartEngine(x int) {", "StartEngine"),
        ("a.go", "type Engine struct {", "Engine"),
        ("a.ts", "export function startEngine() {", "startEngine"),
        ("a.ts", "export interface Engine {", "Engine"),
        ("A.java", "public final class Engine {", "Engine"),
    ],
)
def test_a_public_name_that_vanishes(path: str, line: str, name: str) -> None:
    assert told("vanished", path, f"{line}\n    body", "") == [(name, "", "")]


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": ("class Engine:", "class Engine(Base):")},  # changed
        {"a.py": ("class Engine:", ""), "b.py": ("", "class Engine:")},  # moved
        {"a.py": ("class Engine:", "from b import Engine")},  # imported from elsewhere now
        {"a.py": ("ROOM_LIMIT = 3", "rest = total-ROOM_LIMIT")},  # still used
        {"a.py": ("class _Engine:\ndef _start():", "")},  # private
        {"a.py": ("    def start(self):", "")},  # a method
        {"a.py": ("@overload\ndef start(x: int) -> int: ...", "")},  # one form of several
        {"a.py": ("def main():", "")},
        {"a.rs": ("fn start() {\nstruct Engine {\npub(crate) fn inner() {", "")},
        {"a.go": ("func start() {\nfunc (e *Engine) Stop() {", "")},
        {"a.ts": ("function startEngine() {\nclass Engine {", "")},
        {"tests/test_a.py": ("def test_engine():", "")},
        {"docs/a.md": ("class Engine:", "")},
    ],
)
def test_what_has_not_vanished(files: Mapping[str, tuple[str, str]]) -> None:
    assert facts("vanished", patch(7, files)) == []
