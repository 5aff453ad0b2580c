"""What can go wrong with the store, each as one English line that says what to do about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from bot.store.sqlstates import CONTENDED, meaning

_PRIMARY = 0xFF  # SQLite's extended result codes carry the primary one in their lowest byte

# primary result code -> (what to say, whether the user can mend it); https://www.sqlite.org/rescode.html
_SQLITE = {
    sqlite3.SQLITE_FULL: (
        "the disk that holds {place} is full: free some space and run the command again; what was stored is safe",
        False,
    ),
    sqlite3.SQLITE_BUSY: (
        "another process keeps {place} locked: wait until it has finished, or stop it, and run the command again",
        True,
    ),
    sqlite3.SQLITE_READONLY: (
        "{place} cannot be written: give the user who runs digest-bot write access to the file and its folder",
        True,
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "{place} cannot be opened: give the user who runs digest-bot read and write access to the file and its folder",
        True,
    ),
    sqlite3.SQLITE_NOTADB: (
        "{place} is not a SQLite database: correct database.url, or restore a backup over the file",
        True,
    ),
    sqlite3.SQLITE_CORRUPT: ("{place} is damaged: restore a backup, or move the file away and sync again", False),
    sqlite3.SQLITE_IOERR: ("the disk failed to read or write {place}: check the disk and run the command again", False),
}
_SQLITE[sqlite3.SQLITE_LOCKED] = _SQLITE[sqlite3.SQLITE_BUSY]
_SQLITE[sqlite3.SQLITE_PERM] = _SQLITE[sqlite3.SQLITE_CANTOPEN]


class StoreError(Exception):
    """The store cannot do what was asked; the text is one English line with the fix.

    `user_can_fix` is True for a wrong address, a missing folder or a database of another revision, and False for
    a full or failing disk and a server that is gone.
    """

    def __init__(self, message: str, *, user_can_fix: bool) -> None:
        super().__init__(message)
        self.user_can_fix = user_can_fix


class Contended(StoreError):  # noqa: N818 - says what is the case, as KeyError does not
    """Another process was at the same rows: nothing was kept, and the same may succeed at once."""


class UnknownRepository(StoreError):  # noqa: N818 - the same
    """Nothing was ever stored of the repository."""

    def __init__(self, repository: str) -> None:
        super().__init__(
            f"nothing is stored of {repository}: run digest-bot sync --config FILE --repository {repository}",
            user_can_fix=True,
        )
        self.repository = repository


class Unassessed(StoreError):  # noqa: N818 - the same
    """Pull requests of the period are stored, and no rules have judged them yet."""

    def __init__(self, repository: str, numbers: tuple[int, ...]) -> None:
        super().__init__(
            f"{len(numbers)} pull requests of {repository} are stored without an assessment (first: #{numbers[0]}): "
            f"run digest-bot sync --config FILE --repository {repository}",
            user_can_fix=True,
        )
        self.numbers = numbers


@contextmanager
def explained(place: str) -> Iterator[None]:
    """Turn what a driver raises about the database at `place` into a StoreError; our own mistakes pass unchanged."""
    try:
        yield
    except IntegrityError as error:
        raise ValueError(f"what was to be saved contradicts what is stored: {_reason(error.orig)}") from error
    except DataError as error:
        raise ValueError(f"what was to be saved does not fit: {_reason(error.orig)}") from error
    except DBAPIError as error:
        explanation = _explanation(error.orig, place) or _server(error, place)
        if explanation is None:
            raise
        raise explanation from error
    except StatementError as error:  # a value that has no form in the database; the original says why
        raise error.orig or error from None
    except PoolTimeoutError as error:
        raise StoreError(
            f"all connections to {place} are in use: nothing was read or kept, try again", user_can_fix=False
        ) from error
    except sqlite3.Error as error:
        explanation = _explanation(error, place)
        if explanation is None:
            raise
        raise explanation from error


def _explanation(error: BaseException | None, place: str) -> StoreError | None:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None or code & _PRIMARY not in _SQLITE:
        return None
    text, user_can_fix = _SQLITE[code & _PRIMARY]
    return StoreError(text.format(place=place), user_can_fix=user_can_fix)


def _server(error: DBAPIError, place: str) -> StoreError | None:
    if isinstance(error.orig, sqlite3.Error):
        return None
    sqlstate: str | None = getattr(error.orig, "sqlstate", None)
    reason = _reason(error.orig)
    found = meaning(sqlstate, reason, operational=isinstance(error, OperationalError))
    if found is None:
        return None
    kind = Contended if found is CONTENDED else StoreError
    return kind(found.text.format(place=place, reason=reason), user_can_fix=found.user_can_fix)


def _reason(error: BaseException | None) -> str:
    return str(error).partition("\n")[0]
