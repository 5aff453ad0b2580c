"""What is said in Slack and what becomes of it: heard once, acknowledged at once, answered where it belongs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any

import pytest

from bot.message import Button, Buttons, Message, Plain, Text
from bot.platforms.slack.arrival import Arrival
from bot.platforms.slack.pace import Pace
from bot.ports import Incoming, Joined, NotSent, Place, Reply, Respond
from tests.doubles.slack import REQUIRED_SCOPES, Slack
from tests.slack_bot import Bot, echo, running, said

PRESSED = Message((Text((Plain("周报"),)), Buttons((Button("风险", "/digest risks"), Button("热点", "/digest hot")))))


@pytest.fixture
def slack() -> Iterator[Slack]:
    with Slack() as double:
        yield double


@dataclass
class Time:
    """Time that passes only where the bot waits for Slack's sake."""

    passed: float = 0.0
    pauses: list[float] = field(default_factory=list)

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.passed += seconds


def bot(slack: Slack, respond: Respond = echo, **options: Any) -> AbstractContextManager[Bot]:
    time = options.pop("time", Time())
    pace = Pace(interval=0.0, clock=lambda: time.passed)
    quick: dict[str, Any] = {"pace": pace, "timeout": 2, "pause": time.pause}
    return running(slack, respond, **(quick | options))


def settled(slack: Slack, running_bot: Bot, heard: int) -> None:
    """Wait until everything was delivered and so much was heard and handled."""
    slack.until(slack.deliveries.idle)
    slack.until(lambda: len(running_bot.inbox.payloads) >= heard and len(running_bot.heard) >= heard)
    assert running_bot.inbox.workers.stop(5)


def test_a_command_is_answered_to_the_asker_alone(slack: Slack) -> None:
    zhang, li = slack.user("zhang"), slack.user("li")
    infra = slack.channel("infra", [zhang, li])
    with bot(slack) as running_bot:
        command = slack.slash(infra, zhang, "top 3")
        (answer,) = slack.until(lambda: slack.messages(infra, user=zhang))
        assert slack.until(lambda: command.acked)
        assert answer.text == "echo: /digest top 3"
        assert (answer.to, answer.via) == (zhang, "response_url")
        assert slack.messages(infra, user=li) == []
        assert running_bot.heard == [Incoming("slack", infra, zhang, "/digest top 3", private=True)]


def test_a_command_is_answered_where_the_bot_is_no_member(slack: Slack) -> None:
    zhang = slack.user("zhang")
    elsewhere = slack.channel("elsewhere", [zhang], bot=False)
    with bot(slack):
        slack.slash(elsewhere, zhang, "help")
        assert slack.until(lambda: slack.messages(elsewhere, user=zhang))[0].to == zhang


def test_any_command_that_reaches_the_app_is_the_configured_one() -> None:
    with Slack(commands={"/digest-test"}) as slack:
        zhang = slack.user("zhang")
        infra = slack.channel("infra", [zhang])
        with bot(slack, command="/weekly"):
            slack.slash(infra, zhang, "top", command="/digest-test")
            (answer,) = slack.until(lambda: slack.messages(infra, user=zhang))
            assert answer.text == "echo: /weekly top"


def shared(incoming: Incoming) -> Reply:
    return Reply(said(f"all: {incoming.text}"), to_all=True)


def test_a_shared_answer_is_seen_by_all_and_found_again(slack: Slack) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang])
    with bot(slack, shared):
        slack.slash(infra, zhang, "top share")
        (answer,) = slack.until(lambda: slack.messages(infra))
        assert answer.to is None
        (key,) = slack.keys(infra)
        assert key.startswith("answer:trigger:")


def test_a_shared_answer_where_the_bot_is_no_member(slack: Slack) -> None:
    zhang = slack.user("zhang")
    elsewhere = slack.channel("elsewhere", [zhang], bot=False)
    with bot(slack, shared):
        slack.slash(elsewhere, zhang, "top share")
        (answer,) = slack.until(lambda: slack.messages(elsewhere))
        assert (answer.to, answer.via) == (None, "response_url")


def test_nothing_is_shared_with_the_other_one_of_a_conversation(slack: Slack) -> None:
    zhang = slack.user("zhang")
    with bot(slack, shared):
        slack.slash(slack.dm(zhang), zhang, "top share")
        (answer,) = slack.until(lambda: slack.messages(slack.dm(zhang), user=zhang))
        assert answer.to == zhang


