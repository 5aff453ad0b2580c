"""Holidays from the subscription to what is posted, and to what the ledger and `status` say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.catalogue import Listed
from bot.editions import Editions
from bot.ports import PullRequestSource
from bot.rendering.plain import to_plain
from bot.store.ledger import Plan
from bot.store.reading import Reach
from bot.store.subscriptions import Subscription
from tests.chat import ENGINE, NOW, subject, text_of, three_repositories
from tests.deliveries import Now, Scene, make_subscription, subscribed, texts
from tests.doubles.chat import Chat
from tests.factories import PERIOD

SHANGHAI = ZoneInfo("Asia/Shanghai")


@contextmanager
def scene_from(folder: Path, begin: datetime, *subscriptions: Subscription) -> Iterator[Scene]:
    url = f"sqlite:///{folder / 'bot.db'}"
    now = Now(begin)
    with subscribed(url, *subscriptions) as store:
        yield Scene(url, store, Chat(folder / "chat.json", now), now)


def heeding(on_holiday: str, added: datetime, **changes: Any) -> Subscription:
    return make_subscription(country="CN", on_holiday=on_holiday, added_at=added, **changes)


def roots(scene: Scene) -> list[str]:
    return [text for root, text in texts(scene.chat) if root is None]


def until(scene: Scene, end: datetime) -> None:
    while scene.now() < end:
        scene.run()
        scene.now.forward(hours=1)
    scene.run()


def at(month: int, day: int, hour: int = 0) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=SHANGHAI)


def test_a_subscription_keeps_whose_holidays_it_heeds(tmp_path: Path) -> None:
    one = heeding("shift", at(10, 1))
    with scene_from(tmp_path, at(10, 1), one) as scene:
        (kept,) = scene.store.subscriptions().all()
        assert (kept.country, kept.on_holiday) == ("CN", "shift")
        scene.store.subscriptions().seed([make_subscription(id="other", channel="C2")], at(10, 1))
        plain = next(one for one in scene.store.subscriptions().all() if one.id == "other")
        assert (plain.country, plain.on_holiday) == (None, "post")


def test_a_digest_is_posted_on_the_first_working_day_after_the_holiday(tmp_path: Path) -> None:
    with scene_from(tmp_path, at(10, 5, 8), heeding("shift", at(9, 29))) as scene:
        until(scene, at(10, 8, 8))
        assert roots(scene) == []
        until(scene, at(10, 8, 9))
        assert roots(scene) == ["2026-09-28"]
        assert scene.only().due_at == at(10, 8, 9).astimezone(UTC)
        until(scene, at(10, 12, 9))
        assert roots(scene) == ["2026-09-28", "2026-10-05"]


def test_two_that_a_long_holiday_moved_to_one_day_are_both_posted_the_earlier_week_first(tmp_path: Path) -> None:
    with scene_from(tmp_path, at(2, 16, 8), heeding("shift", at(2, 10))) as scene:
        until(scene, at(2, 24, 9))
        assert roots(scene) == ["2026-02-09", "2026-02-16"]


def test_a_digest_that_is_left_out_is_settled_with_the_reason(tmp_path: Path) -> None:
    with scene_from(tmp_path, at(10, 5, 8), heeding("skip", at(9, 29))) as scene:
        until(scene, at(10, 8, 9))
        assert scene.outcome() == ("skipped", "skipped: 2026-10-05 is a day off (国庆节)")
        assert scene.only().finished_at == at(10, 5, 9).astimezone(UTC)
        assert not scene.store.ledger().claimable(scene.now())
        assert scene.store.ledger().counts()["skipped"] == 1
        until(scene, at(10, 12, 9))
        assert roots(scene) == ["2026-10-05"]


def test_a_country_that_is_not_known_holds_up_nobody_else(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lost = make_subscription(id="lost", channel="C2", country="XX", on_holiday="skip", added_at=at(10, 6))
    with scene_from(tmp_path, at(10, 12, 9), lost, make_subscription(added_at=at(10, 6))) as scene:
        scene.run()
        assert roots(scene) == ["2026-10-05"]
        assert texts(scene.chat, "C2") == []
        assert "double channel C2: no holidays are known of 'XX', nothing is planned" in caplog.text


def test_status_tells_what_was_left_out_and_what_holidays_do() -> None:
    house = three_repositories()
    with house.store:
        one = house.subscribe("C1", ENGINE, country="CN", on_holiday="skip")
        note = "skipped: 2026-03-09 is a day off (Rest)"
        ledger = house.store.ledger()
        ledger.plan([Plan("slack", "C1", one.id, PERIOD, one.repositories, NOW, "skipped", note)], NOW)
        said = text_of(house.command("status"))
        assert "2026-03-02～03-08 这一期逢假期，不发" in said
        assert note in said
        assert "下一期 03-16 周一 09:00 · 逢 CN 假期不发 · 上一期" in said


def _unread() -> PullRequestSource:
    raise AssertionError("the source was asked")


def test_the_digest_that_is_posted_names_the_holidays_of_the_subscription() -> None:
    house = three_repositories()
    with house.store:
        since = PERIOD.before(14).since
        house.store.mark_covered(ENGINE, since, NOW, source="clone", synced_at=NOW, reach=Reach(since, NOW))
        editions = Editions(house.store, {ENGINE: Listed(subject(ENGINE), _unread, "public")}, lambda: NOW)
        summary = posted(editions, country="KR")
        assert "本周逢Independence Movement Day（02-28～03-02 连休），工作日 4 天，上周 5 天。" in summary
        assert "工作日" not in posted(editions, country=None)


def posted(editions: Editions, **changes: Any) -> str:
    added = NOW - timedelta(days=9)
    one = Subscription("1", "slack", "C1", (ENGINE,), 0, time(9), "Asia/Shanghai", added, **changes)
    return "\n".join(to_plain(message) for message in editions.of(one, PERIOD))
