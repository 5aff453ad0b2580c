"""`sync`, `db` and reading a configuration's store: the answers of the clone, whatever happens meanwhile."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli import MONDAY, WEEK, at, command, configured, engine, process, run
from tests.repositories import Repository

ASKED = ("top all", "risks", "hot", "pr 11 999", "score 23", "week 2026-W03", "help")
FIRST = ("--since", "2026-01-05", "--until", "2026-01-12")
ALL = ("--since", "2026-01-05", "--until", "2026-01-26")
HALFWAY = """#!{python}
# A git that stops in the middle of a long history until it is ended.
import os, pathlib, subprocess, sys, time
if "--numstat" not in sys.argv:
    os.execv({git!r}, ["git", *sys.argv[1:]])
out = subprocess.run([{git!r}, *sys.argv[1:]], stdout=subprocess.PIPE, check=True).stdout
sys.stdout.buffer.write(out[: len(out) * 3 // 4])
sys.stdout.buffer.flush()
pathlib.Path({marker!r}).write_text(str(os.getpid()))
time.sleep(120)
"""


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return engine(tmp_path_factory.mktemp("cli") / "engine")


@pytest.fixture(scope="module")
def synced(clone: Repository, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = configured(tmp_path_factory.mktemp("synced"), clone.path)
    done = process("sync", "--config", config, *ALL)
    assert (done.code, done.err) == (0, "")
    assert done.out == "acme/engine: 24 pull requests and direct commits read\n"
    return config


def content(database: Path) -> dict[str, list[Any]]:
    """Every row of every table, but not when it was written."""
    with closing(sqlite3.connect(database)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {table: list(connection.execute(f"SELECT * FROM {table}")) for table in tables}  # noqa: S608 - its own
    rows["repositories"] = [(*row[:3], *row[4:]) for row in rows["repositories"]]
    return {table: sorted(map(repr, found)) for table, found in rows.items()}


def test_status_says_what_will_come_before_the_bot_has_run(clone: Repository, tmp_path: Path) -> None:
    entry = "{platform: local, id: C1, repositories: [acme/engine]}"
    config = configured(tmp_path, clone.path, f"local: {{port: 0}}\nchannels:\n  - {entry}\n")
    process("sync", "--config", config, *ALL)
    before = content(tmp_path / "bot.db")
    told = process("status", "--config", config)
    assert (told.code, told.err) == (0, "")
    assert "local C1 · acme/engine · 每周一 09:00（北京时间）· 下一期 " in told.out
    assert "上一期还没有" in told.out
    assert "acme/engine：0 分钟前" in told.out
    assert content(tmp_path / "bot.db") == before
    assert json.loads(process("status", "--config", config, "--format", "json").out)["answered"]


def test_status_without_subscriptions_says_how_old_the_data_is(synced: Path, tmp_path: Path) -> None:
    assert "acme/engine：" in process("status", "--config", synced).out
    assert "cannot read" in process("status", "--config", tmp_path / "none.yaml").problem(2)


# The same answers


def test_the_store_gives_the_digest_of_the_clone(clone: Repository, synced: Path) -> None:
    stored = run("digest", "--config", synced, *WEEK, "--format", "json").json
    read = run("digest", *at(clone), *WEEK, "--format", "json").json
    assert {key for key in read if stored[key] != read[key]} == set()


def test_a_week_that_was_synced_alone_is_compared_with_the_week_before(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path)
    assert run("sync", "--config", config, *WEEK).code == 0
    stored = run("digest", "--config", config, *WEEK, "--format", "json").json
    assert stored["previous"] == {"pull_requests": 8, "high_importance": 0}
    assert stored == run("digest", *at(clone), *WEEK, "--format", "json").json


@pytest.mark.parametrize("text", ASKED)
def test_the_store_gives_the_answers_of_the_clone(clone: Repository, synced: Path, text: str) -> None:
    stored = run("command", "--config", synced, *WEEK, text, "--format", "json").json
    read = run("command", *at(clone), *WEEK, text, "--format", "json").json
    assert stored == read


@pytest.mark.parametrize(
    "period",
    [
        (),  # long after the clone was fetched
        ("--since", "2026-01-19", "--until", "2026-01-26"),  # within which it was fetched
        ("--since", "2026-01-01", "--until", "2026-01-08"),  # within which the repository began
        ("--since", "2025-01-06", "--until", "2025-01-13"),  # before that
    ],
)
def test_where_the_clone_ends_the_store_says_the_same(
    clone: Repository, tmp_path: Path, period: tuple[str, ...]
) -> None:
    config = configured(tmp_path, clone.path)
    assert run("sync", "--config", config, *period).code == 0
    for arguments in (["digest"], ["command", "top"], ["command", "hot"]):
        stored = run(arguments[0], "--config", config, *period, *arguments[1:])
        read = run(arguments[0], *at(clone), *period, *arguments[1:])
        assert (stored.code, stored.err) == (0, "")
        assert stored.out == read.out


def test_a_clone_that_was_fetched_since_is_to_be_synced(tmp_path: Path) -> None:
    made = engine(tmp_path / "engine")
    config, week = configured(tmp_path, made.path), ("--since", "2026-01-19", "--until", "2026-01-26")
    assert run("sync", "--config", config, *week).code == 0
    assert "合入 1 个" in run("command", "--config", config, *week, "top").out
    made.pull(32, "Add one more", {"engine/late.py": "a = 1\n"}, merged_at=MONDAY + timedelta(days=16))
    assert made.path
    assert "is not synced from 2026-01-19" in run("command", "--config", config, *week, "top").problem()
    assert run("sync", "--config", config, *week).code == 0
    assert "合入 2 个" in run("command", "--config", config, *week, "top").out


def test_reading_changes_nothing(synced: Path) -> None:
    before = content(synced.with_name("bot.db"))
    for arguments in (("digest",), ("command", "top")):
        assert run(arguments[0], "--config", synced, *WEEK, *arguments[1:]).code == 0
    assert content(synced.with_name("bot.db")) == before


def test_a_second_sync_changes_nothing(synced: Path) -> None:
    before = content(synced.with_name("bot.db"))
    assert run("sync", "--config", synced, *ALL).code == 0
    assert content(synced.with_name("bot.db")) == before


def test_links_and_role_come_from_the_configuration(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path, "web_url: https://git.example.com/\n")
    assert run("sync", "--config", config, *WEEK).code == 0
    found = run("digest", "--config", config, *WEEK, "--format", "json").json
    assert found["key_pull_requests"][0]["url"] == "https://git.example.com/acme/engine/pull/11"


def test_the_zone_comes_from_the_configuration_unless_given(clone: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, clone.path, "timezone: America/New_York\n")
    assert run("sync", "--config", config, *ALL).code == 0
    assert run("digest", "--config", config, *WEEK, "--format", "json").json["period"]["timezone"] == "America/New_York"
    found = run("digest", "--config", config, *WEEK, "--timezone", "Asia/Tokyo", "--format", "json").json
    assert found["period"]["since"] == "2026-01-12T00:00:00+09:00"


# Several repositories


@pytest.fixture(scope="module")
def pair(clone: Repository, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two repositories; the channel `web` sees one, the channel `all` sees both."""
    folder = tmp_path_factory.mktemp("pair")
    console = Repository(folder / "控制台 repo")
    console.commit("Start", {"a.py": "a = 1\n"}, at=MONDAY)
    console.pull(77, "Add the console", {"b.py": "b = 1\n" * 30}, merged_at=MONDAY + timedelta(days=8))
    more = (
        f"  - {{name: acme/console, source: clone, path: '{console.path}'}}\nlocal: {{}}\nchannels:\n"
        "  - {platform: local, id: web, repositories: [acme/console]}\n"
        "  - {platform: local, id: all, repositories: [acme/engine, acme/console]}\n"
    )
    config = configured(folder, clone.path, more)
    done = run("sync", "--config", config, *WEEK)
    assert done.code == 0, done.err
    assert [line.partition(":")[0] for line in done.out.splitlines()] == ["acme/engine", "acme/console"]
    return config


def test_a_channel_sees_its_repositories_only(pair: Path) -> None:
    ask = ("command", "--config", pair, *WEEK, "--format", "json")
    found = run(*ask, "--channel", "web", "top").json
    assert found["pull_requests"] == [77]
    found = run(*ask, "--channel", "web", "top repo=acme/engine").json
    assert (found["answered"], found["pull_requests"]) == (False, [])
    assert found["text"] == "这里没有「acme/engine」这个仓库，能问的是：acme/console"
    assert "acme/engine" not in run(*ask, "--channel", "web", "help").json["text"]
    assert run(*ask, "--channel", "web", "pr 11").json["answered"] is False


def test_a_channel_of_several_says_which(pair: Path) -> None:
    ask = ("command", "--config", pair, *WEEK, "--format", "json", "--channel", "all")
    found = run(*ask, "top").json
    assert found["answered"] is False
    assert "acme/engine、acme/console" in found["text"]
    assert run(*ask, "top repo=console").json["pull_requests"] == [77]
    assert 11 in run(*ask, "top repo=ACME/Engine").json["pull_requests"]
    assert run(*ask, "--repository", "acme/console", "top").json["pull_requests"] == [77]


def test_only_what_is_asked_of_must_be_synced(pair: Path) -> None:
    assert run("sync", "--config", pair, "--repository", "acme/console", *ALL).code == 0
    ask = ("command", "--config", pair, "--since", "2026-01-19", "--until", "2026-01-26")
    assert run(*ask, "top repo=console").code == 0
    assert run(*ask, "help").code == 0
    assert "acme/engine is not synced" in run(*ask, "top repo=engine").problem()
    assert run(*ask, "top repo=engine week=2026-W03").code == 0


# What happens meanwhile


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """More than one chunk of the store."""
    made = Repository(tmp_path_factory.mktemp("long") / "long")
    made.commit("Start", {"a.py": "a = 1\n"}, at=MONDAY)
    for number in range(1, 901):
        files = {f"part_{number % 40}.py": f"a = {number}\n"}
        made.pull(number, f"Change {number}", files, merged_at=MONDAY + timedelta(minutes=10 * number))
    return made


def test_a_sync_that_is_killed_is_completed_by_the_next(
    long: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (killed := tmp_path / "killed").mkdir()
    (whole := tmp_path / "whole").mkdir()
    config, other = configured(killed, long.path), configured(whole, long.path)
    assert run("sync", "--config", other, *ALL).code == 0
    with monkeypatch.context() as stopping:
        marker = _halfway(tmp_path, stopping)
        with subprocess.Popen(command("sync", "--config", config, *ALL), stdout=subprocess.DEVNULL) as sync:
            _wait_until(lambda: marker.exists() and marker.read_text() != "")
            _wait_until(lambda: bool(content(killed / "bot.db")["pull_requests"]))
            sync.kill()
        os.kill(int(marker.read_text()), signal.SIGKILL)
    assert sync.returncode == -signal.SIGKILL
    assert 0 < len(content(killed / "bot.db")["pull_requests"]) < 900
    assert "is not synced" in run("digest", "--config", config, *FIRST).problem()
    assert run("sync", "--config", config, *ALL).code == 0
    assert run("digest", "--config", config, *FIRST).code == 0
    assert content(killed / "bot.db") == content(whole / "bot.db")


def test_an_interrupted_sync_says_so(long: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = configured(tmp_path, long.path)
    marker = _halfway(tmp_path, monkeypatch)
    with subprocess.Popen(
        command("sync", "--config", config, *ALL), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as sync:
        _wait_until(lambda: marker.exists() and marker.read_text() != "")
        sync.send_signal(signal.SIGINT)
        out, err = sync.communicate()
    assert (sync.returncode, out) == (130, b"")
    assert err.decode() == "digest-bot: interrupted: what was stored is kept, running it again completes it\n"


def test_a_full_disk_keeps_what_was_stored(long: Repository, tmp_path: Path) -> None:
    config = configured(tmp_path, long.path)
    small = (
        "from sqlalchemy import event\nfrom sqlalchemy.pool import Pool\n"
        "event.listen(Pool, 'connect', lambda c, _: c.execute('PRAGMA max_page_count = 95'))\n"
    )
    said = process("sync", "--config", config, *ALL, before=small).problem(1)
    assert said.startswith(f"the disk that holds {tmp_path / 'bot.db'} is full: free some space")
    assert 0 < len(content(tmp_path / "bot.db")["pull_requests"]) < 900
    assert run("sync", "--config", config, *ALL).code == 0
    assert len(content(tmp_path / "bot.db")["pull_requests"]) == 900


def test_reading_while_another_writes(synced: Path) -> None:
    with closing(sqlite3.connect(synced.with_name("bot.db"), isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM assessments")
        assert run("digest", "--config", synced, *WEEK).code == 0
        writer.execute("ROLLBACK")


# db


def test_upgrade_and_backup(synced: Path, tmp_path: Path) -> None:
    done = run("db", "upgrade", "--config", synced)
    assert done.code == 0
    assert "there is nothing to upgrade" in done.out
    copy = tmp_path / "copy.db"
    done = run("db", "backup", "--config", synced, copy)
    assert (done.code, done.out) == (0, f"written: {copy}\n")
    assert content(copy) == content(synced.with_name("bot.db"))


def _halfway(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put that git on PATH; gives the file into which it writes its process id when it has stopped."""
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    marker, path = folder / "stopped", folder / "bin"
    path.mkdir()
    (path / "git").write_text(HALFWAY.format(python=sys.executable, git=real, marker=str(marker)))
    (path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")
    return marker


def _wait_until(holds: Any) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
