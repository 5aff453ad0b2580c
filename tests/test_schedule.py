"""When digests are due: over zones, outages, changed clocks and changed subscriptions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.schedule import (
    TOO_LATE,
    ClockAheadError,
    due,
    first,
    is_late,
    is_too_late,
    next_at,
    require_plausible,
)
from tests.timetable import (
    DAY,
    HOUR,
    MINUTE,
    MONDAY,
    SECOND,
    WEEK,
    DaysOff,
    Simulated,
    Weekly,
    comes,
    entries,
    local,
)

ZONES = sorted(zone for zone in available_timezones() if zone not in ("Factory", "localtime"))


def test_the_week_before_is_due_from_the_hour_on() -> None:
    assert due(local("2026-01-12T08:59:59"), Weekly(added_at=local("2026-01-06")), []) == ()
    (found,) = due(local("2026-01-12T09:00"), Weekly(added_at=local("2026-01-06")), [])
    assert (found.period.since, found.period.until) == (local("2026-01-05"), local("2026-01-12"))
    assert found.due_at == local("2026-01-12T09:00")
    assert due(local("2026-01-12T09:00"), Weekly(), entries([found])) == ()


def test_any_day_reports_the_whole_week_before_its_own() -> None:
    for day in range(7):
        (found,) = due(local("2026-01-18T10:00"), Weekly(day=day, added_at=local("2026-01-12")), [])
        assert found.period.until == local("2026-01-12")
        assert found.due_at.astimezone(ZoneInfo("Asia/Shanghai")).weekday() == day


def test_nothing_is_owed_from_before_the_subscription() -> None:
    assert due(local("2026-01-12T12:00"), Weekly(added_at=local("2026-01-12T09:00:01")), []) == ()
    assert len(due(local("2026-01-12T12:00"), Weekly(added_at=local("2026-01-12T09:00")), [])) == 1


def test_a_clock_that_ran_ahead_when_the_subscription_was_added_does_not_silence_it() -> None:
    weekly = Weekly(added_at=local("2027-03-01"))
    assert due(local("2026-01-12T10:30"), weekly, []) == ()
    assert len(due(local("2026-01-12T09:00:20"), weekly, [])) == 1


def test_after_weeks_of_downtime_only_the_latest_is_posted_and_the_others_are_expired() -> None:
    weekly = Weekly()
    posted = due(local("2026-01-12T09:00"), weekly, [])
    found = due(local("2026-02-11T12:00"), weekly, entries(posted))
    assert [(one.period.until.date().isoformat(), one.expired) for one in found] == [
        ("2026-02-09", False),
        ("2026-02-02", True),
        ("2026-01-26", True),
        ("2026-01-19", True),
    ]
    assert is_late(found[0].due_at, local("2026-02-11T12:00"))


def test_what_the_next_one_is_nearer_to_is_given_up() -> None:
    weekly = Weekly(added_at=local("2026-01-12"))
    last_moment = local("2026-01-12T09:00") + TOO_LATE
    assert not due(last_moment, weekly, [])[0].expired
    assert due(last_moment + SECOND, weekly, [])[0].expired
    assert not is_late(local("2026-01-12T09:00"), local("2026-01-12T10:00"))


def test_what_a_person_released_is_not_too_late_at_once() -> None:
    due_at = local("2026-01-12T09:00")
    assert is_too_late(due_at, due_at, due_at + TOO_LATE + SECOND)
    assert not is_too_late(due_at, due_at + 3 * WEEK, due_at + 3 * WEEK + DAY)
    assert is_too_late(due_at, due_at + 3 * WEEK, due_at + 4 * WEEK)


def test_the_first_is_due_at_once_and_settles_the_week() -> None:
    joined = local("2026-01-14T15:00")
    weekly = Weekly(day=4, added_at=joined)
    found = first(joined, weekly, [])
    assert found is not None
    assert (found.period.until, found.due_at, found.expired) == (local("2026-01-12"), joined, False)
    assert first(joined, weekly, entries([found])) is None
    assert due(local("2026-01-16T09:00"), weekly, entries([found])) == ()
    assert due(local("2026-01-23T09:00"), weekly, entries([found]))[0].period.until == local("2026-01-19")


def test_an_unknown_zone_raises() -> None:
    with pytest.raises(ZoneInfoNotFoundError):
        due(local("2026-01-12T09:00"), Weekly(timezone="Atlantis/Centre"), [])


def test_a_clock_far_ahead_is_not_believed() -> None:
    last = local("2026-01-12T09:00")
    require_plausible(last + 366 * DAY, last)
    require_plausible(last - 900 * DAY, last)
    require_plausible(last, None)
    with pytest.raises(ClockAheadError, match="set the clock"):
        require_plausible(last + 367 * DAY, last)


@pytest.mark.parametrize(
    ("day", "at", "zone", "expected"),
    [
        (6, time(2, 30), "America/New_York", "2026-03-08T07:00:00"),  # 02:00 to 03:00 is skipped
        (6, time(1, 30), "America/New_York", "2026-11-01T05:30:00"),  # 01:30 comes twice
        (6, time(0), "America/Santiago", "2026-09-06T04:00:00"),  # midnight is skipped
        (4, time(0), "Africa/Cairo", "2026-04-23T22:00:00"),  # the same
        (6, time(2, 10), "Australia/Lord_Howe", "2026-10-03T15:30:00"),  # a change of half an hour
        (4, time(9), "Pacific/Apia", "2011-12-30T10:00:00"),  # the whole Friday is skipped
    ],
)
def test_skipped_and_repeated_hours(day: int, at: time, zone: str, expected: str) -> None:
    instant = datetime.fromisoformat(expected).replace(tzinfo=UTC)
    weekly = Weekly(day=day, time=at, timezone=zone, added_at=instant - DAY)
    assert due(instant - SECOND, weekly, []) == ()
    (found,) = due(instant, weekly, [])
    assert found.due_at == instant
    assert due(instant + HOUR, weekly, entries([found])) == ()
    assert next_at(instant - DAY, weekly) == instant
    assert instant + 6 * DAY < next_at(instant, weekly) < instant + 8 * DAY


def test_every_zone_has_its_monday_every_week_of_a_year() -> None:
    for zone in ZONES:
        weekly = Weekly(timezone=zone, added_at=datetime(2026, 1, 3, tzinfo=UTC))
        ledger = Simulated(weekly)
        for week in range(52):
            at = datetime.combine(MONDAY + week * WEEK, time(9), ZoneInfo(zone))
            ledger.tick(at - SECOND)
            assert len(ledger.posted) == week, zone
            ledger.tick(at + 30 * SECOND)
            assert ledger.posted[-1][1].due_at == at, zone
            del ledger.entries[3:]
        assert len(ledger.posted) == 52, zone


def _calendar(spans: list[tuple[int, int]], worked: list[int]) -> DaysOff:
    year = date(2026, 1, 1)
    off = {year + (begin + number) * DAY for begin, length in spans for number in range(length)}
    return DaysOff(frozenset(off), frozenset(year + number * DAY for number in worked) - off)


calendars = st.builds(
    _calendar,
    st.lists(st.tuples(st.integers(0, 390), st.integers(1, 12)), max_size=12),  # first day and length
    st.lists(st.integers(0, 390), max_size=20),
)
weeklies = st.builds(
    Weekly,
    day=st.integers(0, 6),
    time=st.times(max_value=time(23, 59)).map(lambda at: at.replace(second=0, microsecond=0)),
    timezone=st.sampled_from(ZONES),
    added_at=st.just(datetime(2026, 1, 1, tzinfo=UTC)),
    on_holiday=st.sampled_from(["post", "skip", "shift"]),
    calendar=st.none() | calendars,
)
outages = st.lists(
    st.tuples(st.integers(0, 364 * 24), st.integers(1, 24 * 40)), max_size=8
)  # begin and length in hours


def instants(weekly: Weekly, extra: Iterable[datetime]) -> tuple[list[datetime | None], list[datetime]]:
    """The due instants of a year and a little more, and those worth looking at: around each, and some others."""
    dues = [comes(weekly, MONDAY + week * WEEK) for week in range(58)]
    steps = (-MINUTE, -SECOND, timedelta(0), 20 * SECOND, HOUR, 2 * HOUR, 3 * DAY)
    around = {at + step for at in dues[:52] if at is not None for step in steps}
    return dues, sorted(around | set(extra))


@settings(max_examples=40)
@given(weeklies, outages)
def test_whatever_the_outages_each_week_is_posted_once_if_it_can_be(
    weekly: Weekly, down: list[tuple[int, int]]
) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    spans = [(start + begin * HOUR, start + (begin + length) * HOUR) for begin, length in down]
    found, looked = instants(weekly, (end for _, end in spans if end < start + 360 * DAY))
    dues = [at for at in found if at is not None]
    weekly = replace(weekly, added_at=dues[0] - HOUR)
    up = [at for at in looked if not any(begin <= at < end for begin, end in spans)]
    ledger = Simulated(weekly)
    for at in up:
        ledger.tick(at)
    expected = []
    for due_at in dues:
        then = next((at for at in dues if at > due_at), due_at + WEEK)
        seen = next((at for at in up if due_at <= at < then and at - due_at <= TOO_LATE), None)
        expected += [] if seen is None else [(seen, due_at)]
    assert [(at, one.due_at) for at, one in ledger.posted] == expected
    unposted = [one for one in ledger.entries if one.expired_at or one.skipped]
    assert len(unposted) + len(expected) == len({one.since for one in ledger.entries}) == len(ledger.entries)


@settings(max_examples=30)
@given(weeklies, st.lists(st.integers(-90, 90), min_size=30, max_size=30))
def test_a_clock_that_is_set_to_and_fro_posts_nothing_twice_or_early(weekly: Weekly, minutes: list[int]) -> None:
    found, looked = instants(weekly, ())
    dues = [at for at in found if at is not None]
    ledger = Simulated(replace(weekly, added_at=dues[0] - HOUR))
    for number, at in enumerate(looked):
        ledger.tick(at + minutes[number // 14 % len(minutes)] * MINUTE)
    weeks = [one.period.since for _, one in ledger.posted]
    assert len(set(weeks)) == len(weeks)
    assert all(now >= one.due_at for now, one in ledger.posted)
    assert len(weeks) >= sum(at <= looked[-1] for at in dues) - 1  # the clock may not have come to the last


@given(weeklies, st.lists(weeklies, min_size=1, max_size=6), st.data())
def test_changed_zones_days_and_times_post_no_week_twice_and_lose_none(
    weekly: Weekly, changes: list[Weekly], data: st.DataObject
) -> None:
    ledger = Simulated(weekly)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    for changed in (*changes, weekly):
        for _ in range(data.draw(st.integers(1, 30))):
            now += timedelta(hours=data.draw(st.integers(1, 30)))
            ledger.tick(now)
        ledger.weekly = changed
    begun = sorted(one.since.timestamp() for one in ledger.entries)
    for earlier, later in pairwise(begun):
        assert abs(later - earlier - WEEK.total_seconds()) <= (27 * HOUR).total_seconds()


def test_what_a_clock_ahead_gave_up_is_owed_again_once_it_is_set_right() -> None:
    ledger = Simulated(Weekly())
    ledger.tick(local("2026-01-12T09:00"))
    ledger.tick(local("2026-02-04T12:00"))  # three weeks ahead
    assert [one.due_at for _, one in ledger.posted] == [local("2026-01-12T09:00"), local("2026-02-02T09:00")]
    for at in ("2026-01-14T12:00", "2026-01-19T09:00", "2026-01-26T09:00", "2026-02-02T09:00", "2026-02-09T09:00"):
        ledger.tick(local(at))
    posted = [one.due_at.date().isoformat() for _, one in ledger.posted]
    assert sorted(posted) == ["2026-01-12", "2026-01-19", "2026-01-26", "2026-02-02", "2026-02-09"]


def test_times_of_a_day_that_changes_offset_are_read_by_the_wall() -> None:
    weekly = replace(Weekly(), timezone="Europe/Berlin", day=6, time=time(18))
    assert next_at(local("2026-03-29T00:00", "UTC"), weekly) == local("2026-03-29T16:00", "UTC")
    assert next_at(local("2026-10-25T00:00", "UTC"), weekly) == local("2026-10-25T17:00", "UTC")
