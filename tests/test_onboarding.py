"""What a channel gets when the bot is added to it: one welcome, then last week's digest at once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread

import pytest

from bot.onboarding import Onboarding
from bot.ports import CannotLook, Joined, NotSent, Refused, Unsure
from bot.store.store import Store
from bot.store.subscriptions import Subscription
from bot.team import Team, Visibility
from tests.chat_room import ChatRoom
from tests.test_subscriptions import BY, NOW, channel, listed

JOINED = Joined("slack", "C1", "U7")
REPOSITORIES: dict[str, Visibility | None] = {"acme/engine": None, "acme/console": "public", "acme/secret": "private"}


@dataclass
class Scene:
    """A store, a chat, and what was asked to be delivered."""

    store: Store
    room: ChatRoom = field(default_factory=ChatRoom)
    asked: list[Subscription] = field(default_factory=list)
    now = NOW

    def joined(self, joined: Joined = JOINED) -> None:
        team = Team("Asia/Shanghai", REPOSITORIES, ("slack:UADMIN", "lark:ou_other"))
        Onboarding(
            self.store, {"slack": self.room}, team, self.asked.append, lambda: self.now, {"slack": "/周报"}
        ).joined(joined)

    def subscribe(self, *repositories: str, where: str = "C1") -> Subscription:
        (one,) = listed(channel(id=where))
        return self.store.subscriptions().add(
            Subscription("-".join(repositories), "slack", where, repositories, 0, one.time, one.timezone, NOW), BY, NOW
        )

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self.room.posted]


@pytest.fixture
def scene(store: Store) -> Scene:
    return Scene(store)


def test_the_welcome_says_what_comes_when_how_to_ask_how_to_stop_and_whom_to_tell(scene: Scene) -> None:
    one = scene.subscribe("acme/engine", "acme/console")
    scene.joined()
    (text,) = scene.texts
    for said in (
        "acme/engine、acme/console",
        "每周一 09:00（北京时间），下一期 03-16 周一 09:00",
        "/周报 help",
        "话题里用不了斜杠命令",
        "/周报 unsubscribe",
        "「有误」",
        "UADMIN",
    ):
        assert said in text
    assert "ou_other" not in text
    assert "还没有订阅" not in text
    assert len(text) < 500
    assert scene.asked == [one]
    assert scene.room.posted[0].thread is None


def test_a_channel_without_a_subscription_is_told_how_an_admin_subscribes(scene: Scene) -> None:
    scene.subscribe("acme/engine", where="C2")
    scene.joined()
    assert "还没有订阅" in scene.texts[0]
    assert "/周报 subscribe OWNER/NAME 周一 09:00" in scene.texts[0]
    assert "acme/engine" not in scene.texts[0]
    assert scene.asked == []


def test_it_comes_once_however_often_the_event_does(scene: Scene) -> None:
    scene.subscribe("acme/engine")
    for minutes in (0, 1, 59, 61, 60 * 24 * 30):
        scene.now = NOW + timedelta(minutes=minutes)
        scene.joined()
    assert len(scene.texts) == 1
    scene.joined(Joined("slack", "C2"))
    assert [one.channel for one in scene.room.posted] == ["C1", "C2"]


def test_it_comes_once_from_replicas_that_hear_of_it_at_once(scene: Scene) -> None:
    start = Barrier(5)

    def replica() -> None:
        start.wait()
        scene.joined()

    threads = [Thread(target=replica) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(scene.texts) == 1


@pytest.mark.parametrize("failure", [NotSent("try later"), Refused("not in the channel")])
def test_what_was_not_posted_is_posted_when_the_event_is_handled_again(scene: Scene, failure: Exception) -> None:
    one = scene.subscribe("acme/engine")
    scene.room.failures = [failure]
    with pytest.raises(type(failure)):
        scene.joined()
    assert (scene.texts, scene.asked) == ([], [])
    scene.joined()
    assert len(scene.texts) == 1
    assert scene.asked == [one]


def test_what_may_have_been_posted_is_looked_for_first(scene: Scene) -> None:
    scene.room.lost = Unsure("the connection broke after it was posted")
    with pytest.raises(Unsure):
        scene.joined()
    scene.now += timedelta(seconds=10)
    scene.joined()
    assert len(scene.texts) == 1
    scene.room.posted.clear()  # it was not posted after all
    scene.joined()
    assert len(scene.texts) == 1


def test_the_welcome_says_what_holidays_do_to_the_digest(scene: Scene) -> None:
    one = replace(scene.subscribe("acme/engine"), country="JP", on_holiday="shift")
    scene.store.subscriptions().add(one, BY, NOW)
    scene.now = datetime(2026, 5, 2, tzinfo=UTC)
    scene.joined()
    (text,) = scene.texts
    assert "下一期 05-07 周四 09:00（05-04 逢Constitution Day、Greenery Day、Children's Day" in text
    assert "顺延）；逢 JP 假期顺延到下一个工作日" in text


def test_where_nobody_can_look_one_welcome_too_few_is_better_than_two(scene: Scene) -> None:
    scene.room.failures = [Unsure("the connection broke")]
    scene.room.deaf = CannotLook("channels:history is missing")
    with pytest.raises(Unsure):
        scene.joined()
    scene.now += timedelta(seconds=10)
    scene.joined()
    assert scene.texts == []


def test_only_a_subscription_that_never_had_a_digest_gets_one_at_once(scene: Scene) -> None:
    from bot.store.ledger import Plan  # noqa: PLC0415 - only here
    from tests.factories import PERIOD  # noqa: PLC0415 - only here

    old, new = scene.subscribe("acme/engine"), scene.subscribe("acme/console")
    scene.store.ledger().plan([Plan("slack", "C1", old.id, PERIOD, old.repositories, NOW)], NOW)
    scene.joined()
    assert scene.asked == [new]


# Channels that another organisation reads


def test_where_another_organisation_reads_along_only_public_repositories_are_named_and_delivered(scene: Scene) -> None:
    scene.subscribe("acme/engine")
    public, _ = scene.subscribe("acme/console"), scene.subscribe("acme/console", "acme/secret")
    scene.room.outside = True
    scene.joined()
    (text,) = scene.texts
    assert "acme/console" in text
    assert "acme/engine" not in text
    assert "acme/secret" not in text
    assert "其他组织的成员" in text
    assert scene.asked == [public]
    assert scene.store.channels().external("slack", "C1") is True


def test_what_the_event_says_of_the_channel_goes_before_what_the_platform_says(scene: Scene) -> None:
    scene.subscribe("acme/engine")
    scene.joined(Joined("slack", "C1", external=True))
    assert "acme/engine" not in scene.texts[0]
    assert "其他组织的成员" in scene.texts[0]
    assert scene.asked == []


def test_where_it_is_not_known_who_reads_along_private_repositories_are_not_shown(scene: Scene) -> None:
    scene.room.outside = None
    scene.subscribe("acme/secret")
    engine = scene.subscribe("acme/engine")
    scene.joined()
    assert "acme/engine" in scene.texts[0]
    assert "acme/secret" not in scene.texts[0]
    assert "查不到这个频道里是否有其他组织的成员" in scene.texts[0]
    assert scene.asked == [engine]
    scene.store.channels().note_external("slack", "C1", external=False)
    scene.room.posted.clear()
    scene.now += timedelta(minutes=1)
    scene.joined()
    assert "acme/secret" in scene.texts[0]
