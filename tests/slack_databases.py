"""What goes wrong with a running bot's database: locked by another, its disk full, its connections ended."""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager

import psycopg

from tests.bot_process import Bot
from tests.slack_faults import Owed

Broken = Callable[[Owed, Bot], AbstractContextManager[None]]


@contextmanager
def locked(team: Owed, _bot: Bot) -> Iterator[None]:
    """Another process writes and does not end its transaction."""
    path = team.installation.database.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def full(_team: Owed, bot: Bot) -> Iterator[None]:
    """No file of the bot's process takes another byte, as on a full disk: the kernel fails each write."""
    usual = resource.prlimit(bot.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        resource.prlimit(bot.pid, resource.RLIMIT_FSIZE, usual)


def cut_off(address: str) -> None:
    """End every connection to the database but this one."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
