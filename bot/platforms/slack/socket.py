"""Slack's deliveries over Socket Mode: the SDK's own client, watched, since it may be cut off without noticing.

https://docs.slack.dev/apis/events-api/using-socket-mode. The built-in client and not aiohttp's, which tries the same
expired address for ever (python-slack-sdk#1446).
"""

from __future__ import annotations

import logging
import select
from collections.abc import Callable
from contextlib import suppress
from socket import SHUT_RDWR
from threading import Event, Lock, Thread
from time import monotonic, time
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

from slack_bolt.adapter.socket_mode.internals import send_response
from slack_sdk.socket_mode.builtin import SocketModeClient
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from bot.platforms.slack.api import web_client
from bot.platforms.slack.receive import SlackEvents

PING = 1.0
"""Seconds between two pings; with the SDK's own 10 a dropped connection took a minute to come back."""

# Each counted in pings.
_LOOK = 0.5  # between two looks at the connection
_NUDGE = 5.0  # without a connection, after which it is told and the next try has a new address
_SILENT = 8.0  # without an answer, after which a connection is none; the client itself gives up after 5
_REBUILD = 20.0  # without a connection, after which another client takes its place

_CALL = 5  # seconds that asking for an address may take
_SICK = 60.0  # seconds without a connection after which a restart is worth trying
_HUNG_UP = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)  # the last is Linux's

_log = logging.getLogger(__name__)


