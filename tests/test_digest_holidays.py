"""Holidays as a digest names them: facts of the calendar, checked like every other figure."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.analysis import assess, rules
from bot.calendars import Calendar
from bot.digest.build import Digest, build, recount_of
from bot.digest.exclude import excluding
from bot.digest.posting import messages_of
from bot.digest.verify import check
from bot.figures import Claim
from bot.holidays import Country
from bot.message import Plain, Text
from bot.models import Period, Reading, Week
from bot.rendering.plain import to_plain
from bot.text import Wording
from tests.factories import ZONE, make_pr

CHINA = Country("CN")
WORDING = Wording(lambda number: f"https://example.com/pull/{number}")


def week_from(monday: str, calendar: Calendar | None = CHINA, *, merged: int = 3, **changes: Any) -> Week:
    since = datetime.fromisoformat(monday).replace(tzinfo=ZoneInfo(ZONE))
    period = Period(since, since + timedelta(days=7), ZONE)
    inside = tuple(make_pr(number, merged_at=since + timedelta(hours=number)) for number in range(1, merged + 1))
    before = tuple(make_pr(number, merged_at=since - timedelta(days=5, minutes=number)) for number in (101, 102))
    history = tuple(sorted(before, key=lambda one: one.merged_at))
    assessed = assess.assess([*history, *inside], rules.load(), period.before().since)
    facts: dict[str, Any] = {
        "repository": "acme/engine",
        "period": period,
        "pull_requests": inside,
        "history": history,
        "assessments": {one.number: one for one in assessed},
        "covered_since": period.before(14).since,
        "reading": Reading(calendar=calendar),
    }
    return Week(**(facts | changes))


def digest_of(week: Week) -> Digest:
    return build(excluding(week), rules.load(), WORDING)


def said(digest: Digest) -> str | None:
    """What the summary says of days."""
    found = [line for line in to_plain(digest.sections[0].message).splitlines() if "工作日" in line or "逢" in line]
    assert len(found) < 2
    return found[0] if found else None


@pytest.mark.parametrize(
    ("monday", "expected"),
    [
        ("2026-09-14", "本周工作日 6 天，上周 5 天。"),  # the Sunday is worked
        ("2026-09-21", "本周逢中秋节（09-25～09-27 连休），工作日 4 天，上周 6 天。"),
        ("2026-09-28", "本周逢国庆节（10-01～10-07 连休），工作日 3 天，上周 4 天。"),
        ("2026-10-05", "本周逢国庆节（10-01～10-07 连休），工作日 3 天，上周 3 天。"),  # the Saturday is worked
        ("2026-10-12", "本周工作日 5 天，上周 3 天。"),
        ("2026-10-19", None),
        ("2026-02-09", "本周工作日 6 天，上周 5 天。"),  # the Sunday begins the holiday, as any Sunday
        ("2026-02-16", "本周逢农历除夕、春节（02-15～02-23 连休），工作日 0 天，上周 6 天。"),
        ("2025-12-29", "本周逢元旦（01-01～01-03 连休），工作日 4 天，上周 5 天。"),
        ("2024-12-30", "本周逢元旦（01-01），工作日 4 天，上周 5 天。"),
    ],
)
def test_a_year_of_china(monday: str, expected: str | None) -> None:
    digest = digest_of(week_from(monday))
    assert said(digest) == expected
    assert digest.verification.failures == ()


def test_another_country_and_two_holidays_in_one_week() -> None:
    digest = digest_of(week_from("2026-12-21", Country("DE")))
    expected = "本周逢Christmas Day、Second Day of Christmas（12-25～12-27 连休），工作日 4 天，上周 5 天。"
    assert said(digest) == expected
    double = digest_of(week_from("2026-05-04", Country("KR")))
    assert said(double) == "本周逢Children's Day（05-05），工作日 4 天，上周 4 天。"
    golden = digest_of(week_from("2026-04-27", Country("JP")))
    names = "Constitution Day、Greenery Day、Children's Day、Substitute Holiday"
    assert said(golden) == f"本周逢Showa Day（04-29），{names}（05-02～05-06 连休），工作日 4 天，上周 5 天。"
    assert (digest.verification.failures, golden.verification.failures) == ((), ())


def test_who_names_no_country_reads_of_no_holiday() -> None:
    assert said(digest_of(week_from("2026-09-28", None))) is None


def test_no_days_are_counted_of_a_week_that_was_not_read() -> None:
    week = week_from("2026-09-28")
    assert said(digest_of(replace(week, covered_since=week.period.since))) == (
        "本周逢国庆节（10-01～10-07 连休），工作日 3 天。"
    )


def test_an_empty_week_says_that_it_is_one_and_then_which_holidays_it_had() -> None:
    digest = digest_of(week_from("2026-02-16", merged=0))
    root, *_, thread = messages_of(digest)
    assert "本周没有合入 PR（上周 2" in to_plain(root)
    lines = to_plain(thread).splitlines()
    assert "本周没有 PR 合入默认分支。上周合入 2 个。" in lines
    assert "本周逢农历除夕、春节（02-15～02-23 连休），工作日 0 天，上周 6 天。" in lines


@pytest.mark.parametrize("monday", ["2026-02-16", "2026-09-28", "2026-10-12"])
def test_no_cause_is_claimed(monday: str) -> None:
    line = said(digest_of(week_from(monday, merged=0)))
    assert line is not None
    assert not any(word in line for word in ("因", "由于", "导致", "可能", "受", "影响", "偏低"))


class Unannounced:
    """China's calendar before a year's make-up working days are known."""

    def __init__(self, year: int) -> None:
        self._year = year

    def is_day_off(self, day: date) -> bool:
        return CHINA.is_day_off(day)

    def holiday(self, day: date) -> Any:
        return CHINA.holiday(day)

    def is_arranged(self, year: int) -> bool:
        return year != self._year


@pytest.mark.parametrize("monday", ["2025-12-29", "2026-02-16"])
def test_days_that_are_not_announced_yet_are_neither_counted_nor_dated(monday: str) -> None:
    digest = digest_of(week_from(monday, Unannounced(2026)))
    name = "元旦" if monday < "2026" else "农历除夕、春节"
    assert said(digest) == f"本周逢{name}。2026 年的调休安排尚未收录，放假起止与工作日数不列。"
    assert digest.verification.failures == ()
    assert said(digest_of(week_from("2026-06-08", Unannounced(2026)))) is None


def test_a_weekend_before_new_year_may_be_worked_for_what_is_not_announced_yet() -> None:
    assert said(digest_of(week_from("2018-12-24"))) == "本周工作日 6 天，上周 5 天。"
    assert said(digest_of(week_from("2018-12-24", Unannounced(2019)))) is None


@pytest.mark.parametrize(
    ("text", "of", "where", "holds"),
    [
        ("3", "working_days", {}, True),
        ("4", "working_days", {}, False),
        ("4", "working_days", {"span": 1}, True),
        ("国庆节", "holiday", {"day": "2026-10-01"}, True),
        ("中秋节", "holiday", {"day": "2026-10-01"}, False),
        ("国庆节", "holiday", {"day": "2026-10-05"}, False),  # of the week after
        ("国庆节", "holiday", {"day": "2026-09-30"}, False),
        ("10-01～10-07", "days_off", {"day": "2026-10-01"}, True),
        ("10-01～10-08", "days_off", {"day": "2026-10-01"}, False),
        ("10-01～10-04", "days_off", {"day": "2026-10-03"}, False),
        ("09-30", "days_off", {"day": "2026-09-30"}, False),
        ("2026", "unarranged", {}, False),
    ],
)
def test_every_word_of_it_is_held_to_the_calendar(text: str, of: str, where: dict[str, Any], holds: bool) -> None:
    spans = (Plain(text, claim=Claim.about(of, **where)),)
    recount = recount_of(digest_of(week_from("2026-09-28")).view)
    assert bool(check(spans, recount).failures) is not holds
    without = recount_of(digest_of(week_from("2026-09-28", None)).view)
    assert check(spans, without).failures


class Fickle:
    """A calendar that says one thing to whoever writes and another to whoever checks."""

    def __init__(self) -> None:
        self._asked = 0

    def is_day_off(self, day: date) -> bool:
        self._asked += 1
        return CHINA.is_day_off(day) if self._asked < 15 else day.weekday() > 4

    def holiday(self, day: date) -> Any:
        return CHINA.holiday(day)

    def is_arranged(self, year: int) -> bool:
        return year < 2100


def test_what_fails_the_check_is_not_published() -> None:
    digest = digest_of(week_from("2026-09-28", Fickle()))
    assert {one.text for one in digest.verification.failures} == {"10-01～10-07", "3", "4"}
    assert said(digest) is None
    assert any(isinstance(block, Text) for block in digest.sections[0].message.blocks)
