"""Holidays and times from the file to the instant of a delivery, and how they are told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot import schedule
from bot.config import Config, ConfigError, load
from bot.store.subscriptions import Subscription
from bot.subscriptions import calendar_of, configured, timing
from bot.text import Wording

Read = Callable[[str], Config]
NOW = datetime(2026, 10, 1, 1, tzinfo=UTC)
FILE = "repositories: [{{name: acme/engine}}]\nlocal: {{}}\nchannels:\n  - {{{entry}}}\n"
NOT_A_CODE = "expected a country's code such as CN, or a part's such as DE-BY"
SHIFT, SKIP = "逢 CN 假期顺延到下一个工作日。", "逢 CN 假期不发。"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read(entry: str) -> Config:
        path = tmp_path / "config.yaml"
        channel = f"platform: local, id: general, repositories: [acme/engine], {entry}"
        path.write_text(FILE.format(entry=channel), encoding="utf-8")
        return load(path, {})

    return read


def subscription(config: Config) -> Subscription:
    (one,) = configured(config, NOW)
    return one


def next_line(one: Subscription, now: datetime = NOW) -> str:
    wording = Wording(lambda number: f"https://example.com/{number}")
    blocks = wording.blocks(
        "replies/subscribe", command_name="/digest", state="new", repositories=["acme/engine"], **timing(one, now)
    )
    text = "\n".join("".join(span.text for span in block.spans) for block in blocks if hasattr(block, "spans"))
    return next(line for line in text.splitlines() if line.startswith("下一期"))


def test_nobody_has_holidays_that_were_not_named(read: Read) -> None:
    one = subscription(read("day: monday"))
    assert (one.country, one.on_holiday, calendar_of(one)) == (None, "post", None)
    assert next_line(one) == "下一期：10-05 周一 09:00。"


@pytest.mark.parametrize(
    ("written", "country", "on_holiday"),
    [
        ("{country: CN}", "CN", "post"),
        ("{country: cn, on_holiday: shift}", "CN", "shift"),
        ("{country: de-by, on_holiday: skip}", "DE-BY", "skip"),
        ("{country: NO}", "NO", "post"),  # Norway, which is no "no"
        ('{country: " US-CA ", on_holiday: post}', "US-CA", "post"),
    ],
)
def test_whose_holidays_and_what_becomes_of_a_digest(read: Read, written: str, country: str, on_holiday: str) -> None:
    one = subscription(read(f"holidays: {written}"))
    assert (one.country, one.on_holiday) == (country, on_holiday)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{country: China}", f"channels[0].holidays.country: {NOT_A_CODE}, got China"),
        ("{country: 中国}", f"channels[0].holidays.country: {NOT_A_CODE}, got 中国"),
        ("{country: CHN}", f"channels[0].holidays.country: {NOT_A_CODE}, got CHN"),
        ("{country: XX}", "channels[0].holidays.country: no holidays are known of XX: check its ISO 3166 code"),
        ("{country: DE-ZZ}", "channels[0].holidays.country: no holidays are known of DE-ZZ: check its ISO 3166 code"),
        ("{country: CN, on_holiday: move}", "channels[0].holidays.on_holiday: expected post, skip or shift, got move"),
        ("{on_holiday: skip}", "channels[0].holidays.country: missing"),
        ("{country: CN, region: x}", "channels[0].holidays.region: unknown key"),
        ("CN", "channels[0].holidays: expected"),
    ],
)
def test_a_mistake_is_one_line_at_its_place(read: Read, written: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(f"holidays: {written}")
    (line,) = caught.value.lines
    assert "config.yaml:4: " in line
    assert expected in line


@pytest.mark.parametrize("written", ["09:00", "10:00", '"09:00"', "9:00"])
def test_a_time_without_quotes_is_the_hour_at_which_the_digest_comes(read: Read, written: str) -> None:
    one = subscription(read(f"time: {written}"))
    hour = int(written.strip('"').partition(":")[0])
    assert schedule.next_at(NOW, one) == datetime(2026, 10, 5, hour - 8, tzinfo=UTC)
    assert next_line(one) == f"下一期：10-05 周一 {hour:02}:00。"


def test_a_digest_that_a_holiday_moves_is_told_with_the_reason(read: Read) -> None:
    one = subscription(read("holidays: {country: CN, on_holiday: shift}"))
    assert next_line(one) == f"下一期：10-08 周四 09:00（10-05 逢国庆节，顺延）。{SHIFT}"
    assert next_line(one, datetime(2026, 10, 8, 2, tzinfo=UTC)) == f"下一期：10-12 周一 09:00。{SHIFT}"


def test_digests_that_holidays_leave_out_are_told_with_the_next(read: Read) -> None:
    one = subscription(read("holidays: {country: CN, on_holiday: skip}"))
    assert next_line(one) == f"下一期：10-12 周一 09:00（10-05 逢国庆节，不发）。{SKIP}"
    spring = "（02-16 逢农历除夕、春节，不发）（02-23 逢农历除夕、春节，不发）"
    assert next_line(one, datetime(2026, 2, 10, tzinfo=UTC)) == f"下一期：03-02 周一 09:00{spring}。{SKIP}"


def test_a_year_that_is_not_announced_yet_is_told_as_such(read: Read) -> None:
    one = subscription(read("holidays: {country: CN, on_holiday: shift}"))
    told = next_line(one, datetime(2090, 3, 1, tzinfo=UTC))
    assert told.endswith(f"（2090 年的调休安排尚未收录）。{SHIFT}")
    post = subscription(read("holidays: {country: CN}"))
    assert next_line(post, datetime(2090, 3, 1, tzinfo=UTC)) == "下一期：03-06 周一 09:00。逢 CN 假期照发。"
