"""Posting to Slack: each failure told apart, what was posted found again, and another form where one is refused."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest

from bot.message import Chart, Heading, Link, ListBlock, Message, Plain, PullRequestRef, Table, Text
from bot.platforms.slack.connection import SlackConnection
from bot.platforms.slack.forms import halves, texts
from bot.platforms.slack.pace import Pace
from bot.platforms.slack.send import SlackPlatform
from bot.ports import CannotLook, ChatPlatform, NotSent, Part, Refused, ThreadGone, Unsure
from tests.doubles.slack import REQUIRED_SCOPES, Slack, live
from tests.slack_bot import said, settings

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
CHART = Message(
    (Text((Plain("本周"),)), Chart("每周合入", "bar", ("03-02", "03-09"), (("PR", (12.0, 15.0)),))), summary="本周"
)


@pytest.fixture
def slack() -> Iterator[Slack]:
    with Slack() as double:
        yield double


def platform(slack: Slack, **options: Any) -> SlackPlatform:
    quick: dict[str, Any] = {"pace": Pace(interval=0.0), "timeout": 2}
    return SlackConnection(settings(slack), **(quick | options)).platform


def one_part(slack: Slack, message: Message | None = None) -> Part:
    (part,) = platform(slack).parts(message or said("周报"))
    return part


def test_it_is_a_chat_platform(slack: Slack) -> None:
    found: ChatPlatform = platform(slack)
    assert found.name == "slack"


def test_a_post_says_its_key_and_nothing_unfurls(slack: Slack) -> None:
    infra = slack.channel("infra")
    ts = platform(slack).send(infra, one_part(slack), "k1")
    (message,) = slack.messages(infra)
    assert (message.ts, message.text) == (ts, "周报")
    assert message.metadata == {"event_type": "digest_bot", "event_payload": {"key": "k1"}}
    assert (message.asked["unfurl_links"], message.asked["unfurl_media"]) == (False, False)
    assert {"link_names", "parse", "mrkdwn"}.isdisjoint(message.asked)


def test_a_reply_stands_under_its_root(slack: Slack) -> None:
    infra, bot = slack.channel("infra"), platform(slack)
    root = bot.send(infra, one_part(slack), "k1")
    reply = bot.send(infra, one_part(slack, said("第一节")), "k2", root)
    assert [one.ts for one in slack.messages(infra, thread=root)] == [reply]


def test_parts_name_what_they_cite(slack: Slack) -> None:
    ref = PullRequestRef(12, "https://example.com/acme/engine/pull/12")
    assert one_part(slack, Message((Text((ref,)),))).cites == (ref.url,)


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ("ratelimited", NotSent),
        ("http_500", Unsure),
        ("http_503", Unsure),
        ("drop_before", Unsure),
        ("drop_after", Unsure),
        ("internal_error", Unsure),
        ("fatal_error", Unsure),
        ("service_unavailable", Unsure),
        ("channel_not_found", Refused),
        ("not_in_channel", Refused),
        ("is_archived", Refused),
        ("invalid_auth", Refused),
        ("token_revoked", Refused),
        ("account_inactive", Refused),
        ("missing_scope", Refused),
        ("restricted_action", Refused),
        ("an_error_of_tomorrow", Refused),
        ("thread_not_found", ThreadGone),
    ],
)
def test_what_a_failure_means(slack: Slack, how: str, error: type[Exception]) -> None:
    infra = slack.channel("infra")
    slack.fail("chat.postMessage", how)
    with pytest.raises(error) as caught:
        platform(slack).send(infra, one_part(slack), "k1")
    assert type(caught.value) is error or issubclass(error, Refused)
    assert "\n" not in str(caught.value)
    assert len(slack.calls("chat.postMessage")) == 1, "it is tried once"


def test_how_long_to_wait_is_passed_on(slack: Slack) -> None:
    infra = slack.channel("infra")
    slack.fail("chat.postMessage", "ratelimited", after=7)
    with pytest.raises(NotSent) as caught:
        platform(slack).send(infra, one_part(slack), "k1")
    assert caught.value.after is not None
    assert caught.value.after >= 7


def test_an_answer_that_comes_too_late_is_no_answer(slack: Slack) -> None:
    infra = slack.channel("infra")
    slack.fail("chat.postMessage", "late", after=2.0)
    with pytest.raises(Unsure):
        platform(slack, timeout=1).send(infra, one_part(slack), "k1")


@pytest.mark.parametrize("address", ["http://127.0.0.1:{free}/api/", "http://nowhere.invalid/api/"])
def test_no_connection_is_not_sent(slack: Slack, address: str) -> None:
    with closing(socket.socket()) as held:
        held.bind(("127.0.0.1", 0))
        url = address.format(free=held.getsockname()[1])
        bot = SlackConnection(settings(slack, api_url=url), timeout=2).platform
        with pytest.raises(NotSent):
            bot.send("C1", one_part(slack), "k1")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<html>...", Unsure),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", Unsure),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull", Unsure),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\xff\xfe\xfd", Unsure),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", Unsure),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Unsure),
        (b"not HTTP at all\r\n\r\n", Unsure),
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 5\r\n\r\noops!", Unsure),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\noops!", Refused),
        (b"HTTP/1.1 407 Proxy\r\nContent-Length: 5\r\n\r\noops!", Refused),
    ],
)
def test_an_answer_that_is_not_slacks(slack: Slack, answer: bytes, error: type[Exception]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        thread = Thread(target=answer_once, args=(server, answer))
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/api/"
        with pytest.raises(error):
            SlackConnection(settings(slack, api_url=url), timeout=2).platform.send("C1", one_part(slack), "k1")
        thread.join(5)


def answer_once(server: socket.socket, answer: bytes) -> None:
    connection, _ = server.accept()
    with connection:
        while b"\r\n\r\n" not in connection.recv(65_536):
            pass
        connection.sendall(answer)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(65_536)


def test_a_refusal_says_the_fix(slack: Slack) -> None:
    elsewhere = slack.channel("elsewhere", bot=False)
    with pytest.raises(Refused, match="invite it there"):
        platform(slack).send(elsewhere, one_part(slack), "k1")
    slack.scopes(REQUIRED_SCOPES - {"chat:write"})
    with pytest.raises(Refused, match="lacks the permission chat:write"):
        platform(slack).send(slack.channel("infra"), one_part(slack), "k1")


def test_a_deleted_root_takes_no_reply(slack: Slack) -> None:
    infra, bot = slack.channel("infra"), platform(slack)
    root = bot.send(infra, one_part(slack), "k1")
    slack.delete(infra, root)
    with pytest.raises(ThreadGone):
        bot.send(infra, one_part(slack), "k2", root)
    assert slack.messages(infra) == []
    assert bot.find(infra, "k2", LONG_AGO, root) is None


def test_find_what_was_posted(slack: Slack) -> None:
    infra, bot = slack.channel("infra"), platform(slack)
    slack.fail("chat.postMessage", "drop_after")
    with pytest.raises(Unsure):
        bot.send(infra, one_part(slack), "k1")
    root = bot.find(infra, "k1", datetime.now(UTC) - timedelta(minutes=1))
    assert root == slack.messages(infra)[0].ts
    reply = bot.send(infra, one_part(slack), "k2", root)
    assert bot.find(infra, "k2", LONG_AGO, root) == reply
    assert bot.find(infra, "k3", LONG_AGO) is None
    assert bot.find(infra, "k3", LONG_AGO, root) is None


def test_find_looks_no_further_back_than_asked(slack: Slack) -> None:
    infra, bot = slack.channel("infra"), platform(slack)
    bot.send(infra, one_part(slack), "k1")
    assert bot.find(infra, "k1", datetime.now(UTC) + timedelta(hours=1)) is None
    assert len(slack.calls("conversations.history")) == 1


def test_find_reads_every_page(slack: Slack) -> None:
    infra, zhang, bot = slack.channel("infra"), slack.user("zhang"), platform(slack)
    root = bot.send(infra, one_part(slack), "k1")
    for number in range(250):
        slack.say(infra, zhang, f"消息 {number}")
    assert bot.find(infra, "k1", LONG_AGO) == root
    assert len(slack.calls("conversations.history")) == 2


def test_find_ignores_what_another_app_posted_under_the_key(slack: Slack) -> None:
    infra, bot = slack.channel("infra"), platform(slack)
    slack.other_bot(infra, "周报")
    slack.messages(infra)[0].metadata = {"event_type": "digest_bot", "event_payload": {"key": "k1"}}
    assert bot.find(infra, "k1", LONG_AGO) is None


def test_without_the_permission_nothing_can_be_found(slack: Slack) -> None:
    infra = slack.channel("infra")
    slack.scopes(REQUIRED_SCOPES)
    with pytest.raises(CannotLook, match="channels:history"):
        platform(slack).find(infra, "k1", LONG_AGO)


@pytest.mark.parametrize("how", ["http_500", "ratelimited", "drop_before"])
def test_a_look_that_fails_is_no_empty_find(slack: Slack, how: str) -> None:
    infra = slack.channel("infra")
    slack.fail("conversations.history", how)
    with pytest.raises(NotSent):
        platform(slack).find(infra, "k1", LONG_AGO)


def test_withdraw(slack: Slack) -> None:
    infra, bot = slack.channel("infra"), platform(slack)
    ts = bot.send(infra, one_part(slack), "k1")
    bot.withdraw(infra, ts)
    assert slack.messages(infra) == []
    bot.withdraw(infra, ts)
    slack.fail("chat.delete", "http_500")
    with pytest.raises(NotSent):
        bot.withdraw(infra, ts)
    other = slack.say(infra, slack.user("zhang"), "人说的话")
    with pytest.raises(Refused):
        bot.withdraw(infra, other)


def test_charts_are_tried_once_where_the_workspace_has_none() -> None:
    with Slack(charts=False) as slack:
        infra, bot = slack.channel("infra"), platform(slack)
        part = one_part(slack, CHART)
        assert "data_visualization" in part.body
        bot.send(infra, part, "k1")
        bot.send(infra, part, "k2")
        assert [one.status for one in slack.calls("chat.postMessage")] == [200, 200, 200]
        assert [one.answer["ok"] for one in slack.calls("chat.postMessage")] == [False, True, True]
        assert "12" in json.dumps(slack.messages(infra)[1].blocks)
        assert slack.keys(infra) == {"k1": 1, "k2": 1}
        (later,) = bot.parts(CHART)
        assert "data_visualization" not in later.body


def long_message() -> Message:
    lines = tuple((Plain(f"第 {number} 条：" + "很长的一行。" * 12),) for number in range(60))
    return Message((Heading((Plain("重点变化"),)), ListBlock(lines), Text((Plain("完"),))), summary="重点变化")


def test_a_message_that_is_too_long_is_sent_in_parts(slack: Slack) -> None:
    infra, bot = slack.channel("infra"), platform(slack)
    slack.app.block_text = 2_500
    part = bot.parts(long_message())[0]
    shown = bot.send(infra, part, "k1")
    posted = slack.messages(infra)
    assert slack.keys(infra) == {"k1/1": 1, "k1.1": 1, "k1": 1}
    assert bot.find(infra, "k1", LONG_AGO) == shown == posted[-1].ts
    together = "\n".join(one.shown for one in posted)
    words = json.dumps(json.loads(part.body)["blocks"], ensure_ascii=False)
    assert all((f"第 {number} 条" in together) == (f"第 {number} 条" in words) for number in range(60))


def numbers_shown(slack: Slack, channel: str) -> list[str]:
    """The numbered lines of `long_message` as they are visible, in order."""
    return re.findall(r"第 (\d+) 条", "".join(one.shown for one in slack.everything(channel)))


@pytest.mark.parametrize("lost", [0, 1, 2])
@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("how", ["drop_after", "drop_before", "ratelimited"])
def test_pieces_that_are_there_are_not_sent_again(slack: Slack, how: str, lost: int, *, restarted: bool) -> None:
    infra, bot = slack.channel("infra"), platform(slack)
    slack.app.block_text = 2_500
    part = bot.parts(long_message())[0]
    bot.send(infra, part, "whole")
    expected = numbers_shown(slack, infra)
    tried = [one.answer["ok"] for one in slack.calls("chat.postMessage")]
    place = [number for number, ok in enumerate(tried) if ok][lost]
    for one in slack.everything(infra):
        bot.withdraw(infra, one.ts)
    slack.fail("chat.postMessage", how, skip=place)
    with pytest.raises((Unsure, NotSent)):
        bot.send(infra, part, "k1", since=LONG_AGO)
    again = platform(slack) if restarted else bot
    if again.find(infra, "k1", LONG_AGO) is None:
        again.send(infra, part, "k1", since=LONG_AGO)
    assert numbers_shown(slack, infra) == expected
    assert slack.keys(infra) == {"k1/1": 1, "k1.1": 1, "k1": 1}


def test_without_looking_a_piece_that_is_known_to_be_there_is_not_sent_again() -> None:
    with Slack(scopes=REQUIRED_SCOPES) as slack:
        infra, bot = slack.channel("infra"), platform(slack)
        slack.app.block_text = 2_500
        part = bot.parts(long_message())[0]
        slack.fail("chat.postMessage", "ratelimited", skip=4)
        with pytest.raises(NotSent):
            bot.send(infra, part, "k1", since=LONG_AGO)
        assert slack.everything(infra)
        bot.send(infra, part, "k1", since=LONG_AGO)
        shown = numbers_shown(slack, infra)
        assert len(shown) == len(set(shown))
        assert set(slack.keys(infra).values()) == {1}


def test_blocks_that_are_refused_whatever_they_are_go_as_text(slack: Slack) -> None:
    infra, bot = slack.channel("infra"), platform(slack)
    slack.fail("chat.postMessage", "invalid_blocks")
    ref = Link("改动", "https://example.com/12")
    message = Message((Text((Plain("<!channel> 注意"), ref)),), summary="注意")
    bot.send(infra, one_part(slack, message), "k1")
    (posted,) = slack.messages(infra)
    assert posted.blocks == []
    assert posted.text == "&lt;!channel&gt; 注意<https://example.com/12|改动>"
    assert live({"text": posted.text}) == ["link:https://example.com/12"]
    assert slack.keys(infra) == {"k1": 1}


def test_texts_hold_every_word_and_stay_short() -> None:
    rows = tuple((((Plain(f"engine/core_{n}.py"),)), ((Plain("x" * 90),))) for n in range(60))
    message = Message((Table(((Plain("文件"),), (Plain("说明"),)), rows), *long_message().blocks))
    with Slack() as slack:
        blocks = [block for part in platform(slack).parts(message) for block in json.loads(part.body)["blocks"]]
    told = texts(blocks)
    assert all(len(one) <= 3_000 for one in told)
    assert all(f"engine/core_{n}.py" in "\n".join(told) for n in range(60))
    assert "第 59 条" in told[-1]


def test_halves() -> None:
    assert halves([{"n": 1}, {"n": 2}, {"n": 3}]) == ([{"n": 1}], [{"n": 2}, {"n": 3}])
    assert halves([{"n": 1}]) == ()


def test_post_gives_the_id_of_the_first_part(slack: Slack) -> None:
    infra = slack.channel("infra")
    first = platform(slack).post(infra, said("答案"))
    assert slack.messages(infra)[0].ts == first


def test_permalink(slack: Slack) -> None:
    infra, bot = slack.channel("infra"), platform(slack)
    ts = bot.post(infra, said("周报"))
    assert bot.permalink(infra, ts) == f"https://example.slack.com/archives/{infra}/p{ts.replace('.', '')}"
    assert bot.permalink(infra, "1.1") is None
    slack.fail("chat.getPermalink", "http_500")
    assert bot.permalink(infra, ts) is None


def test_who_reads_along(slack: Slack) -> None:
    bot = platform(slack)
    assert bot.external(slack.channel("infra")) is False
    assert bot.external(slack.channel("partners", external=True)) is True
    slack.scopes(REQUIRED_SCOPES)
    assert bot.external(slack.channel("other")) is None


def test_who_is_there(slack: Slack) -> None:
    zhang, li = slack.user("zhang"), slack.user("li")
    infra, bot = slack.channel("infra", [zhang]), platform(slack)
    assert bot.shares(infra, zhang) is True
    assert bot.shares(infra, li) is False
    assert len(slack.calls("conversations.members")) == 1, "believed for a minute"
    slack.scopes(REQUIRED_SCOPES)
    assert bot.shares(slack.channel("other", [zhang]), zhang) is None


def test_pace_spaces_a_channel_and_no_other() -> None:
    now, slept = [100.0], list[float]()
    pace = Pace(1.0, burst=2, clock=lambda: now[0], pause=slept.append)
    for _ in range(2):
        pace.turn("C1", most=5)
    assert slept == []
    pace.turn("C1", most=5)
    assert slept == [1.0]
    pace.turn("C2", most=5)
    assert slept == [1.0]
    pace.hold("C1", 30)
    with pytest.raises(NotSent) as caught:
        pace.turn("C1", most=5)
    assert caught.value.after == 30.0
    now[0] = 130.0
    pace.turn("C1", most=5)
    assert slept == [1.0]


def test_at_slacks_own_pace_nothing_is_refused() -> None:
    with Slack(rate_limit=True) as slack:
        infra, bot = slack.channel("infra"), platform(slack, pace=Pace())
        for number in range(5):
            bot.send(infra, one_part(slack), f"k{number}")
        assert [one.status for one in slack.calls("chat.postMessage")] == [200] * 5


def test_a_full_channel_does_not_hold_up_another(slack: Slack) -> None:
    infra, other = slack.channel("infra"), slack.channel("other")
    bot = platform(slack, pace=Pace())
    slack.fail("chat.postMessage", "ratelimited", after=30, channel=infra)
    for _ in range(2):
        with pytest.raises(NotSent) as caught:
            bot.send(infra, one_part(slack), "k1")
        assert caught.value.after is not None
        assert caught.value.after > 25
    bot.send(other, one_part(slack), "k2")
    assert len(slack.calls("chat.postMessage")) == 2, "Slack is not asked before the time it named"
