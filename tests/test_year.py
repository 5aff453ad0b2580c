"""Some weeks of some zones, event by event: the short form of `make soak`, and that its judge sees what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from bot.store.store import Store
from tests.soak.judge import judge, lived
from tests.soak.room import Post
from tests.soak.world import INSANE, ZONES, Life, Span, changing, in_gaps, mondays, ordinary, rough
from tests.soak.year import Faults, Year

BEGINS = datetime(2026, 3, 5, 0, 0, 23, tzinfo=UTC)
ENDS = BEGINS + timedelta(weeks=6)
"""In which the clocks of most zones that do so are put forward."""

WEEK = "2026-03-09"


def test_many_zones_have_their_mondays() -> None:
    random = Random(1)
    lives = mondays(ZONES[::24], BEGINS) + in_gaps(ZONES[::25], BEGINS, ENDS)
    year, outcome = lived(ordinary(random, BEGINS, ENDS), lives, random)
    assert len(lives) > len(ZONES[::24])
    assert outcome.posted >= 5 * len(lives)
    assert outcome.late > 0
    assert year.faults.hit


def test_whatever_can_be_posted_of_changed_subscriptions_is() -> None:
    random = Random(3)
    lives = changing(ZONES[5::60], BEGINS, ENDS, random, "one") + changing(ZONES[5::120], BEGINS, ENDS, random, "two")
    year, outcome = lived(rough(random, BEGINS, ENDS), lives, random)
    assert len({life[0].says.channel for life in lives}) < len(lives)
    assert outcome.posted > 2 * len(lives)
    assert year.refused > 0
    assert any(span.ahead == INSANE for span in year.world)


Spoil = Callable[[Post], list[Post]]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: [],
        lambda post: [post, replace(post, id=f"{post.id}0")],
        lambda post: [replace(post, text=post.text.replace(WEEK, "2026-03-02"))],
        lambda post: [replace(post, channel="elsewhere")],
        lambda post: [replace(post, thread="0")],
    ],
    ids=["lost", "twice", "of another week", "elsewhere", "a root that is a reply"],
)
def test_the_judge_sees_what_is_wrong(spoil: Spoil) -> None:
    with quiet() as (year, lives):
        root, shown = year.room.posts[0], year.machine[year.room.posts[0].id]
        spoiled = spoil(root)
        year.room.posts[:1] = spoiled
        year.machine |= {post.id: shown for post in spoiled}
        with pytest.raises(AssertionError, match=WEEK):
            judge(year, lives)


@pytest.mark.parametrize("moved", [-10, 61], ids=["early", "not at once"])
def test_the_judge_sees_when_it_came(moved: int) -> None:
    with quiet() as (year, lives):
        year.machine[year.room.posts[0].id] += timedelta(seconds=moved)
        with pytest.raises(AssertionError, match=WEEK):
            judge(year, lives)


@contextmanager
def quiet() -> Iterator[tuple[Year, list[Life]]]:
    """One subscription and one week, in which nothing went wrong."""
    begins = datetime(2026, 3, 14, tzinfo=UTC)
    world, lives = [Span(begins, begins + timedelta(days=5))], mondays(["Asia/Shanghai"], begins)
    with Store.in_memory() as store:
        year = Year(store, world, Faults(Random(0), 0.0), begins)
        year.run(lives)
        assert judge(year, lives).posted == 1
        yield year, lives
