"""The Slack double's Socket Mode, through the real built-in client: who gets which event, and what happens to it."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from slack_sdk import WebClient

from tests.doubles.slack import REQUIRED_SCOPES, Slack
from tests.doubles.slack.deliveries import Delivery
from tests.socket_client import App

BUTTONS = [
    {
        "type": "actions",
        "elements": [{"type": "button", "text": {"type": "plain_text", "text": "风险"}, "value": "risks"}],
    }
]


pytestmark = pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning")


Start = Callable[[Slack], App]


@pytest.fixture(scope="module")
def closing() -> Iterator[ThreadPoolExecutor]:
    """Closes clients beside the next tests: one takes a second to see that its socket is gone."""
    with ThreadPoolExecutor() as pool:
        yield pool
    gc.collect()  # the client leaves the sockets open that it lost; they are to be found here, not in another file


@pytest.fixture
def start(closing: ThreadPoolExecutor) -> Iterator[Start]:
    made: list[App] = []

    def run(slack: Slack) -> App:
        made.append(App(slack))
        return made[-1].connect()

    yield run
    for app in made:
        closing.submit(app.close)


@pytest.fixture
def slack() -> Iterator[Slack]:
    with Slack() as double:
        yield double


@pytest.fixture
def app(slack: Slack, start: Start) -> App:
    return start(slack)


def settled(slack: Slack, seconds: float = 5) -> list[Delivery]:
    slack.until(slack.deliveries.idle, seconds, "a settled state")
    return list(slack.deliveries.all)


def test_a_mention_is_two_events_with_one_ts(slack: Slack, app: App) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    ts = slack.say(
        infra, zhang, "a & b <x> https://example.com/?q=1&r=2 [docs](https://example.com) @zhang", mention=True
    )
    both = [delivery.event for delivery in settled(slack)]
    assert [event["type"] for event in both] == ["app_mention", "message"]
    assert {event["ts"] for event in both} == {ts}
    assert len({event["client_msg_id"] for event in both}) == 1
    assert len({request.payload["event_id"] for request in app.got}) == 2
    assert both[0]["text"] == (
        f"<@{slack.bot}> a &amp; b &lt;x&gt; <https://example.com/?q=1&amp;r=2> <https://example.com|docs> <@{zhang}>"
    )
    assert both[1]["channel_type"] == "channel"
    assert len(slack.latencies()) == 2


def test_required_scopes_bring_mentions_only(start: Start) -> None:
    with Slack(scopes=REQUIRED_SCOPES) as slack:
        app, zhang = start(slack), slack.user("zhang")
        infra, secret = slack.channel("infra"), slack.channel("secret", private=True)
        for channel in (infra, secret):
            slack.say(channel, zhang, "chatter")
            slack.say(channel, zhang, "top", mention=True)
        slack.say(None, zhang, "top", direct=True)
        slack.add_bot(slack.channel("new", bot=False), zhang)
        settled(slack)
        assert app.events() == [("app_mention", None), ("app_mention", None)]


def test_each_kind_of_message_comes_as_slack_sends_it(slack: Slack, app: App) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    root = slack.say(infra, zhang, "root")
    slack.say(infra, zhang, "shown", thread=root, broadcast=True)
    slack.say(infra, zhang, "file", file=True)
    slack.edit(infra, root, "changed")
    slack.delete(infra, root)
    slack.other_bot(infra, "deployed")
    slack.emit({"type": "team_rename", "name": "x"})
    settled(slack)
    kinds = [None, "thread_broadcast", "file_share", "message_changed", "message_deleted", "bot_message"]
    assert sorted(app.events(), key=str) == sorted(
        [*(("message", kind) for kind in kinds), ("team_rename", None)], key=str
    )


@pytest.mark.usefixtures("app")
def test_the_app_hears_itself_and_the_thread_it_answers_in(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    client = WebClient(slack.bot_token, base_url=slack.api_url)
    root = client.chat_postMessage(channel=infra, text="digest")["ts"]
    slack.say(infra, zhang, "为什么?", thread=root)
    own, reply = [delivery.event for delivery in settled(slack)]
    assert (own["bot_id"], own["app_id"]) == (slack.app.bot_id, slack.app.app_id)
    assert (reply["thread_ts"], reply["parent_user_id"]) == (root, slack.bot)


def test_a_direct_message_is_never_a_mention(slack: Slack, app: App) -> None:
    zhang = slack.user("zhang")
    slack.say(None, zhang, "top", direct=True, mention=True)
    assert [(d.event["type"], d.event["channel_type"]) for d in settled(slack)] == [("message", "im")]
    assert app.got[0].payload["event"]["channel"] == slack.dm(zhang)


def test_joining_is_told_with_who_invited_and_whether_it_is_shared(slack: Slack, app: App) -> None:
    zhang, shared = slack.user("zhang"), slack.channel("shared", bot=False, external=True)
    slack.say(shared, zhang, "before the bot came", mention=True)
    slack.add_bot(shared, zhang)
    settled(slack)
    assert app.events() == [("member_joined_channel", None), ("message", "channel_join")]
    assert app.got[0].payload["event"]["inviter"] == zhang
    assert app.got[0].payload["is_ext_shared_channel"] is True


def test_a_command_is_answered_by_its_acknowledgement(slack: Slack, app: App) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra", bot=False)
    app.answer = {"text": "working"}
    command = slack.slash(infra, zhang, "pr <payload> & 中文")
    slack.until(lambda: command.acked)
    assert app.got[0].payload["text"] == "pr <payload> & 中文"
    slack.until(lambda: [m.text for m in slack.messages(infra, user=zhang)] == ["working"])
    assert slack.messages(infra) == []


def test_an_acknowledgement_that_slack_refuses_fails_the_command(slack: Slack, app: App) -> None:
    app.answer = {"text": "x", "blocks": [{"type": "blink"}]}
    command = slack.slash(slack.channel("infra"), slack.user("zhang"), "top")
    slack.until(lambda: command.failed)
    assert command.failed == "invalid_command_response: invalid_blocks"


def test_a_command_without_answer_or_socket_is_not_repeated(slack: Slack, app: App) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    slack.deliveries.ack_seconds = 0.1
    app.acknowledges = False
    late = slack.slash(infra, zhang, "top")
    assert slack.until(lambda: late.failed) == "timeout"
    app.client.auto_reconnect_enabled = False
    slack.drop()
    slack.until(lambda: not slack.connected())
    command = slack.slash(infra, zhang, "top")
    assert slack.until(lambda: command.failed) == "no_connection"
    assert len(app.got) == 1
    with pytest.raises(LookupError, match="not a command"):
        slack.slash(infra, zhang, command="/other")


def test_the_app_s_commands_are_those_it_was_installed_with() -> None:
    with Slack(commands={"/weekly"}) as slack:
        command = slack.slash(slack.channel("infra"), slack.user("zhang"), command="/weekly")
        assert command.payload["command"] == "/weekly"
        assert slack.until(lambda: command.failed) == "no_connection"


def test_a_button_is_pressed_by_its_label_value_or_id(slack: Slack, app: App) -> None:
    zhang, li, infra = slack.user("zhang"), slack.user("li"), slack.channel("infra", ["U1"])
    client = WebClient(slack.bot_token, base_url=slack.api_url)
    ts = client.chat_postMessage(channel=infra, text="x", blocks=BUTTONS)["ts"]
    slack.say(infra, zhang, "hello")
    client.chat_postEphemeral(channel=infra, user=zhang, text="x", blocks=BUTTONS)
    hidden = slack.messages(infra, user=zhang)[-1]
    for button in ("风险", "risks", slack.messages(infra)[0].blocks[0]["elements"][0]["action_id"]):
        slack.press(ts, button, zhang)
    slack.press(hidden.ts, "风险", zhang)
    settled(slack)
    pressed = [request.payload for request in app.got if request.type == "interactive"]
    assert [payload["actions"][0]["value"] for payload in pressed] == ["risks"] * 4
    assert ["message" in payload for payload in pressed] == [True, True, True, False]
    assert pressed[3]["container"]["is_ephemeral"] is True
    with pytest.raises(LookupError, match="does not see"):
        slack.press(hidden.ts, "风险", li)
    with pytest.raises(LookupError, match=re.escape("there are ['风险']")):
        slack.press(ts, "热点", zhang)


def test_an_event_is_repeated_until_it_is_acknowledged(slack: Slack, app: App) -> None:
    slack.deliveries.ack_seconds, slack.deliveries.retry_delays = 0.1, (0.0, 60.0, 300.0)
    app.acknowledges = False
    slack.say(slack.channel("infra"), slack.user("zhang"), "hello")
    slack.until(lambda: len(app.got) == 2)
    slack.rest(0.3)
    assert len(app.got) == 2
    slack.advance(60)
    slack.until(lambda: len(app.got) == 3)
    slack.rest(0.2)
    app.acknowledges = True
    slack.advance(300)
    (delivery,) = settled(slack)
    assert [attempt.outcome for attempt in delivery.attempts] == ["timeout"] * 3 + ["acked"]
    assert [request.retry_attempt for request in app.got] == [0, 1, 2, 3]
    assert len({request.payload["event_id"] for request in app.got}) == 1


def test_an_event_sent_while_nobody_was_connected_comes_later(slack: Slack, start: Start) -> None:
    slack.say(slack.channel("infra"), slack.user("zhang"), "hello")
    slack.until(lambda: slack.deliveries.all and slack.deliveries.all[0].attempts[1:])
    app = start(slack)
    slack.advance(60)
    settled(slack)
    assert [request.retry_attempt for request in app.got] == [2]


def test_events_can_be_repeated_and_come_backwards(slack: Slack, app: App) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    slack.hold()
    ts = slack.say(infra, zhang, "top", mention=True)
    slack.rest(0.1)
    assert app.got == []
    slack.release(backwards=True)
    settled(slack)
    assert [d.event["type"] for d in slack.events_of(ts)] == ["app_mention", "message"]
    order = sorted(slack.deliveries.all, key=lambda d: d.attempts[0].sent_at)
    assert [d.event["type"] for d in order] == ["message", "app_mention"]
    slack.redeliver(ts)
    settled(slack)
    assert len(app.got) == 4
    assert len({request.payload["event_id"] for request in app.got}) == 2
