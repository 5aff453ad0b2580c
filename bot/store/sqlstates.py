"""What PostgreSQL's refusals mean to whoever runs the bot."""

from __future__ import annotations

from typing import NamedTuple


class Meaning(NamedTuple):
    """What to say ({place} and {reason} are to be filled in), and whether the user can mend it."""

    text: str
    user_can_fix: bool


CONTENDED = Meaning(
    "another process keeps {place} locked: wait until it has finished, or stop it, and run the command again", True
)
_READ_ONLY = Meaning("{place} may only be read ({reason}): name the primary server in database.url", True)
_GONE = Meaning("{place} cannot be used ({reason}): check that the server runs and has room", False)
_REFUSED = Meaning("{place} cannot be used ({reason}): correct database.url, or let its user in", True)

# SQLSTATE, or its first two characters; https://www.postgresql.org/docs/current/errcodes-appendix.html
_MEANINGS = {
    "25006": _READ_ONLY,
    "28": _REFUSED,
    "3D000": _REFUSED,
    "3F000": Meaning(
        "{place} has no schema to make tables in ({reason}): CREATE SCHEMA, or correct the user's search_path", True
    ),
    "40": CONTENDED,
    "42501": Meaning(
        "{place} does not let its user do that ({reason}): make that user the owner of the database and its tables",
        True,
    ),
    "53100": Meaning("the disk of {place} is full: free some space and run the command again", False),
    "55P03": CONTENDED,
    "57014": Meaning("{place} took too long ({reason}): nothing was kept, run the command again", False),
}

# A refused connection has no SQLSTATE, only what the server says; where it says it in another language, _GONE is said.
_REFUSALS = (
    "authentication failed",
    "does not exist",
    "no password supplied",
    "no pg_hba.conf entry",
    "not permitted to log in",
    "permission denied",
    "invalid connection option",
    "invalid URI query parameter",
)


def meaning(sqlstate: str | None, reason: str, *, operational: bool) -> Meaning | None:
    """Of an error that a driver raised; None: it is none of the server's.

    `operational`: the driver counts it among the troubles of the server or of the way to it.
    """
    if (
        "during recovery" in reason
    ):  # what a standby says to a transaction that may write; its SQLSTATE is a general one
        return _READ_ONLY
    if sqlstate is not None:
        found = _MEANINGS.get(sqlstate) or _MEANINGS.get(sqlstate[:2])
        return found or (_GONE if operational else None)
    if any(words in reason for words in _REFUSALS):
        return _REFUSED
    return _GONE if operational else None