def test_several_parts_go_on_through_the_web_api_when_the_address_is_used_up(slack: Slack) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang])
    long = said(*(f"第 {number} 段 " + "字" * 3_000 for number in range(14)))
    with bot(slack, lambda _: Reply(long)):
        slack.slash(infra, zhang, "top all")
        slack.until(lambda: "第 13 段" in "".join(one.shown for one in slack.messages(infra, user=zhang)))
    answers = slack.messages(infra, user=zhang)
    ways = [one.via for one in answers]
    assert ways[:4] == ["response_url"] * 4
    assert set(ways[4:]) == {"chat.postEphemeral"}
    together = "".join(one.shown for one in answers)
    assert [together.count(f"第 {number} 段") for number in range(14)] == [1] * 14
    assert {one.to for one in answers} == {zhang}


@pytest.mark.parametrize("how", ["used_url", "expired_url"])
def test_an_address_that_takes_nothing_more(slack: Slack, how: str) -> None:
    zhang = slack.user("zhang")
    infra, go = slack.channel("infra", [zhang]), Event()

    def respond(incoming: Incoming) -> Reply:
        assert go.wait(5)
        return echo(incoming)

    with bot(slack, respond) as running_bot:
        slack.slash(infra, zhang, "top")
        slack.until(lambda: running_bot.heard)
        if how == "expired_url":
            slack.advance(3_600)
        else:
            for url in slack.response_urls.all.values():
                url.uses = 5
        go.set()
        (answer,) = slack.until(lambda: slack.messages(infra, user=zhang))
        assert (answer.via, answer.to, answer.text) == ("chat.postEphemeral", zhang, "echo: /digest top")


@pytest.mark.parametrize("how", ["http_500", "drop_before", "ratelimited"])
def test_a_broken_address_is_tried_again(slack: Slack, how: str) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang])
    slack.fail("response_url", how)
    with bot(slack):
        slack.slash(infra, zhang, "top")
        assert slack.until(lambda: slack.messages(infra, user=zhang))[0].text == "echo: /digest top"


def test_a_lost_answer_is_told(slack: Slack, caplog: pytest.LogCaptureFixture) -> None:
    zhang = slack.user("zhang")
    elsewhere = slack.channel("elsewhere", [zhang], bot=False)
    long = said(*(f"第 {number} 段 " + "字" * 3_000 for number in range(14)))
    with bot(slack, lambda _: Reply(long)):
        slack.slash(elsewhere, zhang, "top all")
        slack.until(lambda: "出错了" in "".join(one.shown for one in slack.messages(elsewhere, user=zhang)))
    lost = [one for one in caplog.records if "the answer is lost" in one.getMessage()]
    assert len(lost) == 1
    assert zhang in lost[0].getMessage()


def test_a_slow_command_says_so_first(slack: Slack) -> None:
    zhang = slack.user("zhang")
    infra, go = slack.channel("infra", [zhang]), Event()

    def respond(incoming: Incoming) -> Reply:
        assert go.wait(5)
        return echo(incoming)

    with bot(slack, respond, slow=0.1):
        slack.slash(infra, zhang, "top")
        (status,) = slack.until(lambda: slack.messages(infra, user=zhang))
        assert "收到" in status.text
        go.set()
        slack.until(lambda: len(slack.messages(infra, user=zhang)) == 2)
    assert [one.text for one in slack.messages(infra, user=zhang)][1] == "echo: /digest top"


def test_a_fast_command_says_nothing_first(slack: Slack) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang])
    with bot(slack, slow=0.3):
        slack.slash(infra, zhang, "top")
        slack.until(lambda: slack.messages(infra, user=zhang))
        slack.rest(0.5)
    assert len(slack.messages(infra, user=zhang)) == 1


def test_a_button_is_answered_aside_and_its_message_stays(slack: Slack) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang])
    with bot(slack) as running_bot:
        root = running_bot.connection.platform.post(infra, PRESSED)
        reply = running_bot.connection.platform.post(infra, PRESSED, root)
        slack.press(root, "风险", zhang)
        slack.until(lambda: [one for one in slack.messages(infra, user=zhang) if one.to == zhang])
        slack.press(reply, "热点", zhang)
        (under,) = slack.until(
            lambda: [one for one in slack.messages(infra, thread=root, user=zhang) if one.to == zhang]
        )
    assert under.text == "echo: /digest hot"
    assert [(one.text, one.thread, one.message) for one in running_bot.heard] == [
        ("/digest risks", None, root),
        ("/digest hot", root, reply),
    ]
    assert slack.messages(infra)[0].edited is None


