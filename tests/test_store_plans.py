"""No question about a period looks at more than the period: SQLite is asked how it would answer each."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from bot.models import DiffFact
from bot.store.store import Store
from tests.factories import PERIOD, make_assessment, make_pr

ENGINE = "acme/engine"
SINCE, UNTIL = PERIOD.since, PERIOD.until

WORK: dict[str, Callable[[Store], object]] = {
    "load_week": lambda store: store.load_week(ENGINE, PERIOD),
    "pull_requests": lambda store: store.pull_requests(ENGINE, SINCE, UNTIL),
    "pull_request": lambda store: store.pull_request(ENGINE, 1),
    "assessments": lambda store: store.assessments(ENGINE, [1, 2]),
    "assessed": lambda store: store.assessed(ENGINE, SINCE, UNTIL),
    "touching": lambda store: store.touching(ENGINE, SINCE, UNTIL),
    "covered_since": lambda store: store.covered_since(ENGINE, UNTIL),
    "save_history": lambda store: store.save_history(ENGINE, [make_pr(1)]),
    "save_diff_facts": lambda store: store.save_diff_facts(ENGINE, SINCE, UNTIL, [DiffFact(1, "flag", "a", "--b")]),
}
GROWTH = 1000  # how much larger the database is said to be than it is


def statements(store: Store, work: Callable[[Store], object]) -> list[tuple[str, tuple[Any, ...]]]:
    sent: list[tuple[str, tuple[Any, ...]]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: tuple[Any, ...], *_rest: object) -> None:
        if statement.startswith(("SELECT", "DELETE", "UPDATE")):
            sent.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        work(store)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    return sent


@pytest.mark.parametrize("analyzed", [False, True], ids=["fresh", "analyzed"])
@pytest.mark.parametrize("name", WORK)
def test_only_indexes_are_used(tmp_path: Path, name: str, analyzed: bool) -> None:
    path = tmp_path / "bot.db"
    with Store.open(f"sqlite:///{path}") as store:
        store.save_history(ENGINE, [make_pr(number) for number in range(1, 40)])
        store.save_assessments(ENGINE, [make_assessment(number) for number in range(1, 40)])
        store.save_diff_facts(ENGINE, SINCE, UNTIL, [DiffFact(number, "flag", "a", "--b") for number in range(1, 40)])
        sent = statements(store, WORK[name])
    assert len(sent) > 1
    with closing(sqlite3.connect(path)) as connection:
        if analyzed:
            analyze(connection)
        for statement, parameters in sent:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
            assert not [step for step in plan if reads_everything(step)], statement


def reads_everything(step: str) -> bool:
    """Whether a step goes through a table or a repository; coverage and releases are asked for as a whole."""
    if step.startswith("SCAN"):
        return "CONSTANT" not in step
    return step.endswith("(repository_id=?)") and not any(table in step for table in ("coverage", "releases"))


def analyze(connection: sqlite3.Connection) -> None:
    """Statistics of a large database of one repository; they must not talk SQLite into reading it all."""
    connection.execute("ANALYZE")
    for index, stat in connection.execute("SELECT idx, stat FROM sqlite_stat1 WHERE idx IS NOT NULL").fetchall():
        rows, of_repository, *rest = stat.split()
        larger = [str(GROWTH * int(count)) for count in (rows, of_repository)]
        connection.execute("UPDATE sqlite_stat1 SET stat = ? WHERE idx = ?", (" ".join([*larger, *rest]), index))
    connection.commit()
    connection.execute("ANALYZE sqlite_master")
