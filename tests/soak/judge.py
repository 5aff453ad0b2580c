"""Whether what stands in the channels and in the ledger is what had to come of a simulated year."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from bot.store.deliveries import Delivery, State
from bot.store.store import Store
from tests.soak.oracle import Expectation, Expected, expected
from tests.soak.room import Post
from tests.soak.world import Life, Span
from tests.soak.year import RESTART, Faults, Year, name_of, named

PROMPT = timedelta(seconds=60)
"""How much later than possible a digest may be that nothing went wrong with."""

_AFTER_A_FAULT = timedelta(hours=1)
_LATE = timedelta(hours=1)
_UNFINISHED: frozenset[State] = frozenset({"planned", "sending", "expired", "sent"})


@dataclass
class Outcome:
    """How many digests were posted on time, late and given up."""

    posted: int = 0
    late: int = 0
    given_up: int = 0


def lived(world: Sequence[Span], lives: Sequence[Life], random: Random, share: float = 0.02) -> tuple[Year, Outcome]:
    """A year, judged, in which this share of the posts goes wrong."""
    with Store.in_memory() as store:
        year = Year(store, world, Faults(random, share), world[0].begins)
        year.run(lives)
        return year, judge(year, lives)


def judge(year: Year, lives: Iterable[Life]) -> Outcome:
    """Compare with what the oracle says. Raises AssertionError."""
    outcome = Outcome()
    posts: dict[str, list[Post]] = {}
    for one in (post for of_channel in year.room.visible().values() for post in of_channel):
        posts.setdefault(name_of(one.text), []).append(one)
    for life in lives:
        _judge_life(year, life, expected(year.world, life), posts, outcome)
    assert not posts, f"nobody was to get {sorted(posts)[:3]}"
    return outcome


def _judge_life(year: Year, life: Life, must: Expectation, posts: dict[str, list[Post]], outcome: Outcome) -> None:
    says = life[0].says
    states = _states(year.store, says.id)
    for week, due in must.posted.items():
        name = named(says.id, f"{week}")
        found = posts.pop(name, [])
        if _hindered(due, name in year.faults.hit) and not _complete(found):
            assert states.pop(week) in _UNFINISHED, _told(year, life, name)
            continue
        assert states.pop(week, None) == "sent", _told(year, life, name, found, due)
        _judge_posts(year, name, due, found, life)
        outcome.posted += 1
        outcome.late += due.begins - due.due_at > _LATE
    for week in must.given_up:
        assert states.pop(week, None) == "expired", _told(year, life, f"{week}", (), must.given_up[week])
        outcome.given_up += 1
    assert not states, _told(year, life, f"{states}")


def _judge_posts(year: Year, name: str, due: Expected, posts: Sequence[Post], life: Life) -> None:
    """A root and a reply, each once, neither early nor later than it had to be."""
    assert len(posts) == 2, _told(year, life, name, posts)
    root, reply = posts
    assert root.channel == reply.channel == life[0].says.channel, _told(year, life, name, posts)
    assert (root.thread, reply.thread) == (None, root.id), _told(year, life, name, posts)
    assert reply.text == f"{name} more", _told(year, life, name, posts)
    at = year.machine[root.id]
    assert due.due_at <= at, _told(year, life, name, posts, "early")
    struck = name in year.faults.hit
    if _hindered(due, struck):
        return
    killed = sum(due.begins <= death <= at for death in year.deaths)
    assert at - due.begins <= (_AFTER_A_FAULT if struck else PROMPT) + killed * RESTART, _told(
        year, life, name, posts, due
    )
    if not struck:
        assert ("迟到" in root.text) == (at - due.due_at > _LATE), _told(year, life, name, posts, due)


def _hindered(due: Expected, struck: bool) -> bool:
    """Whether something went wrong with it shortly before the bot went down or its time was over."""
    return struck and due.ends - due.begins < _AFTER_A_FAULT


def _complete(posts: Sequence[Post]) -> bool:
    return len(posts) == 2


def _states(store: Store, subscription: str) -> dict[date, State]:
    """By the week; fails when one has two entries."""
    kept = store.ledger().of_subscription(subscription, 1_000)
    weeks: dict[date, list[Delivery]] = {}
    for one in kept:
        weeks.setdefault(one.period.since.date(), []).append(one)
    return {week: _standing(entries).state for week, entries in weeks.items()}


def _standing(entries: Sequence[Delivery]) -> Delivery:
    """The one of a week; what a clock ahead gave up stays beside it where the zone was changed in the meantime."""
    first, *others = sorted(entries, key=lambda one: one.planned_at)
    for other in others:
        assert other.state == "expired", entries
        assert other.period.timezone != first.period.timezone, entries
    return first


def _told(year: Year, life: Life, name: str, posts: Sequence[Post] = (), *more: object) -> str:
    """What somebody needs who looks into a failure."""
    says = (f"{one.begins} {one.says.day} {one.says.time} {one.says.timezone}" for one in life)
    seen = (f"{post.at} (clock {year.machine[post.id]}): {post.text!r} under {post.thread}" for post in posts)
    return "\n".join((name, *says, *seen, *map(str, more)))
