"""One bot a SQLite file: others are refused with the reason, whatever path they take and however the first one ends."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.store.errors import StoreError
from bot.store.exclusive import exclusive
from bot.store.mounts import Mount, mount, mount_of
from bot.store.store import Store
from tests import cli
from tests.doubles import memory
from tests.factories import make_pr
from tests.installation import ChannelEntry, Installation, SlackSection, install
from tests.slack_faults import QUICK, owed

ROOT = Path(__file__).parent.parent
HOLD = """
import subprocess, sys
from bot.store.exclusive import exclusive

with exclusive(sys.argv[1]):
    subprocess.Popen(["sleep", "60"])
    print("held", flush=True)
    sys.stdin.readline()
"""
TRY = """
import sys
from bot.store.errors import StoreError
from bot.store.exclusive import exclusive

try:
    with exclusive(sys.argv[1]):
        print("held")
except StoreError as error:
    print(int(error.user_can_fix), error)
"""


@contextmanager
def holding(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock until it reads a line, with a child; both end with the block at the latest."""
    command = [sys.executable, "-c", HOLD, url(path)]
    with subprocess.Popen(
        command, cwd=ROOT, text=True, start_new_session=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            with suppress(ProcessLookupError):  # all have ended
                os.killpg(process.pid, signal.SIGKILL)


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def held(path: Path) -> bool:
    try:
        with exclusive(url(path)):
            return False
    except StoreError as error:
        if "another digest-bot" not in str(error):
            raise
        return True


# The command line


def test_a_second_bot_on_a_sqlite_file_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK) as first:
        second = team.installation.replica()
        assert refused(second) == (
            f"another digest-bot (process {first.pid} on {socket.gethostname()}) runs on {tmp_path}/bot.db: "
            "stop it, or have the replicas use PostgreSQL (database.url: postgresql://…)"
        )
        works_beside(team.installation)
        assert first.get("/readyz")[0] == 200
        first.kill()
        with second.bot(before=QUICK):
            assert "another digest-bot" in refused(team.installation)
            team.complete()


def works_beside(installation: Installation) -> None:
    """Every other command does what it is there for."""
    config, copy = ("--config", installation.config), installation.config.with_name("copy.db")
    commands: tuple[tuple[object, ...], ...] = (
        ("digest", *config),
        ("command", "hot", *config),
        ("sync", *config),
        ("db", "backup", *config, copy),
        ("db", "upgrade", *config),
    )
    for one in commands:
        done = cli.process(*one, environ=installation.environ)
        assert done.code == 0, (one, done)
    with Store.open(url(copy)) as store:
        assert store.subscriptions().all()


def refused(installation: Installation) -> str:
    return cli.process("run", "--config", installation.config, environ=installation.environ).problem()


# The lock


def test_whatever_path_leads_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "other.db").symlink_to(folder / "bot.db")  # also before the database is made
    monkeypatch.chdir(folder)
    paths = (folder / "bot.db", Path("bot.db"), Path("../data/bot.db"), tmp_path / "link/bot.db", tmp_path / "other.db")
    for first in paths:
        with exclusive(url(first)):
            assert all(held(second) for second in paths)
            assert not held(folder / "another.db")
    assert not any(map(held, paths))
    assert sorted(one.name for one in folder.iterdir()) == ["another.db.lock", "bot.db.lock"]


def test_a_bot_that_was_killed_holds_nothing_and_neither_does_what_it_started(tmp_path: Path) -> None:
    path = tmp_path / "bot.db"
    with holding(path) as first:
        first.send_signal(signal.SIGSTOP)
        assert held(path)  # suspended is not gone
        first.kill()
        first.wait()
        os.killpg(first.pid, 0)  # the child lives
        assert not held(path)


def test_a_file_that_was_cut_off_names_nobody(tmp_path: Path) -> None:
    with exclusive(url(tmp_path / "bot.db")):
        (tmp_path / "bot.db.lock").write_bytes(b"")
        with pytest.raises(StoreError, match=r"another digest-bot \(its process is not known\) runs on"):
            exclusive(url(tmp_path / "bot.db")).__enter__()


def test_the_store_is_used_beside_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "bot.db"
    with holding(path), Store.open(url(path)) as one, Store.open(url(path)) as other:
        one.save_history("acme/engine", [make_pr(1)])
        other.backup(tmp_path / "copy.db")
    with exclusive(url(path)), Store.open(url(path)) as store:
        store.save_history("acme/engine", [make_pr(2)])


@pytest.mark.parametrize("address", ["sqlite://", "sqlite:///:memory:", "postgresql://user@db.example.com/bot"])
def test_what_is_no_file_needs_no_lock(address: str) -> None:
    with exclusive(address), exclusive(address):
        pass


def test_a_missing_folder_is_told_as_ever(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="the folder of the database does not exist"), exclusive(url(tmp_path / "a/b")):
        pass


# The write-ahead log


@pytest.mark.skipif(not memory.POSSIBLE, reason="the double is for Linux")
def test_a_log_that_is_on_and_cannot_be_written_is_found_out(tmp_path: Path) -> None:
    """`PRAGMA journal_mode=wal` answers `wal` there."""
    code = f"from tests.doubles import memory\nmemory.refuse()\n{TRY}"
    said = (
        f"1 SQLite cannot keep its write-ahead log beside {tmp_path}/bot.db (SQLITE_IOERR_SHMMAP): put the database on "
        "a local disk with some room, or use PostgreSQL (database.url: postgresql://…)"
    )
    assert tried(tmp_path, code=code) == said
    assert [one.name for one in tmp_path.iterdir()] == ["bot.db.lock"]
    with Store.open(url(tmp_path / "bot.db")) as store:
        store.save_history("acme/engine", [make_pr(1)])
    assert tried(tmp_path, code=code) == said


