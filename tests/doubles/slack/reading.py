"""Reading what is there: messages as people see them, what the app was sent, and what it asked for."""

from __future__ import annotations

from collections import Counter

from tests.doubles.slack.core import Core, Request
from tests.doubles.slack.deliveries import Delivery
from tests.doubles.slack.live import live
from tests.doubles.slack.workspace import Message


class Reading(Core):
    """Deleted messages are gone from every list."""

    def messages(self, channel: str, *, thread: str | None = None, user: str | None = None) -> list[Message]:
        """What stands in a channel, or under a root (without it), oldest first.

        As everybody sees it; with `user` also what only this user sees there.
        """
        found = [m for m in self.workspace.in_channel(channel) if m.to in {None, user}]
        return [m for m in found if (m.in_channel if thread is None else m.thread_ts == thread)]

    def everything(self, channel: str | None = None) -> list[Message]:
        """Every message of one channel (None: of all), threads and what only one user sees included, oldest first."""
        with self.workspace.lock:
            return [m for m in self.workspace.messages if not m.deleted and channel in {None, m.channel}]

    def by_app(self, channel: str | None = None) -> list[Message]:
        """Every message of the app, oldest first."""
        return [m for m in self.everything(channel) if m.app_id == self.app.app_id]

    def keys(self, channel: str | None = None) -> Counter[str]:
        """How often each metadata key (`event_payload.key`) is visible."""
        payloads = [(m.metadata or {}).get("event_payload", {}) for m in self.by_app(channel)]
        return Counter(str(payload["key"]) for payload in payloads if "key" in payload)

    def alive(self, channel: str | None = None) -> list[str]:
        """Every live mention and link in what the app said; mentions first."""
        found = [finding for m in self.by_app(channel) for finding in live({"text": m.text, "blocks": m.blocks})]
        return sorted(found, key=lambda finding: not finding.startswith("mention:"))

    def show(self, channel: str, *, user: str | None = None) -> list[str]:
        """A channel as a person reads it, line by line, what stands in threads indented; `user` as in `messages`."""
        lines = []
        for message in self.messages(channel, user=user):
            lines += self._lines(message, "")
            for reply in self.messages(channel, thread=message.ts, user=user):
                lines += self._lines(reply, "    ")
        return lines

    def _lines(self, message: Message, indent: str) -> list[str]:
        who = self.workspace.users.get(message.user)
        seen = f", only for {message.to}" if message.to else ""
        opening = f"{indent}[{message.ts}] {who.name if who else message.user}{seen}:"
        return [opening, *(f"{indent}{line}" for line in message.shown.splitlines())]

    def calls(self, method: str) -> list[Request]:
        """The requests of one method, oldest first; `response_url` for those."""
        with self.workspace.lock:
            return [request for request in self.requests if request.method == method]

    def events_of(self, ts: str) -> list[Delivery]:
        """The deliveries of a message's events."""
        return [d for d in list(self.deliveries.all) if d.event.get("ts") == ts]

    def latencies(self) -> list[float]:
        """Seconds until each acknowledgement, in the order of the deliveries."""
        return [d.latency for d in list(self.deliveries.all) if d.latency is not None]

    def connected(self) -> int:
        """How many sockets are open."""
        return len(self.connections.open())