def test_a_mention_is_answered_once_in_the_thread_of_the_message(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    with bot(slack) as running_bot:
        ts = slack.say(infra, zhang, "本周风险?", mention=True)
        (answer,) = slack.until(lambda: slack.messages(infra, thread=ts))
        settled(slack, running_bot, 1)
    assert answer.text == "echo: 本周风险?"
    assert slack.keys(infra) == {f"answer:message:{infra}:{ts}": 1}
    assert len(running_bot.heard) == 1


@pytest.mark.parametrize("first", [True, False])
def test_a_mention_and_its_copy_in_whatever_order(slack: Slack, *, first: bool) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    with bot(slack) as running_bot:
        ts = slack.say(infra, zhang, "风险?", mention=True, mention_first=first)
        slack.until(lambda: slack.messages(infra, thread=ts))
        slack.redeliver(ts)
        settled(slack, running_bot, 1)
    assert len(running_bot.heard) == 1
    assert running_bot.heard[0].addressed
    assert len(slack.messages(infra, thread=ts)) == 1


def test_a_reply_is_answered_in_its_thread(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    with bot(slack) as running_bot:
        root = slack.say(infra, zhang, "周报呢")
        ts = slack.say(infra, zhang, "风险?", thread=root)
        settled(slack, running_bot, 1)
    assert [(one.message, one.thread) for one in running_bot.heard] == [(ts, root)]
    assert slack.messages(infra, thread=root)[-1].text.startswith("echo")
    assert len(slack.messages(infra, thread=root)) == 2


def test_a_direct_message_is_answered_in_place(slack: Slack) -> None:
    zhang = slack.user("zhang")
    with bot(slack) as running_bot:
        root = slack.say(None, zhang, "风险", direct=True)
        slack.until(lambda: len(slack.messages(slack.dm(zhang))) == 2)
        slack.say(None, zhang, "还有呢", direct=True, thread=root)
        slack.until(lambda: len(slack.messages(slack.dm(zhang), thread=root)) == 2)
    assert all(one.direct and one.addressed for one in running_bot.heard)


def test_silence_is_silence(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    with bot(slack, lambda _: None) as running_bot:
        slack.say(infra, zhang, "谢谢", thread=slack.say(infra, zhang, "周报呢"))
        settled(slack, running_bot, 1)
    assert slack.by_app() == []


def test_what_nobody_is_answered_for_is_acknowledged(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    with bot(slack) as running_bot:
        ts = slack.say(infra, zhang, "风险?", mention=True)
        slack.until(lambda: slack.messages(infra, thread=ts))
        slack.edit(infra, ts, "风险？？")
        slack.other_bot(infra, "部署完成?")
        slack.emit({"type": "reaction_added", "user": zhang, "reaction": "eyes", "event_ts": "1.1"})
        slack.emit({"type": "an_event_of_tomorrow", "event_ts": "1.1"})
        slack.deliveries.send("interactive", {"type": "view_submission", "user": {"id": zhang}, "view": {}})
        slack.delete(infra, ts)
        settled(slack, running_bot, 1)
    assert all(one.acked for one in slack.deliveries.all)
    assert len(running_bot.heard) == 1


def test_joining_a_channel_is_told(slack: Slack) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang], bot=False)
    with bot(slack) as running_bot:
        slack.add_bot(infra, zhang)
        slack.until(lambda: running_bot.joins)
        slack.until(slack.deliveries.idle)
    assert running_bot.joins == [Joined("slack", infra, zhang, external=False)]
    assert running_bot.heard == []


def test_an_answer_that_belongs_elsewhere(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    places: list[Place] = []

    def respond(incoming: Incoming) -> Reply:
        return Reply(said(f"关于它：{incoming.text}"), to_all=True, place=places[0])

    with bot(slack, respond) as running_bot:
        root = running_bot.connection.platform.post(infra, said("周报"))
        card = running_bot.connection.platform.post(infra, said("第 12 条"), root)
        places.append(Place(root, card))
        ts = slack.say(infra, zhang, "pr 12 是什么?", mention=True)
        (line,) = slack.until(lambda: slack.messages(infra, thread=ts))
        settled(slack, running_bot, 1)
    answer = slack.messages(infra, thread=root)[-1]
    assert "关于它：pr 12 是什么?" in answer.shown
    links = slack.alive(infra)
    assert f"link:{running_bot.connection.platform.permalink(infra, card)}" in links
    assert f"link:{running_bot.connection.platform.permalink(infra, answer.ts)}" in links
    assert "已在周报的话题里回答" in line.shown
    assert len(slack.messages(infra, thread=ts)) == 1


def test_a_digest_that_was_deleted_takes_no_answer(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    gone = Place("1700000000.000001", "1700000000.000001")
    with bot(slack, lambda _: Reply(said("答案"), to_all=True, place=gone)):
        ts = slack.say(infra, zhang, "pr 12 是什么?", mention=True)
        assert slack.until(lambda: slack.messages(infra, thread=ts))[0].text == "答案"


def test_a_slow_question_shows_a_status(slack: Slack) -> None:
    zhang, infra, go = slack.user("zhang"), slack.channel("infra"), Event()

    def respond(incoming: Incoming) -> Reply:
        assert go.wait(5)
        return echo(incoming)

    with bot(slack, respond, slow=0.1):
        ts = slack.say(infra, zhang, "风险?", mention=True)
        (status,) = slack.until(lambda: slack.workspace.statuses)
        assert (status["channel"], status["thread_ts"]) == (infra, ts)
        assert status["status"]
        go.set()
        slack.until(lambda: slack.messages(infra, thread=ts))
        slack.until(lambda: slack.workspace.statuses[-1]["status"] == "")


def test_a_workspace_without_statuses_is_asked_once(slack: Slack, caplog: pytest.LogCaptureFixture) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    slack.fail("assistant.threads.setStatus", "unknown_method", times=9)

    def respond(incoming: Incoming) -> Reply:
        Event().wait(0.2)
        return echo(incoming)

    with bot(slack, respond, slow=0.05):
        for text in ("一?", "二?"):
            ts = slack.say(infra, zhang, text, mention=True)
            slack.until(partial(slack.messages, infra, thread=ts))
    assert len(slack.calls("assistant.threads.setStatus")) == 1
    assert len([one for one in caplog.records if "no status is shown" in one.getMessage()]) == 1


def test_a_failure_is_an_apology_and_one_line_in_the_log(slack: Slack, caplog: pytest.LogCaptureFixture) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")

    def respond(incoming: Incoming) -> Reply:
        raise LookupError(incoming.text)

    with bot(slack, respond) as running_bot:
        ts = slack.say(infra, zhang, "风险?", mention=True)
        (answer,) = slack.until(lambda: slack.messages(infra, thread=ts))
        slack.say(infra, zhang, "闲聊一句", thread=ts)
        settled(slack, running_bot, 2)
    assert "出错了" in answer.shown
    told = [one for one in caplog.records if "no answer to what" in one.getMessage()]
    assert len(told) == 2
    assert len(slack.by_app(infra)) == 1, "who did not ask gets no apology"


@pytest.mark.parametrize("how", ["drop_after", "late", "http_500", "internal_error", "drop_before"])
def test_an_answer_stands_there_once_whatever_slack_does(slack: Slack, how: str) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    slack.fail("chat.postMessage", how, after=1.5)
    with bot(slack, timeout=1) as running_bot:
        ts = slack.say(infra, zhang, "风险?", mention=True)
        settled(slack, running_bot, 1)
    assert slack.keys(infra) == {f"answer:message:{infra}:{ts}": 1}


def test_slack_is_waited_for_as_long_as_it_asks(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    slack.fail("chat.postMessage", "ratelimited", times=2, after=3)
    time = Time()
    with bot(slack, time=time) as running_bot:
        slack.say(infra, zhang, "风险?", mention=True)
        settled(slack, running_bot, 1)
    assert len(time.pauses) == 2
    assert min(time.pauses) >= 3
    assert len(slack.by_app(infra)) == 1


def test_without_end_it_is_left_for_later(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    slack.fail("chat.postMessage", "ratelimited", times=99, after=20)
    with bot(slack) as running_bot:
        slack.say(infra, zhang, "风险?", mention=True)
        slack.until(lambda: running_bot.inbox.errors)
    assert isinstance(running_bot.inbox.errors[0], NotSent)


def test_an_event_that_is_handled_again_is_answered_once(slack: Slack) -> None:
    """As after a crash between the post and the note that it was made: another process takes the event over."""
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    long = Reply(said(*(f"第 {number} 段 " + "字" * 3_000 for number in range(5))), to_all=True)
    with bot(slack, lambda _: long) as running_bot:
        ts = slack.say(infra, zhang, "风险?", mention=True)
        slack.slash(infra, zhang, "top share")
        settled(slack, running_bot, 2)
        before = slack.keys(infra)
        assert len(before) > 3
        slack.delete(infra, slack.messages(infra, thread=ts)[-1].ts)
        payloads = list(running_bot.inbox.payloads)
        with bot(slack) as replica:
            for payload in payloads:
                replica.connection.handle(payload, lambda _: long, replica.joins.append)
    assert slack.keys(infra) == before


def test_without_permission_to_look_it_is_answered_all_the_same() -> None:
    with Slack(scopes=REQUIRED_SCOPES) as slack:
        zhang, infra = slack.user("zhang"), slack.channel("infra")
        slack.fail("chat.postMessage", "http_500")
        with bot(slack) as running_bot:
            ts = slack.say(infra, zhang, "风险?", mention=True)
            settled(slack, running_bot, 1)
        assert len(slack.messages(infra, thread=ts)) == 1


def test_a_deleted_question_is_not_answered(slack: Slack) -> None:
    zhang, infra, go = slack.user("zhang"), slack.channel("infra"), Event()

    def respond(incoming: Incoming) -> Reply:
        assert go.wait(5)
        return echo(incoming)

    with bot(slack, respond) as running_bot:
        ts = slack.say(infra, zhang, "风险?", mention=True)
        slack.until(lambda: running_bot.heard)
        slack.delete(infra, ts)
        go.set()
        settled(slack, running_bot, 1)
    assert running_bot.inbox.errors == []
    assert slack.by_app(infra) == []


def test_what_cannot_be_kept_is_not_acknowledged_and_comes_again(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    slack.deliveries.retry_delays = (0.1, 0.1, 0.1)
    slack.deliveries.ack_seconds = 0.2
    with bot(slack) as running_bot:
        running_bot.inbox.broken = OSError("disk full")
        ts = slack.say(infra, zhang, "风险?", mention=True)
        slack.until(lambda: [one for one in slack.events_of(ts) if len(one.attempts) > 1])
        running_bot.inbox.broken = None
        slack.until(lambda: slack.messages(infra, thread=ts))


def test_a_command_that_cannot_be_kept_gets_an_apology(slack: Slack, caplog: pytest.LogCaptureFixture) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang])
    with bot(slack) as running_bot:
        root = running_bot.connection.platform.post(infra, PRESSED)
        running_bot.inbox.broken = OSError("disk full")
        command = slack.slash(infra, zhang, "top")
        slack.until(lambda: [one for one in slack.messages(infra, user=zhang) if one.via == "ack"])
        pressed = slack.press(root, "风险", zhang)
        slack.until(lambda: [one for one in slack.messages(infra, user=zhang) if one.via == "response_url"])
    assert command.acked
    assert pressed.acked
    assert all("出错了" in one.shown for one in slack.messages(infra, user=zhang) if one.to)
    assert len([one for one in caplog.records if "could not be kept" in one.getMessage()]) == 2


def test_acknowledgements_are_fast_while_answers_are_slow(slack: Slack) -> None:
    users = [slack.user(f"dev-{number}") for number in range(30)]
    infra, go = slack.channel("infra", users), Event()

    def respond(incoming: Incoming) -> Reply:
        assert go.wait(10)
        return echo(incoming)

    with bot(slack, respond):
        commands = [slack.slash(infra, user, "top") for user in users]
        slack.until(lambda: all(one.acked for one in commands))
        go.set()
        slack.until(lambda: all(slack.messages(infra, user=user) for user in users), 10)
    latencies = sorted(one for one in slack.latencies())
    assert latencies[-1] < 1.0


def test_what_people_say_and_tokens_are_not_logged(slack: Slack, caplog: pytest.LogCaptureFixture) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang])
    caplog.set_level(logging.DEBUG)
    with bot(slack):
        slack.slash(infra, zhang, "机密内容")
        slack.until(lambda: slack.messages(infra, user=zhang))
    written = "\n".join(one.getMessage() for one in caplog.records)
    assert "机密内容" not in written
    assert slack.bot_token not in written
    assert slack.app_token not in written


def test_a_kept_event_is_plain_json(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    with bot(slack) as running_bot:
        slack.say(infra, zhang, "风险?", mention=True)
        settled(slack, running_bot, 1)
    (payload,) = running_bot.inbox.payloads
    assert Arrival.from_json(payload).what == running_bot.heard[0]
