"""What Slack sends to the app: each delivery with its attempts, acknowledgements and repetitions.

Events that are not acknowledged are repeated after `retry_delays` (Slack: at once, after 1 and after 5 minutes), also
those sent while nobody was connected; commands and pressed buttons are not, the user is told that they failed.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.doubles.slack.clock import Clock

Kind = Literal["events_api", "slash_commands", "interactive"]
RETRY_DELAYS = (0.0, 60.0, 300.0)
ACK_SECONDS = 3.0
LOOK_EVERY = 0.01


@dataclass(eq=False)
class Attempt:
    """One try. `latency`: how many seconds the acknowledgement took, None: it has not come. `outcome` "": under way."""

    number: int
    envelope: str = field(default_factory=lambda: str(uuid.uuid4()))
    reason: str = ""
    sent_at: float = field(default_factory=time.monotonic)
    latency: float | None = None
    outcome: str = ""
    status: int | None = None
    answer: Any = None
    connection: int | None = None


@dataclass(eq=False)
class Delivery:
    """One event, command or pressed button, and how it fared.

    `failed` says why it was given up. `before` is how often it was sent as another delivery.
    """

    kind: Kind
    payload: dict[str, Any]
    attempts: list[Attempt] = field(default_factory=list)
    failed: str = ""
    before: int = 0

    @property
    def acked(self) -> bool:
        return any(attempt.outcome == "acked" for attempt in self.attempts)

    @property
    def settled(self) -> bool:
        return self.acked or bool(self.failed)

    @property
    def latency(self) -> float | None:
        """Seconds until the first acknowledgement; None: there was none."""
        return next((attempt.latency for attempt in self.attempts if attempt.latency is not None), None)

    @property
    def event(self) -> dict[str, Any]:
        """The inner event; empty for commands and buttons."""
        inner = self.payload.get("event", {})
        return inner if isinstance(inner, dict) else {}


Settle = Callable[[str], None]
Transport = Callable[[Delivery, Attempt], str]
"""Sends one attempt; gives "" when the acknowledgement is to come, else the outcome at once (`no_connection`)."""


class Deliveries:
    """Sends in order from one thread and repeats what was not acknowledged."""

    def __init__(self, clock: Clock, on_settled: Callable[[Delivery, Attempt], None]) -> None:
        self.transport: Transport = lambda _delivery, _attempt: "no_connection"
        self.retry_delays: tuple[float, ...] = RETRY_DELAYS
        self.ack_seconds = ACK_SECONDS
        self.all: list[Delivery] = []
        self._clock = clock
        self._on_settled = on_settled
        self._due: list[tuple[float, Delivery, str]] = []
        self._sent: dict[str, tuple[Delivery, Attempt]] = {}
        self._open: dict[str, tuple[Delivery, Attempt]] = {}
        self._held: list[Delivery] | None = None
        self._woken = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="slack-double-deliveries", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._woken:
            self._stopping = True
            self._woken.notify_all()
        self._thread.join(timeout=10)

    def send(self, kind: Kind, payload: dict[str, Any], again: Delivery | None = None) -> Delivery:
        """Deliver something new, or once more what was delivered as `again`."""
        delivery = Delivery(kind, payload, before=again.before + len(again.attempts) if again else 0)
        reason = "http_timeout" if again else ""
        with self._woken:
            self.all.append(delivery)
            if self._held is not None:
                self._held.append(delivery)
            else:
                self._due.append((0.0, delivery, reason))
            self._woken.notify_all()
        return delivery

    def hold(self) -> None:
        """Keep back what is to be sent from now on, until `release`."""
        with self._woken:
            self._held = self._held or []

    def release(self, *, backwards: bool = False) -> None:
        """Send what was held, in order or backwards."""
        with self._woken:
            held = list(reversed(self._held or [])) if backwards else list(self._held or [])
            self._held = None
            self._due += [(0.0, delivery, "") for delivery in held]
            self._woken.notify_all()

    def acknowledge(self, envelope: str, answer: Any) -> bool:
        """The app acknowledged an envelope; False: there is no such envelope."""
        with self._woken:
            found = self._sent.get(envelope)
        if found:
            self.settle(*found, "acked", answer)
        return found is not None

    def settle(self, delivery: Delivery, attempt: Attempt, outcome: str, answer: Any = None) -> None:
        """How an attempt ended. What comes later than it may changes nothing any more."""
        with self._woken:
            if attempt.outcome:
                return
            attempt.outcome, attempt.answer = outcome, answer
            self._open.pop(attempt.envelope, None)
            if outcome == "acked":
                attempt.latency = time.monotonic() - attempt.sent_at
            else:
                self._again(delivery, attempt, outcome)
        self._on_settled(delivery, attempt)

    def wake(self) -> None:
        with self._woken:
            self._woken.notify_all()

    def idle(self) -> bool:
        """Whether nothing is under way, held or to be repeated."""
        with self._woken:
            return not self._due and not self._held and all(delivery.settled for delivery in self.all)

    def _again(self, delivery: Delivery, attempt: Attempt, outcome: str) -> None:
        reason = {"timeout": "http_timeout", "no_connection": "connection_failed"}.get(outcome, "http_error")
        if delivery.kind == "events_api" and attempt.number < len(self.retry_delays) and outcome != "no_retry":
            at = self._clock.now() + self.retry_delays[attempt.number]
            self._due.append((at, delivery, reason))
            self._woken.notify_all()
        elif not delivery.acked:
            delivery.failed = outcome

    def _run(self) -> None:
        while not self._stopping:
            for delivery, attempt in self._next():
                outcome = self.transport(delivery, attempt)
                if outcome:
                    self.settle(delivery, attempt, outcome)
            for delivery, attempt in self._overdue():
                self.settle(delivery, attempt, "timeout")
            self._rest()

    def _rest(self) -> None:
        with self._woken:
            now = self._clock.now()
            if not self._stopping and not any(at <= now for at, _, _ in self._due):
                self._woken.wait(LOOK_EVERY if self._due or self._open else None)

    def _next(self) -> list[tuple[Delivery, Attempt]]:
        """What is to be sent now, in the order in which it was given."""
        with self._woken:
            now = self._clock.now()
            ready = [entry for entry in self._due if entry[0] <= now]
            self._due = [entry for entry in self._due if entry[0] > now]
            return [self._begin(delivery, reason) for _, delivery, reason in ready]

    def _begin(self, delivery: Delivery, reason: str) -> tuple[Delivery, Attempt]:
        attempt = Attempt(delivery.before + len(delivery.attempts), reason=reason)
        delivery.attempts.append(attempt)
        self._sent[attempt.envelope] = self._open[attempt.envelope] = (delivery, attempt)
        return delivery, attempt

    def _overdue(self) -> list[tuple[Delivery, Attempt]]:
        with self._woken:
            limit = time.monotonic() - self.ack_seconds
            return [(d, a) for d, a in self._open.values() if a.sent_at < limit]
