"""The bot as a process in a Slack workspace: commands, buttons, questions and chatter, over both transports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from bot.periods import last_week
from tests.doubles.slack import Message
from tests.factories import ZONE
from tests.slack_world import World, running

_WEEK = f"{last_week(datetime.now(UTC), ZONE).since:%G-W%V}"


@pytest.fixture(
    scope="module", params=[pytest.param(mode, marks=pytest.mark.xdist_group(mode)) for mode in ("socket", "http")]
)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with running(tmp_path_factory.mktemp(request.param), mode=request.param) as made:
        yield made
        check_everything_said(made)


def check_everything_said(world: World) -> None:
    """Nothing that the bot ever said here is live, leads elsewhere, or was refused; everything was acknowledged."""
    links = [one.removeprefix("link:") for one in world.slack.alive()]
    assert [one for one in links if one.startswith("mention:")] == []
    assert {urlsplit(one).hostname for one in links} <= {"github.com", "example.slack.com"}
    posted = [*world.slack.calls("chat.postMessage"), *world.slack.calls("response_url")]
    assert posted
    assert [one.answer for one in posted if one.status != 200 or one.answer.get("ok") is False] == []
    world.slack.until(world.slack.deliveries.idle)
    assert [(one.event, one.attempts) for one in world.slack.deliveries.all if not one.acked] == []


# Commands


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("help", "/digest top"),
        ("", "/digest top"),
        ("帮助", "/digest top"),
        ("top", "#21"),
        ("top 3", "另有 9 个"),
        ("top all", "#21"),
        ("重点 3", "另有 9 个"),
        ("risks", "acme/engine"),
        ("风险", "acme/engine"),
        ("hot", "engine/core.py"),
        ("热点 1", "engine/core.py"),
        ("pr 22", "#22"),
        ("pr 22 23", "#23"),
        ("pr “22”", "#22"),
        ("pr　＃２２", "#22"),
        ("pr 99999", "99999"),
        ("score 22", "重要性"),
        ("评分依据 22", "重要性"),
        ("week 上周", "合入 12 个 PR"),
        (f"week {_WEEK}", "合入 12 个 PR"),
        (f"top week={_WEEK}", "#21"),
        ("top repo=engine", "#21"),
        ("top repo：acme/engine", "#21"),
        ("since v9", "v9"),
        ("status", "下一期"),
        ("状态", "下一期"),
        ("topp", "top"),
        ("risks week=2031-W01", "还没有开始"),
        ("top repo=nowhere", "nowhere"),
        ("哪些 PR 缺少测试？", "PR"),
    ],
)
def test_a_command_is_answered_to_the_asker_alone(world: World, text: str, says: str) -> None:
    everybody = len(world.seen(world.infra, world.boss))
    world.command(text, says)
    assert len(world.seen(world.infra, world.boss)) == everybody


def test_share_shows_the_answer_to_all(world: World) -> None:
    before = len(world.seen(world.infra, world.boss))
    world.command("top 3 share", "另有 9 个")
    assert "另有 9 个" in world.seen(world.infra, world.boss)[before].shown
    world.command("重点 4 公开", "另有 8 个")


@pytest.mark.parametrize("text", ["preview", "subscribe", "unsubscribe", "release 1", "更正 说错了"])
def test_a_command_for_admins_is_refused_with_the_reason(world: World, text: str) -> None:
    world.command(text, "管理员")


def test_an_admin_previews(world: World) -> None:
    assert "合入 12 个 PR" in world.command("preview", "后续建议", user=world.boss)


def test_an_admin_subscribes_a_channel_and_ends_it(world: World) -> None:
    world.command("top", "没有订阅", channel=world.other)
    world.command("subscribe repo=acme/engine 周五 17:30", "周五", channel=world.other, user=world.boss)
    world.command("status", "周五", channel=world.other)
    world.command("top", "#21", channel=world.other)
    world.command("unsubscribe", "acme/engine", channel=world.other, user=world.boss)
    world.command("status", "没有订阅", channel=world.other)


def test_the_word_payload_is_a_word(world: World) -> None:
    world.command("pr payload-fix", "payload")


# The digest


def test_the_digest_stands_once_with_its_thread_in_order(world: World) -> None:
    root = world.root(world.infra)
    titles = ["执行摘要", "本周重点变化", "模块与主题趋势", "风险观察", "重点PR速览", "后续建议"]
    shown = [one.shown for one in world.thread(root) if one.metadata]
    first = [next(place for place, text in enumerate(shown) if text.startswith(title)) for title in titles]
    assert first == sorted(first)
    assert set(world.slack.keys(world.infra).values()) == {1}
    assert len(root.shown) <= 420
    assert "合入 12 个 PR" in root.shown


def test_the_digests_buttons_answer_whoever_presses_them(world: World) -> None:
    root = world.root(world.infra)
    for label, says in {
        "风险": "acme/engine",
        "热点文件": "engine/core.py",
        "重点PR": "#21",
        "完整周报": "后续建议",
    }.items():
        before, others = len(world.seen(world.infra, world.zhang)), len(world.seen(world.infra, world.boss))
        pressed = world.slack.press(root.ts, label, world.zhang)
        world.says(world.infra, world.zhang, before, says)
        assert pressed.acked
        assert len(world.seen(world.infra, world.boss)) == others
    assert world.root(world.infra).ts == root.ts


def test_a_mistake_is_reported_and_corrected_in_the_digests_thread(world: World) -> None:
    root = world.root(world.infra)
    cards = next(one for one in world.thread(root) if "重点PR速览" in one.shown)
    label = re.search(r"有误 #(\d+)", str(cards.blocks))
    assert label
    before = len(world.seen(world.infra, world.zhang))
    world.slack.press(cards.ts, label[0], world.zhang)
    world.says(world.infra, world.zhang, before, "管理员")
    (report,) = world.slack.by_app(world.admins)
    assert f"#{label[1]}" in report.shown
    world.slack.say(world.admins, world.boss, "更正 影响范围只有测试", thread=report.ts, mention=True)
    world.slack.until(lambda: any("影响范围只有测试" in one.shown for one in world.thread(root)))


# Questions and chatter


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("#22 有什么风险？", "#22"),
        ("哪些 PR 改了 engine/core.py？", "#"),
        ("risks", "acme/engine"),
        ("风险", "acme/engine"),
    ],
)
def test_in_the_digests_thread_one_simply_asks(world: World, text: str, says: str) -> None:
    assert says in world.ask(text, thread=world.root(world.infra).ts)


@pytest.mark.parametrize(
    "text",
    [
        "收到",
        "谢谢",
        "👍",
        "ok",
        "@张三 你看看",
        "下午开会",
        "https://github.com/acme/engine/pull/22",
        "我来修",
        "lgtm",
    ],
)
def test_chatter_in_the_digests_thread_gets_silence(world: World, text: str) -> None:
    assert world.silent(text, thread=world.root(world.infra).ts)


def test_a_question_for_somebody_else_gets_silence(world: World) -> None:
    assert world.silent(f"<@{world.boss}> 这个风险大吗？", thread=world.root(world.infra).ts, raw=True)


@pytest.mark.parametrize("text", ["#22 有什么风险？", "risks", "https://github.com/acme/engine/pull/22"])
def test_elsewhere_only_who_addresses_the_bot_is_answered(world: World, text: str) -> None:
    assert world.silent(text)
    assert world.silent(text, thread=world.slack.say(world.infra, world.boss, "昨天的事"))


def test_a_mention_is_answered_in_its_thread(world: World) -> None:
    assert "engine/core.py" in world.ask("hot", mention=True)
    assert "top" in world.ask("", mention=True)
    old = world.slack.say(world.infra, world.boss, "昨天的事")
    assert "acme/engine" in world.ask("风险", thread=old, mention=True)


def test_a_question_elsewhere_about_a_pull_request_of_the_digest_is_answered_in_its_thread(world: World) -> None:
    root = world.root(world.infra)
    before = len(world.thread(root))
    (number,) = set(re.findall(r"有误 #(\d+)", str([one.blocks for one in world.thread(root)]))[:1])
    line = world.ask(f"#{number} 有什么风险？", mention=True)
    assert "周报的话题" in line
    assert len(line) < 60
    answer = world.slack.until(lambda: world.thread(root)[before:])[-1]
    assert f"#{number}" in answer.shown
    assert "频道里的提问" in answer.shown


def test_who_listens_to_mentions_only_is_left_alone(world: World) -> None:
    root = world.root(world.mentions)
    assert world.silent("#22 有什么风险？", world.mentions, thread=root.ts)
    assert "#22" in world.ask("#22 有什么风险？", world.mentions, thread=root.ts, mention=True)


def test_a_direct_message_sees_what_the_shared_channels_see(world: World) -> None:
    assert "engine/core.py" in world.ask("hot", direct=True)
    assert "#22" in world.ask("#22 有什么风险？", direct=True)
    stranger = world.slack.user("stranger")
    dm = world.slack.dm(stranger)
    world.slack.say(None, stranger, "hot", direct=True)
    (answer,) = world.slack.until(lambda: world.slack.by_app(dm))
    assert "core.py" not in answer.shown
    assert "频道" in answer.shown


def test_a_repository_that_is_not_public_stays_out_of_a_shared_channel(world: World) -> None:
    world.command("top", "公开", channel=world.open_)
    assert world.slack.by_app(world.open_) == world.seen(world.open_, world.zhang)
    assert not any("周报" in one.shown and one.metadata for one in world.slack.messages(world.open_))
    status = world.command("status", "下一期", user=world.boss, channel=world.infra)
    assert "acme/secret" not in status


# Deliveries of Slack's


def test_copies_and_edits_and_other_bots_get_no_second_answer(world: World) -> None:
    ts = world.slack.say(world.infra, world.zhang, "hot 1", mention=True)
    (answer,) = world.slack.until(lambda: answers(world, ts))
    world.slack.redeliver(ts)
    world.slack.edit(world.infra, ts, "hot 2")
    world.slack.other_bot(world.infra, f"<@{world.slack.bot}> risks")
    world.slack.emit({"type": "an_event_of_tomorrow", "event_ts": "1.1"})
    world.slack.until(world.slack.deliveries.idle)
    assert world.silent("下午开会")
    assert answers(world, ts) == [answer]


def test_the_pair_of_a_mention_is_one_whatever_its_order(world: World) -> None:
    ts = world.slack.say(world.infra, world.zhang, "hot 1", mention=True, mention_first=False)
    world.slack.until(lambda: answers(world, ts))
    assert world.silent("下午开会")
    assert len(answers(world, ts)) == 1


def test_the_same_question_asked_again_is_answered_again(world: World) -> None:
    assert world.ask("hot 1", mention=True) == world.ask("hot 1", mention=True)


def test_joining_a_channel_brings_one_welcome(world: World) -> None:
    channel = world.slack.channel("joined", [world.zhang], bot=False)
    world.slack.add_bot(channel, world.boss)
    (welcome,) = world.slack.until(lambda: [one for one in world.slack.by_app(channel) if not one.subtype])
    assert "subscribe" in welcome.shown
    world.slack.add_bot(channel, world.boss)
    assert world.silent("下午开会", channel)
    assert len([one for one in world.slack.by_app(channel) if not one.subtype]) == 1


def answers(world: World, ts: str) -> list[Message]:
    return [one for one in world.slack.messages(world.infra, thread=ts) if one.app_id]


def test_the_server_says_that_all_is_well(world: World) -> None:
    assert world.bot.get("/readyz")[0] == 200
    assert re.search(r'digest_bot_deliveries\{state="sent"\} [2-9]', world.bot.get("/metrics")[1])
    assert "digest_bot_keep_seconds" in world.bot.get("/metrics")[1]


def test_a_new_subscriber_gets_last_weeks_digest_on_joining(world: World) -> None:
    now = datetime.now(UTC) - timedelta(days=1)
    channel = world.slack.channel("late", [world.zhang, world.boss])
    day = "周" + "一二三四五六日"[now.weekday()]
    world.command(f"subscribe repo=acme/engine {day} 09:00", "下一期", channel=channel, user=world.boss)
    world.slack.add_bot(channel, world.boss)
    assert "合入 12 个 PR" in world.root(channel).shown
