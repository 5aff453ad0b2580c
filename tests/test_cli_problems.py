"""Bad input on the command line: one clear line with the fix, exit code 2, nothing on stdout and nothing lost."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli import WEEK, at, configured, engine, process, run
from tests.repositories import Repository

TWO = "  - {name: acme/console, source: clone, path: console.git}\n"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return engine(tmp_path_factory.mktemp("cli") / "engine")


def both(*where: object) -> list[str]:
    """What is said of it, by each of the two commands that read."""
    return [run("digest", *where).problem(), run("command", *where, "top").problem()]


# Where to read


def test_where_to_read_is_named_once(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path)
    for where in ((), (*at(clone), "--config", config)):
        for said in both(*where):
            assert said == "give either --config FILE, or --clone DIR with --repository OWNER/NAME"
    for said in both("--clone", clone.path):
        assert said.startswith("--clone needs --repository OWNER/NAME")


@pytest.mark.parametrize(
    "name", ["engine", "acme/", "/engine", "a/b/c", "acme engine", "https://github.com/acme/engine", ""]
)
def test_a_repository_is_an_owner_and_a_name(clone: Repository, name: str) -> None:
    for said in both("--clone", clone.path, "--repository", name):
        assert said == f"--repository {name!r}: expected OWNER/NAME such as acme/engine"


def test_a_clone_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for name, expected in (
        ("nowhere", "does not exist: give the top folder of a git clone"),
        ("file", "is a file: give the top folder of a git clone"),
        ("folder", "is not a git repository: give the top folder of a git clone"),
        ("x" * 5000, "File name too long"),
        ("two\nlines", "does not exist"),
    ):
        for said in both(*at(tmp_path / name), *WEEK):
            assert expected in said


def test_a_clone_without_commits(tmp_path: Path) -> None:
    for said in both(*at(Repository(tmp_path / "empty")), *WEEK):
        assert said.endswith("has no branch with commits yet: fetch or push one into it first")


def test_a_shallow_clone_that_begins_later(clone: Repository, tmp_path: Path) -> None:
    shallow = clone.clone(tmp_path / "shallow", "--depth=3")
    for said in both(*at(shallow), *WEEK):
        assert "is a shallow clone that begins at 2026-01-1" in said
        assert "fetch --unshallow" in said


def test_a_branch_that_is_not_there(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path)
    config.write_text(config.read_text().replace("source: clone,", "source: clone, branch: mian,"))
    assert "has no branch mian: did you mean main?" in run("sync", "--config", config).problem()


# When


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (["--since", "2026-01-12"], "since and until go together"),
        (["--until", "2026-01-12"], "since and until go together"),
        (["--since", "2026-01-19", "--until", "2026-01-12"], "since 2026-01-19 is after until 2026-01-12"),
        (["--since", "2026-01-12", "--until", "2026-01-12"], "leaves no day"),
        (["--since", "yesterday", "--until", "2026-01-12"], "'yesterday' is not a date: write it as 2026-04-05"),
        (["--since", "2026-02-29", "--until", "2026-03-12"], "'2026-02-29' is not in the calendar"),
        (["--since", "0001-01-01", "--until", "9999-12-31"], "'0001-01-01' is out of range"),
        (["--since", "2099-01-05", "--until", "2099-01-12"], "the period from 2099-01-05 has not begun: today is"),
        (["--timezone", "Asia/Beijing"], "unknown time zone 'Asia/Beijing': did you mean Asia/Shanghai?"),
        (["--timezone", "../../etc/passwd"], "unknown time zone '../../etc/passwd'"),
        (["--timezone", ""], "unknown time zone ''"),
        (["--since", "x\ny", "--until", "\x1b[31m"], "is not a date"),
    ],
)
def test_dates_and_zones(clone: Repository, tmp_path: Path, dates: list[str], expected: str) -> None:
    config = configured(tmp_path, clone.path)
    for said in (
        *both(*at(clone), *dates),
        *both("--config", config, *dates),
        run("sync", "--config", config, *dates).problem(),
    ):
        assert expected in said
        assert "\x1b" not in said


# The configuration


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "repositories:\n  - {name: acme/engine, source: clown}\n",
            ":2: repositories[0].source: expected github or clone",
        ),
        ("timezone: Asia/Shanghai\ncolour: red\nrepositories: [{name: a/b}]\n", ":2: colour: "),
        ("repositories:\n  - name: [unclosed\n", "config.yaml:"),
        ("", "config.yaml: empty: expected keys and values"),
        ("timezone: Asia/Beijing\nrepositories: [{name: a/b}]\n", ":1: timezone: "),
        (
            "github: {token: ${NO_SUCH_NAME}}\nrepositories: [{name: a/b}]\n",
            "the environment variable NO_SUCH_NAME is not set",
        ),
        (b"\xff\xfe", "not UTF-8 text"),
    ],
)
def test_a_configuration_that_cannot_be_read(tmp_path: Path, content: str | bytes, expected: str) -> None:
    config = tmp_path / "config.yaml"
    config.write_bytes(content.encode() if isinstance(content, str) else content)
    said = [
        *both("--config", config),
        run("sync", "--config", config).problem(),
        run("db", "upgrade", "--config", config).problem(),
    ]
    for each in said:
        assert each.startswith(str(config))
        assert expected in each
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.yaml"]


def test_of_several_mistakes_the_first_is_told_and_the_others_counted(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("timezone: Asia/Beijing\nrepositories: []\n")
    done = run("digest", "--config", config)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "config.yaml:1:" in done.err
    assert done.err.endswith("(and 1 more like it)\n")


def test_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    for name, expected in (("nowhere.yaml", "No such file or directory"), (".", "Is a directory")):
        for said in both("--config", tmp_path / name):
            assert said.endswith(f"cannot read the configuration: {expected}")


def test_a_repository_that_is_not_configured(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path)
    for said in (
        *both("--config", config, "--repository", "acme/other"),
        run("sync", "--config", config, "--repository", "acme/other").problem(),
    ):
        assert said == "--repository acme/other: not in the configuration, which has acme/engine"


def test_one_of_several_repositories_is_to_be_named(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path, TWO)
    said = run("digest", "--config", config, *WEEK).problem()
    assert said == "several repositories are configured: choose one with --repository (acme/engine, acme/console)"


def test_a_channel_that_is_not_configured(clone: Repository, tmp_path: Path) -> None:
    more = "local: {}\nchannels:\n  - {platform: local, id: web, repositories: [acme/engine]}\n"
    config = configured(tmp_path, clone.path, f"{TWO}{more}")
    said = run("command", "--config", config, "--channel", "C1", "top").problem()
    assert said == "--channel C1: not in the configuration, which has web"
    said = run("command", "--config", config, "--channel", "web", "--repository", "acme/console", "top").problem()
    assert said == "--repository acme/console: channel web is not subscribed to it"


def test_a_source_that_is_not_available_is_said_to_be_so(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("repositories:\n  - {name: acme/engine, source: clone, path: missing.git}\n")
    assert f"{tmp_path / 'missing.git'} does not exist" in run("sync", "--config", config).problem()


# The store


def test_a_period_that_is_not_synced_names_the_sync(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path)
    wanted = "run digest-bot sync --config FILE --repository acme/engine --since 2026-01-12 --until 2026-01-19"
    for said in both("--config", config, *WEEK):
        assert said == f"acme/engine is not synced from 2026-01-12 to 2026-01-19: {wanted}"
    assert run("sync", "--config", config, "--since", "2026-01-19", "--until", "2026-01-26").code == 0
    # Read and assessed to be compared with; the week before that was only read.
    assert run("command", "--config", config, *WEEK, "top").code == 0
    assert wanted in run("digest", "--config", config, *WEEK).problem()


def _newer(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()


def _folder(database: Path) -> None:
    database.unlink()
    database.mkdir()


def _text(database: Path) -> None:
    for file in database.parent.glob(f"{database.name}*"):
        file.unlink()
    database.write_text("not a database, but long enough to be looked at\n" * 50)


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (_newer, "is newer than this digest-bot (revision 9999"),
        (_folder, "names the folder"),
        (_text, "is not a SQLite database"),
    ],
)
def test_a_database_that_cannot_be_used(
    clone: Repository, tmp_path: Path, spoil: Callable[[Path], None], expected: str
) -> None:
    config, database = configured(tmp_path, clone.path), tmp_path / "bot.db"
    assert run("sync", "--config", config, *WEEK).code == 0
    spoil(database)
    said = [
        *both("--config", config, *WEEK),
        run("sync", "--config", config, *WEEK).problem(),
        run("db", "upgrade", "--config", config).problem(),
        run("db", "backup", "--config", config, tmp_path / "copy.db").problem(),
    ]
    assert all(expected in each for each in said)
    assert not (tmp_path / "copy.db").exists()


def test_a_database_whose_folder_is_missing(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path)
    config.write_text(config.read_text().replace("sqlite:///bot.db", "sqlite:///missing/bot.db"))
    said = run("sync", "--config", config, *WEEK).problem()
    assert said == (
        f"the folder of the database does not exist: create {tmp_path / 'missing'}, or correct database.url"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_database_in_a_folder_that_cannot_be_written(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path)
    tmp_path.chmod(0o500)
    try:
        said = run("sync", "--config", config, *WEEK).problem()
    finally:
        tmp_path.chmod(0o700)
    assert "cannot be opened: give the user who runs digest-bot read and write access" in said


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system has no /proc")
def test_a_database_where_not_even_root_can_write(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path)
    config.write_text(config.read_text().replace("sqlite:///bot.db", "sqlite:////proc/bot.db"))
    for said in (*both("--config", config, *WEEK), run("sync", "--config", config, *WEEK).problem()):
        assert "/proc/bot.db cannot be opened: give the user who runs digest-bot read and write access" in said


def test_a_backup_that_would_overwrite(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path)
    (kept := tmp_path / "copy.db").write_text("precious")
    assert "exists already" in run("db", "backup", "--config", config, kept).problem()
    assert kept.read_text() == "precious"
    assert "does not exist" in run("db", "backup", "--config", config, tmp_path / "no" / "copy.db").problem()


# Options


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["digset"], "No such command 'digset'"),
        (["digest", "--colour", "red"], "No such option: --colour"),
        (["digest", "--format", "pdf"], "'pdf' is not one of 'text', 'markdown', 'json'"),
        (["digest", "--clone"], "Option '--clone' requires an argument"),
        (["digest", "stray"], "Got unexpected extra argument"),
        (["command"], "Missing argument"),
        (["sync"], "Missing option '--config'"),
        (["db"], "Missing command"),
        (["db", "drop"], "No such command 'drop'"),
        (["digest\nx"], "No such command"),
    ],
)
def test_options_that_are_mistaken(arguments: list[str], expected: str) -> None:
    said = run(*arguments).problem()
    assert expected in said
    assert said.endswith(": see digest-bot --help")


def test_the_same_from_a_process(tmp_path: Path) -> None:
    """Once for real: what is imported on the way to an error must not get in its way."""
    assert "does not exist" in process("digest", *at(tmp_path / "nowhere")).problem()
    assert "No such command" in process("digset").problem()
    assert "cannot read the configuration" in process("sync", "--config", tmp_path / "nowhere.yaml").problem()
