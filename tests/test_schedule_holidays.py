"""What holidays do to the timetable: a year of China, and what the rules are at their edges."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.calendars import Calendar, OnHoliday
from bot.holidays import Country
from bot.schedule import comes_by_itself, coming, due, first, next_at
from tests.timetable import DAY, HOUR, MINUTE, SECOND, WEEK, DaysOff, Simulated, Weekly, entries, local

CHINA = Country("CN")
BERLIN = "Europe/Berlin"


def heeding(on_holiday: OnHoliday, calendar: Calendar = CHINA, **changes: object) -> Weekly:
    weekly = Weekly(on_holiday=on_holiday, calendar=calendar, added_at=local("2025-12-31"))
    return replace(weekly, **changes)  # type: ignore[arg-type]  # fields of the timetable


def year_of(weekly: Weekly) -> Simulated:
    """2026, looked at every quarter of an hour."""
    ledger = Simulated(weekly)
    at = local("2026-01-01", weekly.timezone).astimezone(UTC)
    while at < local("2027-01-01", weekly.timezone):
        ledger.tick(at)
        at += 15 * MINUTE
    return ledger


def posted(ledger: Simulated) -> dict[str, str]:
    """By the Monday that a digest's week ends with, the day on which it was posted where that is another one."""
    zone = ZoneInfo(ledger.weekly.timezone)
    found = {one.period.until.date(): at.astimezone(zone).date() for at, one in ledger.posted}
    assert len(found) == len(ledger.posted)
    return {f"{until:%m-%d}": f"{day:%m-%d}" for until, day in found.items() if until != day}


def test_a_year_of_china_in_which_holidays_move_digests() -> None:
    ledger = year_of(heeding("shift"))
    moved = {"02-16": "02-24", "02-23": "02-24", "04-06": "04-07", "05-04": "05-06", "10-05": "10-08"}
    assert posted(ledger) == moved
    assert len(ledger.posted) == 52
    assert {at.astimezone(ZoneInfo("Asia/Shanghai")).time() for at, _ in ledger.posted} == {time(9)}
    assert not any(one.expired_at or one.skipped for one in ledger.entries)


def test_a_year_of_china_in_which_holidays_leave_digests_out() -> None:
    ledger = year_of(heeding("skip"))
    assert posted(ledger) == {}
    skipped = sorted(f"{one.until:%m-%d}" for one in ledger.entries if one.skipped)
    assert skipped == ["02-16", "02-23", "04-06", "05-04", "10-05"]
    assert len(ledger.posted) == 47
    assert not any(one.expired_at for one in ledger.entries)


def test_a_year_of_another_country_by_its_own_clock() -> None:
    bavaria = Country("DE-BY")
    ledger = year_of(heeding("shift", bavaria, day=3, timezone=BERLIN))  # Thursdays
    zone = ZoneInfo(BERLIN)
    days = [at.astimezone(zone).date() for at, _ in ledger.posted]
    others = [f"{day:%m-%d}" for day in days if day.weekday() != 3]
    assert others == ["01-02", "05-15", "06-05"]  # New Year, Ascension and Corpus Christi
    assert {at.astimezone(zone).time() for at, _ in ledger.posted} == {time(9)}
    assert len(ledger.posted) == 53


@pytest.mark.parametrize("on_holiday", ["post", "skip", "shift"])
def test_a_weekend_that_was_chosen_is_no_holiday(on_holiday: OnHoliday) -> None:
    weekly = heeding(on_holiday, day=6, added_at=local("2026-03-01"))
    assert next_at(local("2026-03-10"), weekly, CHINA) == local("2026-03-15T09:00")


def test_a_weekend_day_that_is_worked_in_exchange_is_the_next_working_day() -> None:
    weekly = heeding("shift", added_at=local("2023-10-01"))
    assert next_at(local("2023-10-01"), weekly, CHINA) == local("2023-10-07T09:00")  # a Saturday after the holiday
    sunday = heeding("skip", day=6, added_at=local("2023-10-01"))
    assert next_at(local("2023-10-02"), sunday, CHINA) == local("2023-10-08T09:00")


