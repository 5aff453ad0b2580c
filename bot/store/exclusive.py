"""One running bot for each SQLite file, on a file system where SQLite loses nothing."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from bot.store.engines import connect
from bot.store.errors import StoreError, explained
from bot.store.mounts import mount_of

_POSTGRESQL = "PostgreSQL (database.url: postgresql://…)"
_DISK_FAULTS = (errno.EDQUOT, errno.EIO, errno.ENOSPC)


@contextmanager
def exclusive(url: str) -> Iterator[None]:
    """Be the only bot that runs on a SQLite file until the block is left or the process ends, however it ends.

    Commands that read or write the database beside it are not kept out. A database in memory or of PostgreSQL needs
    none of this. Raises StoreError where another bot runs on the file, by whatever path, where it lies on a network
    file system or where the write-ahead log does not work, and where nothing can be written beside it.
    """
    engines = connect(url)
    engines.close()
    if engines.path is None:
        yield
        return
    path = engines.path.resolve()
    _require_local(path)
    with _locked(path):
        _require_log(path)
        yield


def _require_local(path: Path) -> None:
    folder, file = mount_of(path.parent), mount_of(path) if path.exists() else None
    network = next((one.kind for one in (folder, file) if one and one.is_network), None)
    if network is not None:
        raise _refusal(
            f"{path} lies on a network file system ({network}), where SQLite loses data: "
            f"put the database on a local disk, or use {_POSTGRESQL}"
        )
    if file != folder and file is not None:
        # As a container does with one file: what SQLite keeps beside it, and the lock, would be each container's own.
        raise _refusal(f"{path} is mounted without its folder, where SQLite keeps its log: mount the folder instead")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock, a file beside the database. It stays afterwards: whoever waits for it may have opened it already.

    Not the database itself: closing that would end the locks which SQLite has on it in this process.
    """
    lock = path.with_name(f"{path.name}.lock")
    with ExitStack() as stack:
        with _writing(lock):
            # Python's files are closed in a program that is started, so that a git left behind holds nothing.
            file = stack.enter_context(lock.open("a+", encoding="utf-8", errors="replace"))
            _take(file, path)
        yield


def _take(file: IO[str], path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        who = file.read(200) or "its process is not known"
        raise _refusal(
            f"another digest-bot ({who}) runs on {path}: stop it, or have the replicas use {_POSTGRESQL}"
        ) from error
    file.truncate(0)
    os.write(file.fileno(), f"process {os.getpid()} on {socket.gethostname()}".encode())


def _require_log(path: Path) -> None:
    with explained(str(path)), TemporaryDirectory(prefix=f"{path.name}.probe-", dir=path.parent) as folder:
        problem = _problem_of_log(Path(folder) / "probe.db")
    if problem is not None:
        raise _refusal(
            f"SQLite cannot keep its write-ahead log beside {path} ({problem}): "
            f"put the database on a local disk with some room, or use {_POSTGRESQL}"
        )


def _problem_of_log(file: Path) -> str | None:
    """What is wrong with the write-ahead log of a new database; SQLite may say that it is on and fail to write it."""
    with closing(sqlite3.connect(file)) as writer, closing(sqlite3.connect(file)) as reader:
        try:
            mode = writer.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            writer.execute("CREATE TABLE probe AS SELECT 1")
            seen = reader.execute("SELECT * FROM probe").fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_IOERR:
                raise
            return error.sqlite_errorname
    return None if (mode, seen) == ("wal", [(1,)]) else f"journal mode {mode}, {len(seen)} rows of 1 read"


@contextmanager
def _writing(lock: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{lock} cannot be written and locked ({error.strerror}): the user who runs digest-bot needs write access "
            "to the folder of the database, on a disk with room",
            user_can_fix=error.errno not in _DISK_FAULTS,
        ) from error


def _refusal(message: str) -> StoreError:
    return StoreError(message, user_can_fix=True)
