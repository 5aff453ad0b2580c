"""The store's promises: what is saved, replaced, kept, and what a question gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.models import (
    ChangedFile,
    DiffFact,
    DirectCommit,
    Period,
    PullRequest,
    Reading,
    Reason,
    Release,
    Risk,
)
from bot.store.errors import Unassessed, UnknownRepository
from bot.store.reading import Touch
from bot.store.store import Store
from tests.factories import PERIOD, WEDNESDAY, make_assessment, make_pr
from tests.stores import KINDS, opened

ENGINE = "acme/engine"
SINCE, UNTIL = PERIOD.since, PERIOD.until
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with opened(request.param, tmp_path) as store:
        yield store


def numbers(pull_requests: tuple[PullRequest, ...]) -> list[int]:
    return [one.number for one in pull_requests]


def test_period_is_half_open_and_in_utc(store: Store) -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    moments = {1: SINCE - SECOND, 2: SINCE, 3: (UNTIL - SECOND).astimezone(tokyo), 4: UNTIL}
    store.save_history(ENGINE, [make_pr(number, merged_at=moment) for number, moment in moments.items()])
    found = store.pull_requests(ENGINE, SINCE, UNTIL)
    assert numbers(found) == [2, 3]
    assert [one.merged_at for one in found] == [moments[2], moments[3]]
    assert all(one.merged_at.tzinfo is UTC for one in found)


def test_ties_go_to_the_lower_number(store: Store) -> None:
    store.save_history(ENGINE, [make_pr(number, merged_at=WEDNESDAY) for number in (7, 3, 5)])
    assert numbers(store.pull_requests(ENGINE, SINCE, UNTIL)) == [3, 5, 7]


def test_other_branches_are_kept_apart(store: Store) -> None:
    store.save_history(ENGINE, [make_pr(1), make_pr(2, base="release/1")])
    assert numbers(store.pull_requests(ENGINE, SINCE, UNTIL)) == [1]
    found = store.pull_request(ENGINE, 2)
    assert found is not None
    assert found.base == "release/1"


def test_repositories_are_kept_apart(store: Store) -> None:
    store.save_history("acme/b", [make_pr(1, "One")])
    store.save_history("acme/a", [make_pr(1, "Other"), make_pr(2)])
    assert store.repositories() == ("acme/a", "acme/b")
    assert [one.title for one in store.pull_requests("acme/b", SINCE, UNTIL)] == ["One"]


def test_saving_again_replaces_and_keeps_conclusions(store: Store) -> None:
    first = make_pr(1, files={"a.py": (1, 1), "b.py": (2, 2)}, labels=("bug",), reviews=())
    store.save_history(ENGINE, [first])
    store.save_assessments(ENGINE, [make_assessment(1)])
    store.save_diff_facts(ENGINE, SINCE, UNTIL, [DiffFact(1, "flag", "a.py", "--fast", new="x")])
    second = replace(first, title="Renamed", files=(ChangedFile("c.py", 5, 0),), labels=(), reviews=None)
    assert store.save_history(ENGINE, [second]) == 1
    assert store.pull_request(ENGINE, 1) == second
    assert store.assessments(ENGINE, [1]) == {1: make_assessment(1)}
    week = store.load_week(ENGINE, PERIOD)
    assert week.diffs_read
    assert len(week.diff_facts) == 1


def test_the_later_of_two_with_one_number_stays(store: Store) -> None:
    store.save_history(ENGINE, [make_pr(1, "Earlier", files={"a": (1, 1)}), make_pr(1, "Later", files={"b": (1, 1)})])
    found = store.pull_request(ENGINE, 1)
    assert found is not None
    assert (found.title, [file.path for file in found.files]) == ("Later", ["b"])


def test_the_source_runs_between_transactions(store: Store) -> None:
    """A source that asks the store while it is consumed sees what was saved so far, and is not locked out."""
    seen: list[int] = []

    def source() -> Iterator[PullRequest]:
        for number in range(1, 7):
            if number > 1:
                seen.append(len(store.pull_requests(ENGINE, SINCE, UNTIL)))
            yield make_pr(number)

    store.save_history(ENGINE, [])
    store.save_releases(ENGINE, [])
    assert store.save_history(ENGINE, source(), chunk=2) == 6
    assert seen == [0, 2, 2, 4, 4]


def test_a_failing_source_keeps_the_chunks_before(store: Store) -> None:
    def source() -> Iterator[PullRequest]:
        yield from (make_pr(number) for number in range(1, 6))
        raise OSError("the source broke")

    with pytest.raises(OSError, match="the source broke"):
        store.save_history(ENGINE, source(), chunk=2)
    assert numbers(store.pull_requests(ENGINE, SINCE, UNTIL)) == [1, 2, 3, 4]


def test_text_that_is_not_unicode_undoes_its_chunk_only(store: Store) -> None:
    with pytest.raises(ValueError, match="surrogates"):
        store.save_history(ENGINE, [make_pr(1), make_pr(2), make_pr(3, "half \ud800")], chunk=2)
    assert numbers(store.pull_requests(ENGINE, SINCE, UNTIL)) == [1, 2]


@pytest.mark.parametrize(("number", "found"), [(1, True), (2, False)], ids=["stored", "never seen"])
def test_one_pull_request(store: Store, number: int, found: bool) -> None:
    store.save_history(ENGINE, [make_pr(1)])
    assert (store.pull_request(ENGINE, number) == make_pr(1)) is found
    assert (store.pull_request(ENGINE, number) is None) is not found


def test_unknown_repository_is_said_with_the_fix(store: Store) -> None:
    for ask in (
        lambda: store.load_week(ENGINE, PERIOD),
        lambda: store.pull_requests(ENGINE, SINCE, UNTIL),
        lambda: store.pull_request(ENGINE, 1),
        lambda: store.assessments(ENGINE, [1]),
        lambda: store.assessed(ENGINE, SINCE, UNTIL),
        lambda: store.touching(ENGINE, SINCE, UNTIL),
        lambda: store.releases(ENGINE),
    ):
        with pytest.raises(UnknownRepository, match=r"digest-bot sync .*--repository acme/engine") as caught:
            ask()
        assert caught.value.user_can_fix
    assert store.covered_since(ENGINE, UNTIL) is None
    assert store.synced_at(ENGINE) is None
    assert store.repositories() == ()


def test_coverage_merges_what_meets_and_keeps_gaps(store: Store) -> None:
    at = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 11)]

    def cover(since: int, until: int) -> None:
        store.mark_covered(ENGINE, at[since], at[until], source="clone", synced_at=at[until])

    cover(0, 2)
    cover(4, 6)
    assert [store.covered_since(ENGINE, moment) for moment in at[:8]] == [
        *(None, at[0], at[0], None),
        *(None, at[4], at[4], None),
    ]
    cover(6, 8)  # meets at a point: half-open, so nothing is missing
    assert store.covered_since(ENGINE, at[8]) == at[4]
    cover(1, 5)
    assert store.covered_since(ENGINE, at[8]) == at[0]
    assert store.covered_since(ENGINE, at[9]) is None
    assert store.synced_at(ENGINE) == at[5]


@pytest.mark.parametrize("until", [SINCE, SINCE - DAY])
def test_a_reversed_period_is_refused(store: Store, until: datetime) -> None:
    with pytest.raises(ValueError, match="begin before it ends"):
        store.mark_covered(ENGINE, SINCE, until, source="clone", synced_at=SINCE)
    with pytest.raises(ValueError, match="begin before it ends"):
        store.save_diff_facts(ENGINE, SINCE, until, [])


def test_a_naive_instant_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="needs a time zone"):
        store.save_history(ENGINE, [make_pr(1, merged_at=WEDNESDAY.replace(tzinfo=None))])
    assert store.repositories() == ()


def test_assessed_pairs_without_files(store: Store) -> None:
    prs = [make_pr(number, labels=("x",)) for number in range(1, 4)]
    reasons = (Reason("size", 1.5, {"files": (1, 2), "paths": ("a", "b"), "share": 0.5}),)
    marks = [make_assessment(number, 6.5, reasons=reasons, risks=(Risk("r", "s"),)) for number in range(1, 4)]
    store.save_history(ENGINE, [*prs, make_pr(4, base="other"), make_pr(5, merged_at=UNTIL)])
    store.save_assessments(ENGINE, marks)
    expected = tuple((replace(pr, files=()), mark) for pr, mark in zip(prs, marks, strict=True))
    assert store.assessed(ENGINE, SINCE, UNTIL) == expected


def test_assessed_refuses_to_leave_some_out(store: Store) -> None:
    store.save_history(ENGINE, [make_pr(1), make_pr(2), make_pr(3)])
    store.save_assessments(ENGINE, [make_assessment(2)])
    with pytest.raises(Unassessed, match="2 pull requests of acme/engine") as caught:
        store.assessed(ENGINE, SINCE, UNTIL)
    assert caught.value.numbers == (1, 3)


def test_assessments_are_replaced_and_found_in_any_quantity(store: Store) -> None:
    everything = range(1, 1203)
    store.save_history(ENGINE, (make_pr(number, files=()) for number in everything))
    store.save_assessments(ENGINE, (make_assessment(number) for number in everything))
    store.save_assessments(ENGINE, [make_assessment(1202, 9.0, tags=("bugfix",))])
    found = store.assessments(ENGINE, (number for number in [*everything, 9999]))
    assert set(found) == set(everything)
    assert found[1202] == make_assessment(1202, 9.0, tags=("bugfix",))


def test_conclusions_need_their_pull_request(store: Store) -> None:
    store.save_history(ENGINE, [make_pr(1)])
    with pytest.raises(ValueError, match="contradicts what is stored"):
        store.save_assessments(ENGINE, [make_assessment(1), make_assessment(2)])
    with pytest.raises(ValueError, match="contradicts what is stored"):
        store.save_diff_facts(ENGINE, SINCE, UNTIL, [DiffFact(2, "flag", "a.py", "--x")])
    assert store.assessments(ENGINE, [1, 2]) == {}
    assert not store.load_week(ENGINE, PERIOD).diffs_read


def test_touching_names_who_changed_how_much(store: Store) -> None:
    later, earlier = WEDNESDAY + SECOND, WEDNESDAY
    store.save_history(
        ENGINE,
        [
            make_pr(1, merged_at=later, files={"hot.py": (1, 2), "cold.py": (5, 0)}),
            make_pr(2, merged_at=earlier, files={"hot.py": (10, 20)}),
            make_pr(3, merged_at=later, base="other", files={"hot.py": (1, 1)}),
            make_pr(4, merged_at=UNTIL, files={"hot.py": (1, 1)}),
        ],
    )
    assert store.touching(ENGINE, SINCE, UNTIL) == {
        "hot.py": (Touch(2, 30), Touch(1, 3)),
        "cold.py": (Touch(1, 5),),
    }


def test_diff_facts_replace_those_of_their_period(store: Store) -> None:
    before, inside = make_pr(1, merged_at=SINCE - DAY), make_pr(2)
    store.save_history(ENGINE, [before, inside])
    old = DiffFact(1, "flag", "a.py", "--old", old="x")
    store.save_diff_facts(ENGINE, SINCE - DAY, SINCE, [old])
    assert not store.load_week(ENGINE, PERIOD).diffs_read
    facts = (DiffFact(2, "undone", "a.py", "f", old="x = 1", lines=3, other=1), DiffFact(2, "vanished", "b.py", "g"))
    store.save_diff_facts(ENGINE, SINCE, UNTIL, [DiffFact(2, "version", "c.toml", "lib", "1", "2")])
    store.save_diff_facts(ENGINE, SINCE, UNTIL, iter(facts))
    week = store.load_week(ENGINE, PERIOD)
    assert (week.diff_facts, week.diffs_read) == (facts, True)
    assert store.load_week(ENGINE, PERIOD.before()).diff_facts == (old,)


def test_a_pull_request_stored_after_the_diffs_counts_as_unread(store: Store) -> None:
    store.save_history(ENGINE, [make_pr(1)])
    store.save_diff_facts(ENGINE, SINCE, UNTIL, [])
    assert store.load_week(ENGINE, PERIOD).diffs_read
    store.save_history(ENGINE, [make_pr(1), make_pr(2)])
    assert not store.load_week(ENGINE, PERIOD).diffs_read


def test_releases_are_replaced(store: Store) -> None:
    first, second = (Release(name, WEDNESDAY, None, frozenset({3, 1})) for name in ("v2", "v1"))
    store.save_releases(ENGINE, [first])
    store.save_releases(ENGINE, iter([second, first]))
    assert store.releases(ENGINE) == (second, first)


def test_a_week_holds_all_that_a_digest_needs(store: Store) -> None:
    weeks = {number: SINCE - timedelta(weeks=number - 1) for number in range(1, 17)}  # 1 is the period itself
    history = [make_pr(number, merged_at=moment) for number, moment in weeks.items()]
    elsewhere, commit = make_pr(50, base="release/1"), DirectCommit("c1", "Fix a typo", "dev", WEDNESDAY)
    release = Release("v1", SINCE, SINCE)
    store.save_history(
        ENGINE,
        [
            *history,
            elsewhere,
            commit,
            make_pr(51, base="release/1", merged_at=SINCE - DAY),
            DirectCommit("c2", "Earlier", "dev", SINCE - SECOND),
        ],
    )
    store.save_assessments(ENGINE, [make_assessment(number) for number in (1, 2, 3, 50)])
    store.save_releases(ENGINE, [release])
    store.mark_covered(ENGINE, SINCE - timedelta(weeks=20), UNTIL, source="github", synced_at=UNTIL)
    reading = Reading(role="own", watch=("engine",))
    week = store.load_week(ENGINE, PERIOD, reading)
    assert (week.repository, week.period, week.reading, week.source) == (ENGINE, PERIOD, reading, "github")
    assert week.pull_requests == (make_pr(1, merged_at=SINCE),)
    assert numbers(week.history) == list(range(14, 1, -1))
    assert week.history[0].files == make_pr(14).files
    assert set(week.assessments) == {1, 2}
    assert week.other_branches == (elsewhere,)
    assert week.direct_commits == (commit,)
    assert week.releases == (release,)
    assert week.covered_since == SINCE - timedelta(weeks=13)
    assert [len(week.span(back) or ()) for back in range(14)] == [1] * 14
    assert week.span(14) is None


def test_a_long_period_brings_the_equal_span_before(store: Store) -> None:
    period = Period(SINCE, SINCE + timedelta(days=120), PERIOD.timezone)
    store.save_history(ENGINE, [make_pr(1, merged_at=period.before().since), make_pr(2)])
    store.mark_covered(ENGINE, SINCE - timedelta(days=400), period.until, source="clone", synced_at=UNTIL)
    assert numbers(store.load_week(ENGINE, period).span(1) or ()) == [1]


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (SINCE - DAY, UNTIL, SINCE - DAY),
        (SINCE - DAY, UNTIL - DAY, SINCE - DAY),  # the week is still running
        (SINCE, UNTIL, SINCE),
        (SINCE - 3 * DAY, SINCE - DAY, None),
        (SINCE - timedelta(weeks=30), UNTIL, SINCE - timedelta(weeks=13)),
    ],
    ids=["covered", "running", "only the period", "gap before", "more than is read"],
)
def test_covered_since_never_claims_more_than_was_read(
    store: Store, since: datetime, until: datetime, expected: datetime | None
) -> None:
    store.mark_covered(ENGINE, since, until, source="clone", synced_at=UNTIL)
    assert store.load_week(ENGINE, PERIOD).covered_since == expected


def test_an_empty_week_is_an_answer(store: Store) -> None:
    store.mark_covered(ENGINE, SINCE, UNTIL, source="clone", synced_at=UNTIL)
    week = store.load_week(ENGINE, PERIOD)
    assert (week.pull_requests, week.history, week.assessments) == ((), (), {})


def test_a_store_outlives_its_process(address: str) -> None:
    with Store.open(address) as store:
        store.save_history(ENGINE, [make_pr(1)])
        store.mark_covered(ENGINE, SINCE, UNTIL, source="sample", synced_at=UNTIL)
    with Store.open(address) as store:
        assert store.load_week(ENGINE, PERIOD).pull_requests == (make_pr(1),)
        assert store.load_week(ENGINE, PERIOD).source == "sample"