def test_a_move_into_the_next_week_keeps_the_week_that_is_reported() -> None:
    japan = Country("JP")
    weekly = heeding("shift", japan, day=3, timezone="Asia/Tokyo", added_at=local("2019-04-26"))
    # Golden Week of 2019 was off from Saturday to the Monday after next, ten days.
    at = local("2019-05-07T09:00", "Asia/Tokyo")
    assert next_at(local("2019-04-26"), weekly, japan) == at
    (found,) = due(at, weekly, [], japan)
    assert (found.period.since, found.holiday) == (local("2019-04-22", "Asia/Tokyo"), date(2019, 5, 2))
    (following,) = due(local("2019-05-09T09:00", "Asia/Tokyo"), weekly, entries([found]), japan)
    assert following.period.since == local("2019-04-29", "Asia/Tokyo")


@pytest.mark.parametrize("zone", ["America/New_York", "Pacific/Auckland"])
def test_a_change_of_zone_or_country_after_a_move_posts_no_week_twice(zone: str) -> None:
    ledger = Simulated(heeding("shift", added_at=local("2026-09-30")))
    ledger.tick(local("2026-10-05T09:00"))
    ledger.tick(local("2026-10-08T09:00"))
    ledger.weekly = replace(ledger.weekly, timezone=zone, calendar=Country("US"))  # who has 10-12 off
    for hour in range(8 * 24):
        ledger.tick(local("2026-10-08T10:00") + hour * HOUR)
    assert [one.period.until.date() for _, one in ledger.posted] == [date(2026, 10, 5), date(2026, 10, 12)]
    assert ledger.posted[1][1].due_at == local("2026-10-13T09:00", zone)


def test_who_posts_all_the_same_asks_no_calendar() -> None:
    unknown = Country("XX")
    weekly = heeding("post", unknown)
    assert len(due(local("2026-10-05T09:00"), replace(weekly, added_at=local("2026-10-01")), [], unknown)) == 1
    assert next_at(local("2026-10-02"), weekly, unknown) == local("2026-10-05T09:00")


def test_a_moved_digest_reports_the_week_it_would_have() -> None:
    weekly = heeding("shift", added_at=local("2026-10-01"))
    assert due(local("2026-10-08T08:59:59"), weekly, [], CHINA) == ()
    (found,) = due(local("2026-10-08T09:00"), weekly, [], CHINA)
    assert (found.period.since, found.period.until) == (local("2026-09-28"), local("2026-10-05"))
    assert (found.due_at, found.holiday) == (local("2026-10-08T09:00"), date(2026, 10, 5))
    assert due(local("2026-10-11T09:00"), weekly, entries([found]), CHINA) == ()


def test_two_that_are_moved_to_one_day_are_both_owed_and_lost_together() -> None:
    weekly = heeding("shift", added_at=local("2026-02-10"))
    both = due(local("2026-02-24T09:00"), weekly, [], CHINA)
    assert [(one.period.until.date(), one.expired) for one in both] == [
        (date(2026, 2, 23), False),
        (date(2026, 2, 16), False),
    ]
    assert due(local("2026-02-24T09:30"), weekly, entries(both), CHINA) == ()
    missed = due(local("2026-03-02T09:00"), weekly, [], CHINA)
    assert [(one.period.until.date(), one.expired) for one in missed] == [
        (date(2026, 3, 2), False),
        (date(2026, 2, 23), True),
        (date(2026, 2, 16), True),
    ]


def test_one_that_is_left_out_is_settled_from_its_hour_on_and_expires_nothing() -> None:
    weekly = heeding("skip", added_at=local("2026-09-25"), day=0)
    assert due(local("2026-09-28T09:00"), weekly, [], CHINA)[0].expired is False
    older, skipped = reversed(due(local("2026-10-05T09:00"), weekly, [], CHINA))
    assert (skipped.skipped, skipped.expired, skipped.holiday) == (True, False, date(2026, 10, 5))
    assert (older.skipped, older.expired) == (False, True)  # a week old
    assert due(local("2026-10-11T00:00"), weekly, entries([skipped]), CHINA) == ()