# Mounts


MOUNTS = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,discard
61 27 0:50 / /srv/a\\040b rw - nfs4 files.example.com:/b rw,vers=4.2
62 27 0:51 /sub /srv/c rw shared:7 - fuse.sshfs me@files.example.com:/ rw
63 61 0:52 / /srv/a\\040b ro - tmpfs - rw
"""


@pytest.mark.parametrize(
    ("number", "kind", "network"),
    [
        (27, "ext4", False),
        (61, "nfs4", True),
        (62, "fuse.sshfs", True),
        (63, "tmpfs", False),
        (6, None, False),
        (622, None, False),
    ],
)
def test_the_mount_of_an_open_file_says_its_type(number: int, kind: str | None, network: bool) -> None:
    found = mount(f"pos:\t0\nflags:\t012000000\nmnt_id:\t{number}\nino:\t2\n", MOUNTS)
    assert found == (kind and (str(number), kind))
    assert (found is not None and found.is_network) == network


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.ceph-fuse", "fuse.glusterfs"])
def test_what_lies_on_other_machines(kind: str) -> None:
    assert Mount("1", kind).is_network


@pytest.mark.parametrize("kind", ["btrfs", "overlay", "xfs", "zfs", "fuseblk", "fuse.mergerfs", "fuse", "fuse."])
def test_what_lies_on_this_one(kind: str) -> None:
    assert not Mount("1", kind).is_network


@given(st.text(), st.text())
def test_whatever_the_system_says_of_its_mounts_is_read(fdinfo: str, mountinfo: str) -> None:
    mount(fdinfo, mountinfo)
    mount("mnt_id:\t27\n", mountinfo)
    mount(f"mnt_id:{fdinfo}", MOUNTS)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_the_type_is_what_df_says(tmp_path: Path) -> None:
    for path in (tmp_path, Path("/proc"), Path("/dev/shm")):  # noqa: S108 - only looked at
        told = subprocess.run(["df", "--output=fstype", path], capture_output=True, text=True, check=True).stdout
        found = mount_of(path)
        assert found is not None
        assert found.kind == told.split()[-1]


@cache
def may_mount() -> bool:
    mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "x", "/mnt"]
    return (
        shutil.which("unshare") is not None and subprocess.run(mount, check=False, capture_output=True).returncode == 0
    )


def require_mounting() -> None:
    """Skip the test where this user may not mount, in a name space of the process's own."""
    if not may_mount():
        pytest.skip("mounting is not allowed here")


def tried(folder: Path, mounting: str = "", code: str = TRY) -> str:
    """What a bot with its database in the folder says, after the shell command `mounting` that nobody else notices."""
    command = [sys.executable, "-c", code, url(folder / "bot.db")]
    if mounting:
        require_mounting()
        command = ["unshare", "-rm", "sh", "-c", f'set -e; {mounting}; exec "$@"', "sh", *command]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("size=1m", "held"),
        ("size=16k", "1 SQLite cannot keep its write-ahead log beside {}/bot.db (SQLITE_IOERR_SHMSIZE)"),
        ("nr_inodes=1", "0 {}/bot.db.lock cannot be written and locked (No space left on device)"),
        ("ro", "1 {}/bot.db.lock cannot be written and locked (Read-only file system)"),
    ],
)
def test_a_disk_that_takes_nothing(tmp_path: Path, options: str, said: str) -> None:
    assert tried(tmp_path, f"mount -t tmpfs -o {options} x {tmp_path}").startswith(said.format(tmp_path))


def test_a_database_that_is_mounted_without_its_folder(tmp_path: Path) -> None:
    """As two containers may have one file, each with a log and a lock of its own beside it."""
    (tmp_path / "bot.db").touch()
    elsewhere = tmp_path / "elsewhere.db"
    elsewhere.touch()
    assert tried(tmp_path, f"mount --bind {elsewhere} {tmp_path}/bot.db") == (
        f"1 {tmp_path}/bot.db is mounted without its folder, where SQLite keeps its log: mount the folder instead"
    )


def test_a_database_on_a_network_file_system(tmp_path: Path) -> None:
    require_mounting()
    folder = tmp_path / "data"
    folder.mkdir()
    slack = SlackSection("http://127.0.0.1:9/api/")  # never asked
    installed = install(tmp_path, slack, [ChannelEntry("C1")], now=datetime.now(UTC), database="sqlite:///data/bot.db")
    run = cli.command("run", "--config", installed.config)
    done = subprocess.run(
        ["unshare", "-rm", sys.executable, "-m", "tests.doubles.fuse", "sshfs", folder, *run],
        cwd=ROOT,
        env=os.environ | dict(installed.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert cli.Done(done.returncode, done.stdout, done.stderr).problem() == (
        f"{folder}/bot.db lies on a network file system (fuse.sshfs), where SQLite loses data: "
        "put the database on a local disk, or use PostgreSQL (database.url: postgresql://…)"
    )
