"""What answers are posted with, and how a post that everybody sees is made once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from bot.message import Message
from bot.platforms.slack.arrival import Arrival
from bot.platforms.slack.insist import Insistence
from bot.platforms.slack.looking import Looking
from bot.platforms.slack.posting import Poster, Spot
from bot.platforms.slack.render import Payload, payloads
from bot.platforms.slack.statuses import Statuses


@dataclass(frozen=True)
class Hands:
    """What an answer is posted with."""

    poster: Poster
    looking: Looking
    insistence: Insistence
    statuses: Statuses

    def keyed(self, arrival: Arrival, message: Message, what: str) -> Iterator[tuple[str, Payload]]:
        """The parts of a message, each with the key of its post: `answer:message:C1:1.2`, `answer:message:C1:1.2:1`."""
        for place, payload in enumerate(payloads(message, charts=self.poster.submitting.native)):
            yield ":".join([what, arrival.keys[-1], *([str(place)] if place else [])]), payload

    def post_once(self, arrival: Arrival, spot: Spot, payload: Payload, key: str, *, again: bool) -> str:
        """Post under a key unless it is there; returns its id. `again`: it may have been posted by an earlier try.

        Raises as `Insistence.post` does.
        """

        def find(piece: str) -> str | None:
            return self.looking.find(spot.channel, piece, arrival.at, spot.thread)

        look = partial(find, key)
        known = self.insistence.seen(look) if again else None
        return known or self.insistence.post(partial(self.poster.post, spot, payload, key, find, again=again), look)
