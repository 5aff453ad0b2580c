"""A year of every IANA zone with outages, clock steps, changes and faults: every digest once, on time, none early."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from tests.soak.judge import Outcome, lived
from tests.soak.world import INSANE, ZONES, Life, changing, in_gaps, mondays, ordinary, rough
from tests.soak.year import Year

BEGINS = datetime(2026, 1, 1, 0, 0, 23, tzinfo=UTC)
ENDS = datetime(2027, 1, 3, tzinfo=UTC)
SHARDS = 12


def shard(number: int) -> tuple[str, ...]:
    """Every zone is in one, beside those that have its hour."""
    by_offset = sorted(ZONES, key=lambda zone: (BEGINS.astimezone(ZoneInfo(zone)).utcoffset() or timedelta(0), zone))
    size = -(-len(by_offset) // SHARDS)
    return tuple(by_offset[number * size : (number + 1) * size])


def tell(lives: Sequence[Life], year: Year, outcome: Outcome) -> None:
    """What was simulated, as `make soak` shows it."""
    up = f"{len(year.world)} spans, {len(year.deaths)} times killed, {len(year.faults.hit)} digests with a fault"
    print(f"{len(lives)} subscriptions, {up}: {outcome}")  # noqa: T201


@pytest.mark.parametrize("number", range(SHARDS))
def test_no_monday_is_lost(number: int) -> None:
    random = Random(number)
    zones = shard(number)
    lives = mondays(zones, BEGINS)
    others = changing(zones[::8], BEGINS, ENDS, random, "other") + in_gaps(zones[::3], BEGINS, ENDS)
    year, outcome = lived(ordinary(random, BEGINS, ENDS), lives + others, random)
    tell(lives + others, year, outcome)
    assert outcome.posted >= 52 * len(lives) + 50 * len(others)
    assert year.refused == 0
    assert len(year.faults.hit) > outcome.posted / 40


@pytest.mark.parametrize("number", range(SHARDS))
def test_whatever_can_be_posted_is(number: int) -> None:
    random = Random(100 + number)
    zones = shard(number)[number % 3 :: 3]
    lives = changing(zones, BEGINS, ENDS, random, "one") + changing(zones[::2], BEGINS, ENDS, random, "two")
    year, outcome = lived(rough(random, BEGINS, ENDS), lives, random)
    tell(lives, year, outcome)
    assert (year.refused > 0) == any(span.ahead == INSANE for span in year.world)
    assert 20 * len(lives) < outcome.posted < 52 * len(lives)
    assert outcome.late > 0
    assert outcome.given_up > 0
