"""What a test lets go wrong: faults of methods, connections, and the order and number of events."""

from __future__ import annotations

from typing import Any

from tests.doubles.slack.core import Core
from tests.doubles.slack.deliveries import Delivery
from tests.doubles.slack.faults import Fault


class Chaos(Core):
    def fail(
        self, method: str, how: str, *, times: int = 1, after: float = 1.0, skip: int = 0, channel: str | None = None
    ) -> None:
        """The next calls of a method go wrong: see `faults.Fault`.

        `method`: of the Web API, `*` for each of them, `response_url`, or `handshake` (of the WebSocket; `http_503`, or
        `expired_ticket`).
        """
        self.faults.add(Fault(method, how, times, after, skip, channel))

    def heal(self) -> None:
        """Nothing goes wrong any more."""
        self.faults.clear()

    def disconnect(self, reason: str = "refresh_requested", *, close: bool = True) -> None:
        """Slack announces a disconnection (`refresh_requested`, `warning`, `link_disabled`) and closes the sockets."""
        self.connections.disconnect(reason, close=close)

    def drop(self) -> None:
        """Every TCP connection of a socket breaks off."""
        self.connections.drop()

    def freeze(self) -> None:
        """The open sockets stay open and nothing comes or goes over them any more."""
        self.connections.freeze()

    def thaw(self) -> None:
        """The frozen sockets break off."""
        self.connections.thaw()

    def advance(self, seconds: float) -> None:
        """Move the double's clock on: repetitions fall due, addresses expire, limits recover."""
        self.clock.advance(seconds)
        self.deliveries.wake()

    def hold(self) -> None:
        """Keep events back until `release`."""
        self.deliveries.hold()

    def release(self, *, backwards: bool = False) -> None:
        """Send the events kept back, in order or backwards."""
        self.deliveries.release(backwards=backwards)

    def redeliver(self, ts: str) -> list[Delivery]:
        """Send every event of a message once more, with the same event_id, as after a lost acknowledgement."""
        known = [d for d in list(self.deliveries.all) if d.event.get("ts") == ts]
        return [self.deliveries.send("events_api", d.payload, again=d) for d in known]

    def emit(self, event: dict[str, Any], channel: str | None = None) -> None:
        """Send any event, also of a type that the app does not know; with a channel only if the app gets it."""
        self.happening.emit(event, self.workspace.channels[channel] if channel else None)

    def use_http(self, url: str, *, verify: bool = True) -> bool:
        """Deliver to this address from now on; whether it answers the challenge, as Slack asks when it is entered."""
        self.http.url = url
        return self.http.verify_url() if verify else True
