"""Defaults that changed, and what only looks like it."""

from __future__ import annotations

import pytest

from bot.analysis.diffs.defaults import canonical
from tests.changed_lines import facts, patch, told


@pytest.mark.parametrize(
    ("path", "removed", "added", "expected"),
    [
        ("a.py", "    retries: int = 3", "    retries: int = 5  # slow disks", ("retries", "3", "5")),
        ("a.py", "    eager: bool = True,", "    eager: bool = False,", ("eager", "True", "False")),
        ("a.py", "CACHE_ROOM = 60 * 60", "CACHE_ROOM = 7200", ("CACHE_ROOM", "60 * 60", "7200")),
        ("a.py", "def load(path, limit=10):", "def load(path, limit=20):", ("limit", "10", "20")),
        (
            "a.py",
            "    a: int = 1, b: int = 2, c: str = 'x',",
            "    a: int = 1, b: int = 3, c: str = 'x',",
            ("b", "2", "3"),
        ),
        ("a.py", "    kind: Kind = Kind.SMALL", "    kind: Kind = Kind.LARGE", ("kind", "Kind.SMALL", "Kind.LARGE")),
        (
            "a.py",
            "    room: int = Field(default=4, gt=0)",
            "    room: int = Field(default=8, gt=0)",
            ("room", "4", "8"),
        ),
        ("a.py", 'x = os.getenv("ENGINE_MODE", "0")', 'x = os.getenv("ENGINE_MODE", "1")', ("ENGINE_MODE", "0", "1")),
        (
            "a.py",
            'p.add_argument("--jobs", type=int, default=1)',
            'p.add_argument(\n    "--jobs",\n    type=int,\n    default=4,\n)',
            ("--jobs", "1", "4"),
        ),
        (
            "a.py",
            '@click.option("--deep", default=False)',
            '@click.option("--deep", default=True)',
            ("--deep", "False", "True"),
        ),
        ("engine/settings.py", '    "window": 300,', '    "window": 600,', ("window", "300", "600")),
        ("a.rs", "const WAIT_SECS: u64 = 1_800;", "const WAIT_SECS: u64 = 900;", ("WAIT_SECS", "1_800", "900")),
        (
            "a.rs",
            '    #[arg(long = "org", default_value = "acme")]',
            '    #[arg(long = "org", default_value = "acme-labs")]',
            ("org", "acme", "acme-labs"),
        ),
        ("a.go", "\tDefaultDepth = 3", "\tDefaultDepth = 4", ("DefaultDepth", "3", "4")),
        ("a.go", 'n := flag.Int("depth", 3, "how deep")', 'n := flag.Int("depth", 4, "how deep")', ("depth", "3", "4")),
        ("a.ts", "export const MAX_ROWS = 50;", "export const MAX_ROWS = 100;", ("MAX_ROWS", "50", "100")),
        ("a.ts", "  private timeout: number = 5;", "  private timeout: number = 9;", ("timeout", "5", "9")),
        (
            "a.ts",
            'const u = process.env.API_URL ?? "/v1";',
            'const u = process.env.API_URL ?? "/v2";',
            ("API_URL", "/v1", "/v2"),
        ),
        ("A.java", "  public static final int ROOM = 4;", "  public static final int ROOM = 8;", ("ROOM", "4", "8")),
        ("a.cpp", "constexpr int kDepth = 4;", "constexpr int kDepth = 8;", ("kDepth", "4", "8")),
        ("a.sh", 'JOBS="${JOBS:-2}"', 'JOBS="${JOBS:-4}"', ("JOBS", "2", "4")),
        ("deploy/values.yaml", "  replicas: 1", "  replicas: 3", ("replicas", "1", "3")),
        ("engine/default_config.toml", "eager = true", "eager = false", ("eager", "true", "false")),
        ("engine/config.json", '  "rows": 10,', '  "rows": 20,', ("rows", "10", "20")),
        ("Dockerfile", "ENV ENGINE_MODE=fast", "ENV ENGINE_MODE=safe", ("ENGINE_MODE", "fast", "safe")),
    ],
)
def test_a_changed_default_is_told(path: str, removed: str, added: str, expected: tuple[str, str, str]) -> None:
    assert told("default", path, removed, added) == [expected]


@pytest.mark.parametrize(
    ("path", "removed", "added"),
    [
        ("a.py", "        limit = 3", "        limit = 5"),  # a local variable
        ("a.py", "    load(limit=3)", "    load(limit=5)"),  # an argument of a call
        ("a.py", "    limit=3,", "    limit=5,"),  # the same, or a parameter: nobody can tell
        ("a.py", "    limit: int = 3", '    limit: int = "3"  # quoted'),  # spelled otherwise
        ("a.py", "ROOM = 1_000", "ROOM = 1000"),
        ("a.py", "ROOM = 3600", "ROOM = 60 * 60"),
        ("a.py", "    a: int = 1\n    a: int = 2", "    a: int = 3\n    a: int = 4"),  # several values
        ("a.py", "def one(\n    wait: int = 1,", "def two(\n    wait: int = 2,"),  # of two functions
        ("a.py", "def _one(\n    wait: int = 1,", "def _one(\n    wait: int = 2,"),  # of a private one
        (
            "a.py",
            "    room: int = 3",
            "    window: Window | None = None, room: int = 4, hold_until_the_end: bool = True,",
        ),
        ("a.py", "# ROOM = 3\n#ROOM = 4", "# ROOM = 5"),  # comments
        ("a.py", "    limit: int = compute(3)", "    limit: int = compute(4)"),  # no simple value
        ("a.py", '    note: str = "a b c"', '    note: str = "d e f"'),  # prose
        ("a.py", '__version__ = "1.2.3"', '__version__ = "1.2.4"'),
        ("a.py", 'STYLE = "/style@1.css"', 'STYLE = "/style@2.css"'),  # a version in a path
        ("a.py", 'revision: str = "a1"', 'revision: str = "b2"'),
        ("a.py", '    "window": 300,', '    "window": 600,'),  # a mapping that is no settings module
        ("a.py", "", "    retries: int = 3"),  # new
        ("a.ts", "  let x: number = 1;", "  let x: number = 2;"),  # a local variable
        ("a.go", "\tdepth = 3", "\tdepth = 4"),
        ("tests/test_a.py", "    retries: int = 3", "    retries: int = 5"),
        (".github/workflows/config.yml", "  retries: 3", "  retries: 5"),
        ("tests/config.yaml", "  retries: 3", "  retries: 5"),
        ("data/prices.yaml", "  apple: 3", "  apple: 5"),
        ("package-lock.json", '  "lockfileVersion": 2,', '  "lockfileVersion": 3,'),
        ("engine/config.yaml", "a:\n  room: 1", "b:\n    room: 2"),  # another level, another key
        ("engine/config.toml", "[one]\nroom = 1", "[two]\nroom = 2"),
    ],
)
def test_what_is_no_changed_default(path: str, removed: str, added: str) -> None:
    assert told("default", path, removed, added) == []


def test_a_renamed_member_is_no_changed_default() -> None:
    files = {
        "kinds.py": ("    TINY = 1", "    SMALL = 1"),
        "a.py": ("    k: Kind = Kind.TINY", "    k: Kind = Kind.SMALL"),
    }
    assert facts("default", patch(7, files)) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("'a'", '"a"', True),
        ("0x10", "16", True),
        ("5u32", "5", True),
        ("1.0", "1", True),
        ("a.B", "a.C", False),
        ('""', "0", False),
    ],
)
def test_spellings_of_a_value(one: str, other: str, *, same: bool) -> None:
    assert (canonical(one) == canonical(other)) is same
