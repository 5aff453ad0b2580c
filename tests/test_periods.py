"""Periods from what people write, in every time zone and around every clock change."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models import Period
from bot.periods import PeriodError, last_week, parse_period, parse_week, zone
from bot.timezones import suggestions

SHANGHAI = "Asia/Shanghai"
NOW = datetime(2026, 4, 15, 4, 0, tzinfo=UTC)
"""A Wednesday, noon in Shanghai."""

ZONES = st.sampled_from(sorted(available_timezones() - {"Factory", "localtime"}))
INSTANTS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - the bounds of a strategy are naive
DAYS = st.dates(date(1990, 1, 1), date(2060, 1, 1))
# Zones whose clocks change at midnight, so that a day may begin at 01:00, have 23 or 25 hours, or not exist at all.
CHANGES = [
    ("America/Santiago", "2026-09-06", 23),
    ("America/Santiago", "2026-04-04", 25),
    ("Africa/Cairo", "2026-04-24", 23),
    ("Africa/Cairo", "2026-10-29", 25),
    ("Asia/Beirut", "2026-03-29", 23),
    ("Atlantic/Azores", "2026-10-25", 25),
    ("America/New_York", "2026-03-08", 23),
    ("America/New_York", "2026-11-01", 25),
    ("Australia/Lord_Howe", "2026-10-04", 23.5),
    ("Pacific/Apia", "2011-12-30", 0),
    (SHANGHAI, "2026-04-06", 24),
]


def days(period: Period) -> tuple[str, str]:
    return str(period.since.date()), str(period.until.date())


def hours(period: Period) -> float:
    return (period.until.astimezone(UTC) - period.since.astimezone(UTC)) / timedelta(hours=1)


def no_week(code: str, text: str, timezone: str = SHANGHAI) -> PeriodError:
    with pytest.raises(PeriodError) as caught:
        parse_week(text, timezone, NOW)
    return _checked(caught.value, code)


def no_period(code: str, since: str | None, until: str | None) -> PeriodError:
    with pytest.raises(PeriodError) as caught:
        parse_period(since, until, SHANGHAI, NOW)
    return _checked(caught.value, code)


def _checked(error: PeriodError, code: str) -> PeriodError:
    assert error.code == code
    assert str(error).isprintable()
    return error


def test_the_last_whole_week() -> None:
    period = last_week(NOW, SHANGHAI)
    assert period.since == datetime(2026, 4, 5, 16, tzinfo=UTC)
    assert period.until == datetime(2026, 4, 12, 16, tzinfo=UTC)
    assert period.timezone == SHANGHAI


@pytest.mark.parametrize(
    ("now", "monday"),
    [
        (datetime(2026, 4, 12, 15, 59, 59, tzinfo=UTC), "2026-03-30"),
        (datetime(2026, 4, 12, 16, 0, 0, tzinfo=UTC), "2026-04-06"),
        (datetime(2026, 4, 19, 15, 59, 59, tzinfo=UTC), "2026-04-06"),
    ],
)
def test_a_week_turns_at_local_midnight(now: datetime, monday: str) -> None:
    assert str(last_week(now, SHANGHAI).since.date()) == monday


def test_now_without_a_zone_is_a_bug_not_a_guess() -> None:
    with pytest.raises(TypeError):
        last_week(datetime(2026, 4, 15), SHANGHAI)  # noqa: DTZ001 - that is the point


def test_dates_are_local_midnights_and_until_is_exclusive() -> None:
    period = parse_period("2026-04-05", "2026-04-12", SHANGHAI, NOW)
    assert period.since.isoformat() == "2026-04-05T00:00:00+08:00"
    assert period.until.isoformat() == "2026-04-12T00:00:00+08:00"
    assert period.contains(period.since)
    assert period.contains(period.until.astimezone(UTC) - timedelta(seconds=1))
    assert not period.contains(period.until)


def test_neither_date_gives_the_last_whole_week() -> None:
    assert parse_period(None, None, SHANGHAI, NOW) == last_week(NOW, SHANGHAI)


def test_the_end_may_lie_in_the_future_and_the_beginning_may_be_today() -> None:
    assert days(parse_period("2026-04-15", "2026-12-31", SHANGHAI, NOW)) == ("2026-04-15", "2026-12-31")


@pytest.mark.parametrize(
    "written",
    ["2026-04-05", "2026-4-5", "2026/04/05", "2026.4.5", " 2026-04-05 ", "２０２６-４-５", "2026年4月5日"],
)
def test_spellings_of_a_date(written: str) -> None:
    assert days(parse_period(written, "2026-04-12", SHANGHAI, NOW)) == ("2026-04-05", "2026-04-12")


@pytest.mark.parametrize(
    ("since", "until", "code", "message"),
    [
        ("yesterday", "2026-04-12", "unreadable-date", "'yesterday' is not a date: write it as 2026-04-05"),
        ("", "2026-04-12", "unreadable-date", "'' is not a date: write it as 2026-04-05"),
        ("05-04-2026", "2026-04-12", "unreadable-date", "'05-04-2026' is not a date: write it as 2026-04-05"),
        ("2026-04-05T00:00", "2026-04-12", "unreadable-date", None),
        ("20260405", "2026-04-12", "unreadable-date", None),
        ("2026-04-05\n", "x" * 500, "unreadable-date", None),
        ("2026-02-30", "2026-04-12", "no-such-date", "'2026-02-30' is not in the calendar: no such month or day"),
        ("2026-13-01", "2026-04-12", "no-such-date", "'2026-13-01' is not in the calendar: no such month or day"),
        ("2026-02-29", "2026-04-12", "no-such-date", None),
        ("0026-04-05", "2026-04-12", "out-of-range", "'0026-04-05' is out of range: expected a year from 1970 to 2100"),
        ("2026-04-05", "9999-12-31", "out-of-range", None),
        ("2026-04-05", None, "one-date", None),
        (None, "2026-04-05", "one-date", None),
        ("2026-04-12", "2026-04-05", "reversed", None),
        ("2026-04-12", "2026-04-12", "empty", None),
        ("2026-04-16", "2026-04-20", "not-begun", None),
        ("2027-04-05", "2027-04-12", "not-begun", None),
    ],
)
def test_dates_that_make_no_period(since: str | None, until: str | None, code: str, message: str | None) -> None:
    error = no_period(code, since, until)
    assert message is None or str(error) == message


def test_what_an_error_knows_lets_others_word_it() -> None:
    error = no_period("not-begun", "2026-04-16", "2026-04-20")
    assert error.values == {"since": "2026-04-16", "today": "2026-04-15", "timezone": SHANGHAI}
    assert str(error) == "the period from 2026-04-16 has not begun: today is 2026-04-15 in Asia/Shanghai"


@pytest.mark.parametrize(
    ("written", "monday"),
    [
        ("2026-W14", "2026-03-30"),
        ("2026w14", "2026-03-30"),
        ("２０２６－Ｗ１４", "2026-03-30"),
        ("2026–W14", "2026-03-30"),
        ("2026年第14周", "2026-03-30"),
        ("2026-W01", "2025-12-29"),
        ("2020-W53", "2020-12-28"),
        ("W14", "2026-03-30"),
        ("w9", "2026-02-23"),
        ("第14周", "2026-03-30"),
        ("W16", "2026-04-13"),
        ("W17", "2025-04-21"),
        ("W53", "2020-12-28"),
        ("本周", "2026-04-13"),
        ("this", "2026-04-13"),
        ("上周", "2026-04-06"),
        ("上星期", "2026-04-06"),
        ("last", "2026-04-06"),
        ("Last Week", "2026-04-06"),
        ("上上周", "2026-03-30"),
        ("2026-04-06", "2026-04-06"),
        ("2026-04-12", "2026-04-06"),
        ("04-06", "2026-04-06"),
        ("4/6", "2026-04-06"),
        ("4月6日", "2026-04-06"),
        ("04-19", "2026-04-13"),
        ("04-20", "2025-04-14"),
        ("12-31", "2025-12-29"),
        ("02-29", "2024-02-26"),
    ],
)
def test_weeks(written: str, monday: str) -> None:
    period = parse_week(written, SHANGHAI, NOW)
    assert days(period) == (monday, str(date.fromisoformat(monday) + timedelta(days=7)))


def test_the_week_across_new_year_is_named_by_its_days_in_both_years() -> None:
    now = datetime(2026, 12, 30, 4, tzinfo=UTC)
    for written in ("12-28", "12-31", "01-03", "W53", "本周"):
        assert days(parse_week(written, SHANGHAI, now)) == ("2026-12-28", "2027-01-04")


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("", "unreadable-week"),
        ("someday", "unreadable-week"),
        ("2026", "unreadable-week"),
        ("W", "unreadable-week"),
        ("W100", "unreadable-week"),
        ("上上上周", "unreadable-week"),
        ("W0", "no-such-week"),
        ("W54", "no-such-week"),
        ("2025-W53", "no-such-week"),
        ("2026-W00", "no-such-week"),
        ("2026-W17", "not-begun"),
        ("下周", "not-begun"),
        ("2026-04-20", "not-begun"),
        ("2026-02-30", "no-such-date"),
        ("02-30", "no-such-date"),
        ("13-01", "no-such-date"),
        ("0001-W01", "out-of-range"),
        ("9999-12-31", "out-of-range"),
    ],
)
def test_texts_that_name_no_week(written: str, code: str) -> None:
    no_week(code, written)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Asia/Beijing", "Asia/Shanghai"),
        ("北京", "Asia/Shanghai"),
        ("Shanghai", "Asia/Shanghai"),
        ("asia/shanghai", "Asia/Shanghai"),
        ("UTC+8", "Asia/Shanghai"),
        ("GMT+08:00", "Asia/Shanghai"),
        ("utc+9", "Asia/Tokyo"),
        ("UTC+5:30", "Asia/Kolkata"),
        ("UTC-8", "America/Los_Angeles"),
        ("+0", "UTC"),
        ("CST", "Asia/Shanghai or America/Chicago"),
        ("PST", "America/Los_Angeles"),
        ("America/San_Francisco", "America/Los_Angeles"),
        ("New York", "America/New_York"),
        ("Amercia/New_York", "America/New_York"),
        ("Europe/Munich", "Europe/Berlin"),
    ],
)
def test_a_zone_that_is_none_gets_the_one_probably_meant(written: str, meant: str) -> None:
    error = no_week("unknown-zone", "上周", written)
    assert str(error) == f"unknown time zone {written!r}: did you mean {meant}?"
    assert error.values["nearest"] == meant


@pytest.mark.parametrize("written", ["", "xyzzy", "../UTC", "a\0b", "x" * 5000, "\ud800", "UTC+99", "Asia"])
def test_a_zone_that_resembles_none(written: str) -> None:
    assert str(no_week("unknown-zone", "上周", written)).startswith("unknown time zone")


@pytest.mark.parametrize("written", ["right/Asia/Shanghai", "posix/Asia/Shanghai", "posix/PRC/Shanghai"])
def test_copies_of_the_zone_database_are_no_zones(written: str) -> None:
    assert no_week("unknown-zone", "上周", written).values["nearest"] == "Asia/Shanghai"


@given(ZONES)
@settings(deadline=None)
def test_every_iana_zone_is_taken(name: str) -> None:
    assert zone(name).key == name


def test_every_suggestion_is_a_zone() -> None:
    words = "beijing tokyo 首尔 bangalore munich cst ist pst nyc rio aest nzst z hanoi uae milan utc+8 utc-3 +12 utc-10"
    named = {name for word in words.split() for name in suggestions(word)}
    assert len(named) > 15
    assert {zone(name).key for name in named} == named


@given(st.text(max_size=40))
@settings(deadline=None)
def test_any_text_is_a_zone_or_a_period_error(text: str) -> None:
    try:
        assert zone(text).key == text
    except PeriodError as error:
        assert error.code == "unknown-zone"  # noqa: PT017 - either outcome is right


@given(st.text(alphabet="0123456789-/.W周第年月日上本 w", max_size=12) | st.text(max_size=12), ZONES, INSTANTS)
@settings(deadline=None)
def test_any_text_is_a_week_that_has_begun_or_a_period_error(text: str, timezone: str, now: datetime) -> None:
    try:
        period = parse_week(text, timezone, now)
    except PeriodError:
        return
    assert period.since <= now
    assert (period.days, period.since.weekday()) == (7, 0)


@pytest.mark.parametrize(("timezone", "day", "length"), CHANGES)
def test_days_around_clock_changes(timezone: str, day: str, length: float) -> None:
    following = date.fromisoformat(day) + timedelta(days=1)
    now = datetime(2027, 1, 1, tzinfo=UTC)
    period = parse_period(day, str(following), timezone, now)
    assert (hours(period), period.days) == (length, 1)
    first = period.since.astimezone(UTC)
    assert (first - timedelta(seconds=1)).astimezone(ZoneInfo(timezone)).date() < date.fromisoformat(day)
    assert period.before().until.astimezone(UTC) == first
    assert hours(period.before()) in {23, 24, 25}


@pytest.mark.parametrize(("timezone", "day", "length"), CHANGES)
def test_weeks_around_clock_changes(timezone: str, day: str, length: float) -> None:
    period = parse_week(day, timezone, datetime(2027, 1, 1, tzinfo=UTC))
    assert hours(period) == 6 * 24 + length
    assert (period.days, period.before().days, period.before(3).days) == (7, 7, 7)


def test_a_day_has_begun_though_the_clock_went_back_behind_its_midnight() -> None:
    newfoundland = ZoneInfo("America/St_Johns")  # at 00:01 on that Sunday it became Saturday 23:01 again
    now = datetime(2010, 11, 6, 23, 30, fold=1, tzinfo=newfoundland)
    assert parse_period("2010-11-07", "2010-11-08", "America/St_Johns", now).contains(now.astimezone(UTC))


@given(ZONES, INSTANTS)
@settings(max_examples=300, deadline=None)
def test_every_instant_is_in_exactly_one_of_consecutive_weeks(timezone: str, instant: datetime) -> None:
    after = last_week(instant + timedelta(days=21), timezone)
    weeks = [after.before(back) for back in range(6)]
    assert sum(week.contains(instant) for week in weeks) == 1
    for later, earlier in pairwise(weeks):
        assert earlier.until.astimezone(UTC) == later.since.astimezone(UTC)
        assert (earlier.since.weekday(), earlier.days) == (0, 7)


@given(ZONES, INSTANTS)
@settings(max_examples=300, deadline=None)
def test_the_last_week_is_over_and_this_week_is_not(timezone: str, now: datetime) -> None:
    past, current = last_week(now, timezone), parse_week("本周", timezone, now)
    assert past.until.astimezone(UTC) == current.since.astimezone(UTC)
    assert past.until <= now < current.until
    assert parse_week("上周", timezone, now) == past
    assert parse_week("上上周", timezone, now) == past.before()


@given(ZONES, DAYS, st.integers(1, 400))
@settings(max_examples=200, deadline=None)
def test_dates_and_weeks_read_back_what_was_written(timezone: str, day: date, length: int) -> None:
    now = datetime(2062, 1, 1, tzinfo=UTC)
    period = parse_period(str(day), str(day + timedelta(days=length)), timezone, now)
    assert parse_period(*days(period), timezone, now) == period
    assert (period.days, period.since.date()) == (length, day)
    week = parse_week(str(day), timezone, now)
    iso = day.isocalendar()
    assert parse_week(f"{iso.year}-W{iso.week:02}", timezone, now) == week
    assert parse_week(str(week.since.date()), timezone, now) == week


@given(ZONES, INSTANTS, st.integers(0, 360))
@settings(max_examples=200, deadline=None)
def test_a_recent_day_without_its_year_is_that_day(timezone: str, now: datetime, back: int) -> None:
    day = now.astimezone(ZoneInfo(timezone)).date() - timedelta(days=back)
    assert parse_week(f"{day:%m-%d}", timezone, now) in {
        parse_week(str(day), timezone, now),
        _same_day_a_year_on(day, timezone, now),
    }


def _same_day_a_year_on(day: date, timezone: str, now: datetime) -> Period | None:
    """The week that goes on now may already hold the same day of the following year."""
    try:
        return parse_week(f"{day.year + 1}-{day:%m-%d}", timezone, now)
    except PeriodError:
        return None