def test_a_change_of_mind_about_holidays_posts_no_week_twice_and_none_that_was_left_out() -> None:
    ledger = Simulated(heeding("shift", added_at=local("2026-10-01")))
    ledger.tick(local("2026-10-05T09:00"))
    assert ledger.posted == []
    ledger.weekly = replace(ledger.weekly, on_holiday="post")
    ledger.tick(local("2026-10-05T12:00"))
    ledger.weekly = replace(ledger.weekly, on_holiday="shift")
    ledger.tick(local("2026-10-08T09:00"))
    assert [one.due_at for _, one in ledger.posted] == [local("2026-10-05T09:00")]
    left_out = Simulated(heeding("skip", added_at=local("2026-10-01")))
    left_out.tick(local("2026-10-05T09:00"))
    left_out.weekly = replace(left_out.weekly, on_holiday="shift")
    left_out.tick(local("2026-10-08T09:00"))
    assert left_out.posted == []


def test_what_comes_next_says_what_holidays_do_to_it() -> None:
    shifted = coming(local("2026-10-01"), heeding("shift"), CHINA)
    assert (shifted.at, shifted.moved_from, shifted.skipped) == (local("2026-10-08T09:00"), date(2026, 10, 5), ())
    skipped = coming(local("2026-02-14"), heeding("skip"), CHINA)
    assert (skipped.at, skipped.moved_from) == (local("2026-03-02T09:00"), None)
    assert skipped.skipped == (date(2026, 2, 16), date(2026, 2, 23))
    # The digest of the Monday before is still to come; the next Monday's is not the next.
    assert coming(local("2026-10-07"), heeding("shift"), CHINA).moved_from == date(2026, 10, 5)
    assert coming(local("2026-10-08T09:00"), heeding("shift"), CHINA).at == local("2026-10-12T09:00")


def test_a_first_digest_is_owed_where_the_timetable_brings_none() -> None:
    now = local("2026-10-02T12:00")
    weekly = heeding("skip", day=4, added_at=now)  # Fridays; the 2nd is a holiday
    assert not comes_by_itself(local("2026-10-02T08:00"), weekly, CHINA)
    assert not comes_by_itself(now, weekly, CHINA)
    assert first(now, weekly, []) is not None
    monday = heeding("shift", added_at=local("2026-10-05T12:00"))
    assert comes_by_itself(local("2026-10-05T12:00"), monday, CHINA)  # on the 8th
    assert not comes_by_itself(local("2026-10-05T12:00"), replace(monday, on_holiday="post"), CHINA)


def test_the_hour_of_a_moved_digest_is_that_of_the_wall_across_a_clock_change() -> None:
    easter = DaysOff(frozenset({date(2026, 3, 27), date(2026, 3, 30)}))
    weekly = heeding("shift", easter, day=4, timezone=BERLIN)
    assert next_at(local("2026-03-26", BERLIN), weekly, easter) == local("2026-03-31T09:00", BERLIN)
    assert local("2026-03-31T09:00", BERLIN).utcoffset() == timedelta(hours=2)


def test_a_calendar_without_working_days_is_not_believed() -> None:
    always = DaysOff(frozenset(date(2025, 1, 1) + number * DAY for number in range(1500)))
    weekly = heeding("shift", always)
    (found,) = due(local("2026-06-08T09:00"), replace(weekly, added_at=local("2026-06-08")), [], always)
    assert (found.due_at, found.holiday) == (local("2026-06-08T09:00"), None)
    never = heeding("skip", always)
    assert coming(local("2026-06-05"), never, always).at == local("2026-06-08T09:00")


def test_a_long_holiday_moves_a_digest_four_weeks_at_most() -> None:
    closed = DaysOff(frozenset(date(2026, 6, 8) + number * DAY for number in range(28)))
    weekly = heeding("shift", closed, added_at=local("2026-06-08"))
    for day in ("2026-06-08", "2026-06-20", "2026-07-05"):
        found_next = coming(local(day), weekly, closed)
        assert (found_next.at, found_next.moved_from) == (local("2026-07-06T09:00"), date(2026, 6, 8))
    assert due(local("2026-07-06T09:00") - SECOND, weekly, [], closed) == ()
    found = due(local("2026-07-06T09:00"), weekly, [], closed)
    assert [one.due_at for one in found] == [datetime(2026, 7, 6, 1, tzinfo=UTC)] * 5
    assert len({one.period.since for one in found}) == 5
    assert found[0].period.until - found[-1].period.until == 4 * WEEK
