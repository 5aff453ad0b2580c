"""Whatever is saved comes back equal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models import (
    Assessment,
    ChangedFile,
    Comment,
    DiffFact,
    DirectCommit,
    PullRequest,
    Reason,
    Release,
    Review,
    ReviewThread,
    Risk,
)
from bot.store.store import Store
from tests.factories import PERIOD, WEDNESDAY, make_pr
from tests.stores import MEMORY, POSTGRESQL, opened

EVER = (datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC))
WORDS = st.text(max_size=20).map(lambda text: text.replace("\0", "\ufffd"))
COUNTS = st.integers(0, 2**31 - 1)
NUMBERS = st.integers(1, 2**31 - 1)
INSTANTS = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds are naive


def several(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(strategy, max_size=3).map(tuple)


FILES = st.builds(
    ChangedFile,
    WORDS,
    COUNTS,
    COUNTS,
    st.sampled_from(["added", "modified", "removed", "renamed", "copied"]),
    st.none() | WORDS,
    st.booleans(),
)
REVIEWS = st.builds(Review, WORDS, WORDS, INSTANTS, WORDS)
COMMENTS = st.builds(Comment, WORDS, INSTANTS, WORDS, WORDS)
THREADS = st.builds(ReviewThread, WORDS, st.booleans(), several(COMMENTS))
PULL_REQUESTS = st.builds(
    PullRequest,
    number=NUMBERS,
    title=WORDS,
    author=WORDS,
    merged_at=INSTANTS,
    body=WORDS,
    author_kind=st.sampled_from(["human", "bot", "ghost"]),
    created_at=st.none() | INSTANTS,
    base=st.none() | WORDS,
    commit=WORDS,
    files=several(FILES),
    counted=st.booleans(),
    truncated=st.booleans(),
    labels=several(WORDS),
    reviews=st.none() | several(REVIEWS),
    threads=st.none() | several(THREADS),
    comments=st.none() | several(COMMENTS),
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.dictionaries(WORDS, WORDS | st.integers() | FLOATS | several(st.integers()) | several(WORDS), max_size=4)
ASSESSMENTS = st.builds(
    Assessment,
    st.just(1),
    st.floats(0, 10),
    several(st.builds(Reason, WORDS, FLOATS, VALUES)),
    several(WORDS),
    several(st.builds(Risk, WORDS, WORDS, VALUES)),
)


@pytest.fixture(scope="module", params=[MEMORY, POSTGRESQL])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for all examples: later ones replace what earlier ones left."""
    with opened(request.param, tmp_path_factory.mktemp("store")) as store:
        store.save_history("acme/engine", [make_pr(1)])
        yield store


@given(PULL_REQUESTS)
@settings(max_examples=150, deadline=None)
def test_pull_request(store: Store, pull_request: PullRequest) -> None:
    store.save_history("acme/other", [pull_request])
    found = store.pull_request("acme/other", pull_request.number)
    assert found == pull_request
    assert found.merged_at.tzinfo is UTC


@given(st.lists(PULL_REQUESTS, max_size=5, unique_by=lambda one: one.number), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_pull_requests_come_oldest_first_whatever_their_order_and_chunk(
    store: Store, pull_requests: list[PullRequest], chunk: int
) -> None:
    name = f"acme/{len(store.repositories())}"
    assert store.save_history(name, iter(pull_requests), chunk=chunk) == len(pull_requests)
    store.save_releases(name, [])
    merged = sorted((one for one in pull_requests if one.base is None), key=lambda one: (one.merged_at, one.number))
    assert store.pull_requests(name, *EVER) == tuple(merged)


@given(ASSESSMENTS)
@settings(max_examples=150, deadline=None)
def test_assessment(store: Store, assessment: Assessment) -> None:
    store.save_assessments("acme/engine", [assessment])
    assert repr(store.assessments("acme/engine", [1])[1]) == repr(assessment)


@given(
    several(
        st.builds(
            DiffFact,
            st.just(1),
            st.sampled_from(["default", "flag", "environment", "version", "vanished", "undone"]),
            *(WORDS, WORDS, WORDS, WORDS),
            COUNTS,
            COUNTS,
        )
    )
)
@settings(max_examples=40, deadline=None)
def test_diff_facts(store: Store, facts: tuple[DiffFact, ...]) -> None:
    store.save_diff_facts("acme/engine", PERIOD.since, PERIOD.until, facts)
    assert store.load_week("acme/engine", PERIOD).diff_facts == facts


@given(several(st.builds(Release, WORDS, INSTANTS, st.none() | INSTANTS, st.frozensets(NUMBERS), st.booleans())))
@settings(max_examples=40, deadline=None)
def test_releases_keep_their_order(store: Store, releases: tuple[Release, ...]) -> None:
    store.save_releases("acme/engine", releases)
    assert store.releases("acme/engine") == releases


@given(WORDS, WORDS, WORDS)
@settings(max_examples=40, deadline=None)
def test_direct_commit(store: Store, commit: str, subject: str, author: str) -> None:
    saved = DirectCommit(commit, subject, author, WEDNESDAY)
    store.save_history("acme/engine", [saved])
    assert saved in store.load_week("acme/engine", PERIOD).direct_commits