class SlackSocket:
    """One connection to Slack, kept up. `app_token` has connections:write, `first` is the address to begin with."""

    def __init__(
        self,
        events: SlackEvents,
        app_token: str,
        api_url: str,
        *,
        ping: float = PING,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._events = events
        self._token = app_token
        self._url = api_url
        self._ping = ping
        self._clock = clock
        self._lock = Lock()
        self._stopped = Event()
        self._client: SocketModeClient | None = None
        self._seen = clock()
        self._last_error = _LastError()
        self._watch = Thread(target=self._watching, name="slack-socket", daemon=True)

    def start(self, first: str) -> None:
        """Connect to the address `first`, and keep connected; returns before the connection stands."""
        self._seen = self._clock()
        self._client = self._made(first)
        self._watch.start()

    def ready(self) -> str | None:
        """What is wrong with the connection now; None: nothing."""
        gone = self._gone()
        return (
            None
            if gone is None
            else f"not connected to Slack for {gone:.0f} s: {self._last_error.text or 'connecting'}"
        )

    def alive(self) -> str | None:
        """What only a restart may mend; None: nothing."""
        gone = self._gone()
        if gone is None or gone < _SICK:
            return None
        return f"not connected to Slack for {gone:.0f} s: check the network, then restart the bot"

    def stop(self) -> None:
        """Take nothing more in; what was taken in is still acknowledged."""
        self._stopped.set()
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            _drain(client)
        if self._watch.is_alive():
            self._watch.join(_CALL)

    def _deliver(self, client: BaseSocketModeClient, request: SocketModeRequest) -> None:
        began = time()
        send_response(client, request, self._events.dispatch(request.payload, _retried(request)), began)

    def _gone(self) -> float | None:
        """For how many seconds there has been no connection; None: there is one."""
        client = self._client
        connected = client is not None and _is_connected(client, self._ping * _SILENT)
        return None if connected else self._clock() - self._seen

    def _made(self, first: str | None) -> SocketModeClient:
        """A client that is connecting. Raises what asking for an address raises."""
        web = web_client(None, self._url, _CALL)
        client = SocketModeClient(self._token, self._last_error.logger, web, ping_interval=self._ping)
        client.socket_mode_request_listeners.append(self._deliver)
        if proxy_bypass(urlsplit(self._url).hostname or ""):  # the SDK knows HTTPS_PROXY and no NO_PROXY
            client.proxy = None
        client.wss_uri = first
        try:
            client.connect()
        except Exception:
            _closed_later(client)
            raise
        return client

    def _watching(self) -> None:
        told = rebuilt = 0.0
        connected = False
        while not self._stopped.wait(self._ping * _LOOK):
            if self._client is not None:
                _notice_hangup(self._client)
            gone = self._gone()
            if gone is None and not connected:
                _log.info("connected to Slack")
            connected = gone is None
            if gone is None:
                self._seen, told, rebuilt = self._clock(), 0.0, 0.0
            elif gone - rebuilt >= self._ping * _REBUILD:
                rebuilt = gone
                self._rebuild()
            elif gone - told >= self._ping * _NUDGE:
                told = gone
                self._nudge(gone)

    def _nudge(self, gone: float) -> None:
        _log.warning("not connected to Slack for %.0f s: %s", gone, self._last_error.text)
        if self._client is not None:
            self._client.wss_uri = None

    def _rebuild(self) -> None:
        """Replace a client whose threads died or hang."""
        _log.warning("the connection to Slack is made anew")
        try:
            client = self._made(None)
        except Exception as error:  # noqa: BLE001 - the watch goes on; the SDK raises whatever it meets
            _log.warning("no connection to Slack: %s", error)
            return
        with self._lock:
            stopped = self._stopped.is_set()
            old, self._client = self._client, None if stopped else client
        for gone in (old, client if stopped else None):
            if gone is not None:
                _closed_later(gone)


def _notice_hangup(client: SocketModeClient) -> None:
    """End a connection that the other side closed: the SDK reads it in a tight loop until a ping stays unanswered."""
    session = client.current_session
    sock = None if session is None else session.sock
    if session is None or sock is None:
        return
    poll = select.poll()
    with suppress(OSError, ValueError):  # closed meanwhile
        poll.register(sock, _HUNG_UP)
        if any(found & _HUNG_UP for _, found in poll.poll(0)):
            session.disconnect()


def _is_connected(client: SocketModeClient, silent: float) -> bool:
    """Whether Slack answered a ping lately: the SDK counts a connection that the other side closed as one."""
    session = client.current_session
    if session is None or not session.is_active():
        return False
    answered = session.last_ping_pong_time  # by the wall clock
    return answered is None or abs(time() - answered) < silent


def _drain(client: SocketModeClient) -> None:
    """Let what was received be acknowledged, then close: `close` alone would cut the connection first."""
    client.auto_reconnect_enabled = client.default_auto_reconnect_enabled = False
    client.closed = True
    client.message_queue.put(None)  # wakes the thread that waits for the next
    if client.message_processor.is_alive():
        client.message_processor.shutdown()  # type: ignore[no-untyped-call]
    client.message_workers.shutdown(wait=True)
    _close(client)


def _close(client: SocketModeClient) -> None:
    """Close at once: a thread that reads holds the connection's lock for up to three seconds."""
    session = client.current_session
    sock = None if session is None else session.sock
    if sock is not None:
        with suppress(OSError):  # the other side was faster
            sock.shutdown(SHUT_RDWR)
    client.close()


def _closed_later(client: SocketModeClient) -> None:
    """Close a client whose threads may hang, without waiting for them."""
    client.auto_reconnect_enabled = client.default_auto_reconnect_enabled = False
    Thread(target=_close, args=(client,), name="slack-socket-closing", daemon=True).start()


def _retried(request: SocketModeRequest) -> dict[str, str]:
    number, reason = request.retry_attempt, request.retry_reason
    given = {"x-slack-retry-num": None if number is None else str(number), "x-slack-retry-reason": reason}
    return {name: value for name, value in given.items() if value}


class _LastError(logging.Handler):
    """What the client last complained of: it does so every second, and at DEBUG writes down what people say."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.text = ""
        self.logger = logging.Logger("slack_sdk.socket", logging.WARNING)  # noqa: LOG001 - of one client alone
        self.logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the first line."""
        self.text = record.getMessage().partition("\n")[0][:300]
