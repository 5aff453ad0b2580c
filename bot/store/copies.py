"""Consistent copies of a live SQLite database; copying the file with cp would miss its write-ahead log."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import cast

from bot.store.engines import Engines
from bot.store.errors import StoreError, explained


def copy(engines: Engines, destination: Path) -> None:
    """Write a copy to `destination`, which appears only when it is complete. Raises StoreError."""
    if engines.reads.dialect.name != "sqlite":
        raise StoreError(
            f"{engines.place} is not a file: run pg_dump --format=custom --file={destination} '{engines.place}'",
            user_can_fix=True,
        )
    _require_free(destination)
    unfinished = destination.with_name(f"{destination.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        with explained(str(destination)):
            _copy_pages(engines, unfinished)
        unfinished.rename(destination)
    finally:
        unfinished.unlink(missing_ok=True)


def _require_free(destination: Path) -> None:
    if destination.exists():
        raise StoreError(f"{destination} exists already: name a new file for the backup", user_can_fix=True)
    if not destination.parent.is_dir():
        raise StoreError(
            f"the folder of the backup does not exist: create {destination.parent}, or name another", user_can_fix=True
        )


def _copy_pages(engines: Engines, destination: Path) -> None:
    with engines.lock, engines.reads.connect() as connection, closing(sqlite3.connect(destination)) as target:
        source = cast("sqlite3.Connection", connection.connection.driver_connection)
        source.backup(target)
