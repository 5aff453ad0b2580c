"""SQLite and PostgreSQL give the same answers, whatever was stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models import Assessment, ChangedFile, Comment, DiffFact, DirectCommit, PullRequest, Release
from bot.store.errors import StoreError
from bot.store.store import Store
from tests.factories import PERIOD, make_assessment, make_pr
from tests.stores import FILE, POSTGRESQL, opened
from tests.test_store_roundtrip import ASSESSMENTS, FILES, PULL_REQUESTS, WORDS, several

ENGINE = "acme/engine"
SINCE, UNTIL = PERIOD.since, PERIOD.until
DAYS = st.sampled_from([-90, -7, -1, 0, 1, 2, 7]).map(lambda days: SINCE + timedelta(days=days))
"""Few enough that many things happen at once."""

NUMBERS = st.integers(1, 8)
NAMES = st.sampled_from(["a", "B", "b", "A", "é", "一", "-c", "_", "a b", "a-b", ""])
"""What a language sorts otherwise than code points do."""


@dataclass(frozen=True)
class History:
    """What is stored of one repository, in this order."""

    items: tuple[PullRequest | DirectCommit, ...]
    later: tuple[PullRequest, ...]
    assessments: tuple[Assessment, ...]
    facts: tuple[DiffFact, ...]
    releases: tuple[Release, ...]
    covered: tuple[tuple[datetime, timedelta], ...]


def pull_requests() -> st.SearchStrategy[PullRequest]:
    files = st.lists(FILES.map(lambda file: replace(file, path=file.path[:2])), max_size=3).map(tuple)
    changes = st.tuples(NUMBERS, DAYS, st.sampled_from([None, None, "release"]), files)
    return st.builds(
        lambda one, change: replace(one, number=change[0], merged_at=change[1], base=change[2], files=change[3]),
        PULL_REQUESTS,
        changes,
    )


HISTORIES = st.builds(
    History,
    st.lists(pull_requests() | st.builds(DirectCommit, NAMES, WORDS, WORDS, DAYS), max_size=12).map(tuple),
    st.lists(pull_requests(), max_size=3).map(tuple),
    st.lists(st.builds(lambda one, number: replace(one, number=number), ASSESSMENTS, NUMBERS), max_size=4).map(tuple),
    st.lists(st.builds(DiffFact, NUMBERS, st.just("flag"), NAMES, NAMES, WORDS, WORDS), max_size=4).map(tuple),
    several(st.builds(Release, NAMES, DAYS, st.none() | DAYS, st.frozensets(NUMBERS), st.booleans())),
    st.lists(st.tuples(DAYS, st.integers(1, 20).map(timedelta)), max_size=3).map(tuple),
)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Store]]:
    folder = tmp_path_factory.mktemp("pair")
    with opened(FILE, folder) as one, opened(POSTGRESQL, folder) as other:
        yield one, other


def outcome(work: Callable[[], object]) -> object:
    try:
        return work()
    except StoreError as error:
        return str(error)


def told(store: Store, repository: str, history: History) -> list[object]:
    """Everything the store answers when all of it is stored."""
    known = {one.number for one in (*history.items, *history.later) if isinstance(one, PullRequest)}
    assessments = [one for one in history.assessments if one.number in known]
    facts = [one for one in history.facts if one.number in known]
    store.save_history(repository, [*history.items, *history.later], chunk=3)
    store.save_assessments(repository, assessments)
    store.save_diff_facts(repository, SINCE, UNTIL, facts)
    store.save_history(repository, history.later)
    store.save_releases(repository, history.releases)
    for since, span in history.covered:
        store.mark_covered(repository, since, since + span, source="clone", synced_at=since)
    asked: tuple[Callable[[], object], ...] = (
        lambda: store.load_week(repository, PERIOD),
        lambda: store.load_week(repository, PERIOD.before()),
        lambda: store.assessed(repository, SINCE, UNTIL),
        lambda: list(store.touching(repository, SINCE, UNTIL).items()),
        lambda: [store.pull_request(repository, number) for number in range(1, 9)],
        lambda: store.assessments(repository, range(1, 9)),
        lambda: [store.covered_since(repository, moment) for moment in (SINCE, UNTIL)],
        lambda: (store.releases(repository), store.synced_at(repository)),
    )
    return [outcome(ask) for ask in asked]


@given(HISTORIES)
@settings(max_examples=40)
def test_a_random_history_gives_equal_weeks(pair: tuple[Store, Store], history: History) -> None:
    one, other = pair
    repository = f"acme/{len(one.repositories())}"
    assert repr(told(one, repository, history)) == repr(told(other, repository, history))
    assert one.repositories() == other.repositories()


# Text


def test_commits_of_one_instant_are_sorted_by_code_point(store: Store) -> None:
    names = ("b", "A", "a", "-c", "B", "一", "é", "_")
    store.save_history(ENGINE, [DirectCommit(name, "s", "a", SINCE) for name in names])
    assert [one.commit for one in store.load_week(ENGINE, PERIOD).direct_commits] == sorted(names)


def test_a_nul_becomes_the_replacement_character(store: Store) -> None:
    """A hostile title must not end a sync, and not look different on two engines."""
    hostile = "a\0b"
    pr = make_pr(1, hostile, author=hostile, body=hostile, base=hostile, files=(ChangedFile(hostile, 1, 1),))
    commit = DirectCommit("c\0", hostile, hostile, SINCE)
    store.save_history(ENGINE, [pr, commit])
    store.save_diff_facts(ENGINE, SINCE, UNTIL, [DiffFact(1, "flag", hostile, hostile, old=hostile)])
    store.save_releases(ENGINE, [Release(hostile, SINCE, None)])
    kept = "a\ufffdb"
    files = (ChangedFile(kept, 1, 1),)
    assert store.pull_request(ENGINE, 1) == replace(pr, title=kept, author=kept, body=kept, base=kept, files=files)
    assert store.load_week(ENGINE, PERIOD).direct_commits[0].commit == "c\ufffd"
    assert store.releases(ENGINE)[0].name == kept
    said = store.conversations()
    said.add(hostile, None, hostile, is_bot=False, html=hostile, text=hostile, at=SINCE, key=hostile)
    assert said.keyed(hostile) == said.entries(hostile)[0]
    assert not store.subscriptions().remove(hostile, hostile, SINCE)


def test_lists_keep_even_a_nul(store: Store) -> None:
    comment = Comment("a\0b", SINCE, "a\0b", "")
    pr = make_pr(1, labels=("a\0b",), comments=(comment,))
    store.save_history(ENGINE, [pr])
    store.save_assessments(ENGINE, [make_assessment(1, tags=("a\0b", "\\u0000"))])
    assert store.pull_request(ENGINE, 1) == pr
    assert store.assessments(ENGINE, [1])[1].tags == ("a\0b", "\\u0000")


@pytest.mark.parametrize(
    "change", [{"title": "\ud800"}, {"labels": ("\udfff",)}, {"files": (ChangedFile("\udc80", 1, 1),)}]
)
def test_half_a_surrogate_pair_is_refused(store: Store, change: dict[str, Any]) -> None:
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        store.save_history(ENGINE, [make_pr(1), make_pr(2, **change)])
    store.save_history(ENGINE, [make_pr(1, "一 👩‍💻 \U0010ffff")])
    assert [one.number for one in store.pull_requests(ENGINE, SINCE, UNTIL)] == [1]
