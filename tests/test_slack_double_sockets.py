"""The Slack double's sockets: several, lost, frozen and refused ones, through the real built-in client."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from slack_sdk import WebClient
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.doubles.slack import Slack
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


def test_each_event_goes_to_one_of_the_connections(slack: Slack, start: Start) -> None:
    one, two = start(slack), start(slack)
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    for n in range(6):
        slack.say(infra, zhang, str(n))
    settled(slack)
    assert (len(one.got), len(two.got)) == (3, 3)


@pytest.mark.parametrize("trouble", ["refresh_requested", "warning", "drop"])
def test_the_client_comes_back_after_a_lost_connection(slack: Slack, app: App, trouble: str) -> None:
    first = slack.connections.open()[0].number
    slack.drop() if trouble == "drop" else slack.disconnect(trouble)
    slack.until(lambda: [c for c in slack.connections.open() if c.number > first], 10)
    slack.say(slack.channel("infra"), slack.user("zhang"), "hello")
    slack.until(lambda: app.got)


def test_a_frozen_connection_takes_events_and_gives_nothing(slack: Slack, app: App) -> None:
    slack.deliveries.ack_seconds = 0.1
    slack.freeze()
    slack.say(slack.channel("infra"), slack.user("zhang"), "hello")
    slack.until(lambda: slack.deliveries.all and slack.deliveries.all[0].attempts[1:])
    assert slack.deliveries.all[0].attempts[0].outcome == "timeout"
    assert app.got == []
    slack.until(lambda: slack.connected() == 2, 15, "a connection beside the frozen one")
    slack.thaw()
    slack.until(lambda: slack.connected() == 1)


def opened(slack: Slack) -> str:
    """A fresh address for one WebSocket."""
    url = WebClient(slack.app_token, base_url=slack.api_url).apps_connections_open(app_token=slack.app_token)["url"]
    return str(url)


def handshake(url: str) -> int:
    """The status of a handshake; 101: it was accepted."""
    try:
        with connect(url, proxy=None):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def test_handshakes_fail_on_order_and_tickets_open_once_and_not_for_long(slack: Slack) -> None:
    slack.fail("handshake", "http_503")
    slack.fail("handshake", "expired_ticket")
    assert [handshake(opened(slack)) for _ in range(3)] == [503, 403, 101]
    used, old = opened(slack), opened(slack)
    assert [handshake(used), handshake(used)] == [101, 403]
    slack.advance(31)
    assert handshake(old) == 403


def test_the_client_comes_back_when_opening_and_the_handshake_fail_first(slack: Slack, app: App) -> None:
    first = slack.connections.open()[0].number
    slack.fail("apps.connections.open", "internal_error", times=2)
    slack.fail("handshake", "http_503")
    slack.drop()
    slack.until(lambda: [c for c in slack.connections.open() if c.number > first], 15)
    slack.say(slack.channel("infra"), slack.user("zhang"), "hello")
    slack.until(lambda: app.got)


def test_the_eleventh_connection_is_sent_away(slack: Slack) -> None:
    with ExitStack() as stack:
        sockets = [stack.enter_context(connect(opened(slack), proxy=None)) for _ in range(11)]
        assert "hello" in str(sockets[9].recv(timeout=5))
        assert "too_many_websockets" in str(sockets[10].recv(timeout=5))
        slack.until(lambda: slack.connected() == 10)


def test_what_is_no_acknowledgement_is_kept_as_a_complaint(slack: Slack, app: App) -> None:
    app.client.send_message('{"type": "hello"}')
    app.client.send_message('{"envelope_id": "nothing"}')
    slack.until(lambda: len(slack.connections.complaints) == 2)


@pytest.mark.usefixtures("app")
def test_fifty_users_at_once_are_acknowledged_quickly(slack: Slack) -> None:
    infra = slack.channel("infra")
    users = [slack.user(f"user{n}") for n in range(50)]
    threads = [threading.Thread(target=slack.slash, args=(infra, user, "top")) for user in users]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(command.acked for command in settled(slack, 10))
    assert time.monotonic() - began < 5
    assert len(slack.latencies()) == 50
