"""The figure that says what PostgreSQL costs against SQLite: a week read from either."""

from __future__ import annotations

from datetime import timedelta

from bot.store.store import Store
from tests.bench.figures import Figure, compared
from tests.bench.inputs import REPOSITORY, Inputs
from tests.database import database

_EVER = timedelta(weeks=2000)
_ROUNDS = 7


def week(inputs: Inputs) -> Figure:
    """All that a digest is made of, read from PostgreSQL against the same from SQLite, of the larger repository."""
    ours, period = inputs.large.store, inputs.period
    with database(made=True) as address, Store.open(address) as theirs:
        everything = ours.pull_requests(REPOSITORY, period.since - _EVER, period.until + _EVER)
        theirs.save_history(REPOSITORY, everything)
        theirs.save_assessments(REPOSITORY, ours.assessments(REPOSITORY, (pr.number for pr in everything)).values())
        ratio, note = compared(
            lambda: theirs.load_week(REPOSITORY, period), lambda: ours.load_week(REPOSITORY, period), _ROUNDS
        )
    return Figure("week from PostgreSQL, against SQLite", ratio, 2, "×", f"{note}, {len(everything)} pull requests")
