"""Answers to what was said: in the thread of the message, or in the thread of the digest that the answer belongs to."""

from __future__ import annotations

from bot.message import Message
from bot.placing import answering, pointing
from bot.platforms.slack.arrival import Arrival
from bot.platforms.slack.hands import Hands
from bot.platforms.slack.posting import Spot
from bot.ports import Incoming, Place, Reply, ThreadGone


class Openly:
    """Answers one message so that everybody there sees it. `again`: some of it may have been posted before."""

    def __init__(self, arrival: Arrival, incoming: Incoming, hands: Hands, *, again: bool) -> None:
        self._arrival = arrival
        self._incoming = incoming
        self._hands = hands
        self._again = again
        self._working: str | None = None
        # In a channel a message opens its own thread; a direct message is answered where it stands.
        own = None if incoming.direct else incoming.message
        self._spot = Spot(incoming.channel, incoming.thread or own)

    def say(self, reply: Reply) -> None:
        """Post the reply. Raises as `Insistence.post` does."""
        if reply.place is not None and not self._incoming.direct:
            try:
                self._beside(reply, reply.place)
            except ThreadGone:
                self._post(self._spot, reply.message)  # the digest was deleted meanwhile
        else:
            self._post(self._spot, reply.message)

    def apologise(self, message: Message) -> None:
        """Say that there is no answer."""
        self._post(self._spot, message, "sorry")

    def working(self) -> None:
        """Show that an answer is being made; not where people talk among themselves."""
        root = self._incoming.thread or (self._incoming.message if self._incoming.addressed else None)
        if root is not None and self._hands.statuses.show(self._incoming.channel, root):
            self._working = root

    def done(self) -> None:
        """An answer in the thread ends the status there by itself; nothing else does."""
        if self._working is not None:
            self._hands.statuses.clear(self._incoming.channel, self._working)

    def _beside(self, reply: Reply, place: Place) -> None:
        """Threads are flat in Slack: the first line says which message the answer belongs to."""
        beside = None if place.beside == place.thread else self._link(place.beside)
        asked = None if self._incoming.message is None else self._link(self._incoming.message)
        message = answering(reply.message, asked=asked, beside=beside)
        answer = self._post(Spot(self._incoming.channel, place.thread), message)
        self._post(self._spot, pointing(self._link(answer)), "elsewhere")

    def _post(self, spot: Spot, message: Message, what: str = "answer") -> str:
        """Post a message in parts, but those that are there already; returns the id of the first."""
        first = ""
        for key, payload in self._hands.keyed(self._arrival, message, what):
            posted = self._hands.post_once(self._arrival, spot, payload, key, again=self._again)
            first = first or posted
        return first

    def _link(self, message: str) -> str | None:
        return self._hands.looking.permalink(self._incoming.channel, message)
