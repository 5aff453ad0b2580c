"""Slack over Socket Mode: connected after a check, back after whatever cuts it off, stopped without a loss."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Event
from threading import enumerate as threads
from time import monotonic
from typing import Any

import pytest

from bot.platforms.slack.arrival import Self
from bot.platforms.slack.connection import SlackConnection
from bot.platforms.slack.firsts import Firsts
from bot.platforms.slack.pace import Pace
from bot.platforms.slack.preflight import SlackStartError
from bot.platforms.slack.receive import SlackEvents
from bot.platforms.slack.socket import PING, SlackSocket
from bot.ports import Incoming, Reply
from tests.doubles.slack import REQUIRED_SCOPES, Slack
from tests.slack_bot import Bot, echo, running, settings


@pytest.fixture
def slack() -> Iterator[Slack]:
    with Slack() as double:
        yield double


@contextmanager
def connected(slack: Slack, **options: Any) -> Iterator[Bot]:
    quick: dict[str, Any] = {"pace": Pace(interval=0.0), "timeout": 2, "ping": 0.2}
    with running(slack, **(quick | options)) as bot:
        yield bot


def answered(slack: Slack, seconds: float = 10.0) -> float:
    """Ask until there is an answer; how many seconds that took."""
    began = monotonic()
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    slack.until(slack.connected, seconds)
    ts = slack.say(infra, zhang, "风险?", mention=True)
    slack.until(lambda: slack.messages(infra, thread=ts), seconds)
    return monotonic() - began


def test_connected(slack: Slack) -> None:
    with connected(slack) as bot:
        assert bot.connection.ready() is None
        assert bot.connection.alive() is None
        assert answered(slack) < 2
    assert len(slack.calls("apps.connections.open")) == 1, "the address of the check is the one that is used"
    assert slack.connections.complaints == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bot_token": "xoxb-wrong"}, "slack.bot_token"),
        ({"app_token": "xapp-wrong"}, "slack.app_token"),
        ({"api_url": "http://127.0.0.1:9/api/"}, "cannot be reached"),
        ({"api_url": "http://nowhere.invalid/api/"}, "cannot be reached"),
    ],
)
def test_what_is_wrong_is_said_before_anything_begins(slack: Slack, changes: dict[str, str], words: str) -> None:
    connection = SlackConnection(settings(slack, **changes), timeout=2)
    with pytest.raises(SlackStartError, match=words) as caught:
        connection.start(lambda _keys, _payload: None)
    assert "\n" not in str(caught.value)
    assert "xoxb-wrong" not in str(caught.value)
    assert slack.connected() == 0


@pytest.mark.parametrize(
    ("method", "code", "words"),
    [
        ("apps.connections.open", "missing_scope", "connections:write"),
        ("apps.connections.open", "not_allowed_token_type", "xapp-"),
        ("apps.connections.open", "link_disabled", "Socket Mode is off"),
        ("apps.connections.open", "http_503", "cannot be reached"),
        ("auth.test", "account_inactive", "slack.bot_token"),
        ("auth.test", "drop_before", "cannot be reached"),
    ],
)
def test_what_the_check_finds(slack: Slack, method: str, code: str, words: str) -> None:
    slack.fail(method, code)
    with pytest.raises(SlackStartError, match=words):
        SlackConnection(settings(slack), timeout=2).start(lambda _keys, _payload: None)


def test_what_is_off_is_said(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "bot")
    with Slack(scopes=REQUIRED_SCOPES) as slack, connected(slack):
        assert answered(slack) < 2
    assert [one for one in caplog.records if one.getMessage().startswith("channels:history is not granted")]


def test_a_refreshed_connection(slack: Slack) -> None:
    with connected(slack):
        slack.disconnect()
        assert answered(slack) < 10
        slack.disconnect("warning", close=False)
        assert answered(slack) < 10


def test_a_dropped_connection(slack: Slack) -> None:
    with connected(slack, ping=PING):
        slack.drop()
        assert answered(slack) < 5


def test_a_frozen_connection(slack: Slack) -> None:
    with connected(slack, ping=PING) as bot:
        slack.freeze()
        slack.until(lambda: len(slack.calls("apps.connections.open")) > 1, 10)
        slack.until(lambda: bot.connection.ready() is None, 5)
        slack.thaw()
        assert answered(slack) < 10


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the SDK leaves such sockets to Python
def test_addresses_that_have_expired(slack: Slack) -> None:
    with connected(slack):
        slack.fail("handshake", "expired_ticket", times=3)
        slack.drop()
        assert answered(slack) < 10
    assert len(slack.calls("apps.connections.open")) >= 4, "each try has an address of its own"


def test_no_addresses_for_a_while(slack: Slack) -> None:
    with connected(slack) as bot:
        slack.fail("apps.connections.open", "internal_error", times=3)
        slack.drop()
        slack.until(lambda: bot.connection.ready() is not None)
        assert "not connected" in str(bot.connection.ready())
        assert bot.connection.alive() is None
        assert answered(slack) < 10


def test_a_client_that_died_is_replaced(slack: Slack) -> None:
    with connected(slack) as bot:
        socket = bot.connection._socket  # noqa: SLF001 - as if the SDK's thread had died
        assert socket is not None
        client = socket._client  # noqa: SLF001
        assert client is not None
        client.current_app_monitor.shutdown()  # type: ignore[no-untyped-call]
        slack.drop()
        assert answered(slack) < 10
        assert socket._client is not client  # noqa: SLF001


def test_what_is_asked_meanwhile_is_answered_when_slack_delivers_again(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    slack.deliveries.retry_delays = (0.5, 3.0, 3.0)
    with connected(slack):
        slack.fail("apps.connections.open", "internal_error")
        slack.drop()
        slack.until(lambda: not slack.connected())
        ts = slack.say(infra, zhang, "风险?", mention=True)
        slack.until(lambda: slack.messages(infra, thread=ts), 15)
        slack.until(slack.deliveries.idle, 15)
    assert len(slack.messages(infra, thread=ts)) == 1


def test_two_replicas_with_one_memory_answer_once(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    with connected(slack) as one:
        replica = SlackConnection(settings(slack), pace=Pace(interval=0.0))
        replica.start(one.inbox.take)
        try:
            slack.until(lambda: slack.connected() == 2)
            asked = [slack.say(infra, zhang, f"{number}?", mention=True) for number in range(10)]
            slack.until(lambda: all(slack.messages(infra, thread=ts) for ts in asked))
            slack.until(slack.deliveries.idle)
        finally:
            replica.stop()
        assert one.inbox.workers.stop(5)
    assert [len(slack.messages(infra, thread=ts)) for ts in asked] == [1] * 10
    used = {attempt.connection for one in slack.deliveries.all for attempt in one.attempts}
    assert len(used) == 2, "each event comes to any one of them"


def test_what_was_taken_in_is_acknowledged_and_answered_when_the_bot_stops(slack: Slack) -> None:
    zhang = slack.user("zhang")
    infra, go = slack.channel("infra", [zhang]), Event()

    def respond(incoming: Incoming) -> Reply:
        assert go.wait(5)
        return echo(incoming)

    with connected(slack, respond=respond) as bot:
        command = slack.slash(infra, zhang, "top")
        slack.until(lambda: bot.heard)
        began = monotonic()
        bot.connection.stop()
        assert monotonic() - began < 3
        assert slack.connected() == 0
        go.set()
        slack.until(lambda: slack.messages(infra, user=zhang))
    assert command.acked


def test_no_thread_outlives_the_connection(slack: Slack) -> None:
    before = {one.name for one in threads() if one.is_alive()}
    with connected(slack):
        pass
    slack.until(lambda: not [one for one in threads() if one.name.startswith("slack-socket")])
    left = {one.name for one in threads() if one.is_alive()} - before
    assert not [name for name in left if name.startswith(("slack-socket", "slack-test"))]


def test_a_connection_that_is_gone_for_long_needs_a_restart(slack: Slack) -> None:
    now = [0.0]
    me = Self("UBOT", "BBOT")
    events = SlackEvents(
        me, slack.api_url, take=_never, apologise=_never, firsts=Firsts(), now=lambda: datetime.now(UTC)
    )
    socket = SlackSocket(events, slack.app_token, slack.api_url, clock=lambda: now[0])
    now[0] = 59.0
    assert socket.ready() is not None
    assert socket.alive() is None
    now[0] = 61.0
    assert "restart" in str(socket.alive())


def _never(*_: object) -> None:
    raise AssertionError("nothing comes")
