"""The command line on terminals, pipes and files of every kind: it never breaks, and progress is only on a terminal."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli import WEEK, at, command, engine, process
from tests.repositories import Repository

FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return engine(tmp_path_factory.mktemp("控制台 with spaces") / "仓库 'engine'")


def raw(*arguments: object, **environ: str) -> bytes:
    """What a process writes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    done = subprocess.run(command(*arguments), capture_output=True, check=False, env=kept | environ)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.fixture(scope="module")
def top(clone: Repository) -> bytes:
    return raw("command", *at(clone), *WEEK, "top all", PYTHONUTF8="1")


@pytest.mark.parametrize(
    "environ",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1:strict"},
    ],
)
def test_a_terminal_that_knows_no_chinese_gets_utf_8(clone: Repository, top: bytes, environ: dict[str, str]) -> None:
    assert raw("command", *at(clone), *WEEK, "top all", **environ) == top
    assert "重点 PR" in top.decode()


def test_a_terminal_in_gbk_is_respected(clone: Repository, top: bytes) -> None:
    written = raw("command", *at(clone), *WEEK, "top all", PYTHONIOENCODING="gbk")
    assert written.decode("gbk") == top.decode().replace("😀", r"\ud83d\ude00")


def test_json_in_gbk_is_json(clone: Repository) -> None:
    written = raw("command", *at(clone), *WEEK, "top all", "--format", "json", PYTHONIOENCODING="gbk")
    assert "「Add docs 😀」" in json.loads(written.decode("gbk"))["text"]


def test_errors_on_a_terminal_that_knows_ascii_only(tmp_path: Path) -> None:
    said = process("digest", *at(tmp_path / "没有\udcff"), environ={"PYTHONIOENCODING": "ascii"}).problem()
    assert r"\u6ca1\u6709" in said


def test_a_reader_that_leaves_is_no_failure_worth_a_word(clone: Repository) -> None:
    with subprocess.Popen(
        command("digest", *at(clone), *WEEK), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process_:
        assert process_.stdout is not None
        assert process_.stderr is not None
        process_.stdout.close()
        assert process_.stderr.read() == b""
    assert process_.returncode == 1


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_disk_that_is_full_under_the_output(clone: Repository) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(command("digest", *at(clone), *WEEK), stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr == b"digest-bot: the answer could not be written: No space left on device\n"


@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&-"])
def test_closed_streams_do_not_matter(clone: Repository, closed: str) -> None:
    line = f"exec {shlex.join(command('command', *at(clone), *WEEK, 'top'))} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert bool(done.stdout) == (closed != ">&-")


def test_a_failure_without_stderr_leaves_stdout_empty(tmp_path: Path) -> None:
    line = f"exec {shlex.join(command('digest', *at(tmp_path / 'nowhere')))} 2>&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_progress_is_shown_on_a_terminal_and_only_there(clone: Repository) -> None:
    import pty  # noqa: PLC0415 - not on Windows

    ours, theirs = pty.openpty()
    environ = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(
        command("digest", *at(clone), *WEEK), stdout=subprocess.PIPE, stderr=theirs, env=environ
    ) as shown:
        os.close(theirs)
        drawn = _all(ours)
        assert shown.stdout is not None
        out = shown.stdout.read()
    assert shown.returncode == 0
    assert b"history" in drawn
    assert b"digest" in drawn
    assert out == raw("digest", *at(clone), *WEEK)


def _all(terminal: int) -> bytes:
    drawn = b""
    try:
        while part := os.read(terminal, 1 << 16):
            drawn += part
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(terminal)
    return drawn
