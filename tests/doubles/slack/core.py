"""What the parts of the double share: the workspace, the app's methods, and the way to the app."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tests.doubles.slack.access import ApiError
from tests.doubles.slack.app_methods import AppMethods
from tests.doubles.slack.clock import Clock
from tests.doubles.slack.connections import Connections
from tests.doubles.slack.deliveries import Attempt, Deliveries, Delivery
from tests.doubles.slack.events import Events
from tests.doubles.slack.faults import Faults
from tests.doubles.slack.http_delivery import HttpDelivery
from tests.doubles.slack.rates import Rates
from tests.doubles.slack.response_urls import ResponseUrls
from tests.doubles.slack.web_api import WebApi
from tests.doubles.slack.workspace import App, Workspace


@dataclass(frozen=True)
class Request:
    """One call that reached the double. `status` 0: the connection was closed without an answer."""

    method: str
    arguments: dict[str, Any]
    at: float
    status: int
    answer: dict[str, Any]


class Core:
    """The state of one double. `scopes`, `events` and `commands` are those of the installed app."""

    def __init__(
        self,
        *,
        scopes: Iterable[str] | None = None,
        events: Iterable[str] | None = None,
        commands: Iterable[str] | None = None,
        now: Callable[[], float] = time.time,
        rate_limit: bool = False,
        charts: bool = True,
    ) -> None:
        self.app = App(charts=charts)
        self.app.scopes = set(self.app.scopes if scopes is None else scopes)
        self.app.events = set(self.app.events if events is None else events)
        self.app.commands = set(self.app.commands if commands is None else commands)
        self.clock = Clock(now)
        self.workspace = Workspace(self.app, self.clock)
        self.faults = Faults()
        self.rate_limit = rate_limit
        self.rates = Rates(self.clock)
        self.requests: list[Request] = []
        self.errors: list[str] = []
        self._wire()

    def _wire(self) -> None:
        self.deliveries = Deliveries(self.clock, self._settled)
        self.connections = Connections(self.deliveries.acknowledge, self.app.app_id)
        self.http = HttpDelivery(self.app.signing_secret, self.clock, self.deliveries.settle)
        self.deliveries.transport = self._transport
        self.happening = Events(self.workspace, self._send_event)
        self.app_methods = AppMethods(self.workspace)
        self.response_urls = ResponseUrls(self.workspace, self.happening)
        self.api = WebApi(self.workspace, self.happening, self.app_methods)

    def note(self, request: Request) -> None:
        """Keep a request in the log."""
        with self.workspace.changed:
            self.requests.append(request)
            self.workspace.changed.notify_all()

    def _send_event(self, payload: dict[str, Any]) -> None:
        self.deliveries.send("events_api", payload)

    def _transport(self, delivery: Delivery, attempt: Attempt) -> str:
        return (self.http if self.http.url else self.connections).deliver(delivery, attempt)

    def _settled(self, delivery: Delivery, attempt: Attempt) -> None:
        """Show the user what the acknowledgement of a command says, or that the command failed."""
        if delivery.kind == "slash_commands" and attempt.outcome == "acked" and isinstance(attempt.answer, dict):
            name = delivery.payload["response_url"].rsplit("/", 1)[-1]
            try:
                with self.workspace.lock:
                    self.response_urls.say(self.response_urls.all[name], attempt.answer, via="ack")
            except ApiError as error:
                delivery.failed = f"invalid_command_response: {error.code}"
        with self.workspace.changed:
            self.workspace.changed.notify_all()

    def until(self, holds: Callable[[], Any], seconds: float = 5.0, what: str = "it") -> Any:
        """Wait until `holds()` is true and give what it gave. Raises TimeoutError after `seconds`."""
        deadline = time.monotonic() + seconds
        while True:
            found = holds()
            if found:
                return found
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"{what} did not come within {seconds} s; connections: {len(self.connections.open())}"
                )
            with self.workspace.changed:
                self.workspace.changed.wait(0.02)

    def rest(self, seconds: float) -> None:
        """Let time pass, to see that nothing happens."""
        threading.Event().wait(seconds)
