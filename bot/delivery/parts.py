"""What a delivery consists of: keys, frozen parts, the word that it is late or has failed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime

from bot.digest.telling import period_label
from bot.message import Message
from bot.ports import ChatPlatform, Part
from bot.schedule import is_late
from bot.store.deliveries import NOTICE, Delivery
from bot.store.ledger import NewPart
from bot.text import Wording, term


def part_key(delivery: Delivery, position: int) -> str:
    """64 hexadecimal digits that name one message of one delivery, in whatever database it is planned.

    Other apps may read it where it is posted, so it tells nothing.
    """
    period = (f"{end.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" for end in (delivery.period.since, delivery.period.until))
    about = "\n".join((delivery.platform, delivery.channel, delivery.subscription, *period, str(position)))
    return hashlib.sha256(about.encode()).hexdigest()


def frozen(
    delivery: Delivery, messages: Iterable[Message], platform: ChatPlatform, now: datetime
) -> tuple[NewPart, ...]:
    """The parts of a digest, root first; a late root says so. Raises ValueError where there is nothing to post."""
    root, *replies = messages
    if is_late(delivery.due_at, now):
        root = _late(root, delivery)
    parts = [part for message in (root, *replies) for part in platform.parts(message)]
    if not parts:
        raise ValueError(f"the digest of delivery {delivery.id} came out empty")
    return tuple(_part(delivery, position, part) for position, part in enumerate(parts))


def notice(delivery: Delivery, platform: ChatPlatform, failure: str) -> NewPart:
    """The word that the digest failed, as the log knows it under `failure`."""
    period = delivery.period
    message = Message(
        Wording(_without_links).blocks(
            "replies/delivery-failed",
            period=period_label(period),
            timezone=term(period.timezone, "timezone"),
            repositories=[name.rpartition("/")[2] for name in delivery.repositories],
            failure=failure,
            delivery=delivery.id,
        )
    )
    part, *more = platform.parts(message)
    if more:
        raise ValueError("the word that a digest failed must fit one message")
    return _part(delivery, NOTICE, part)


def _part(delivery: Delivery, position: int, part: Part) -> NewPart:
    return NewPart(position, part_key(delivery, position), part.body, part.cites)


def _late(root: Message, delivery: Delivery) -> Message:
    """The root with a line below its title that says when it was due."""
    due_at = delivery.due_at.astimezone(delivery.period.zone)
    line = Wording(_without_links).blocks(
        "digest/late",
        day=f"{due_at:%Y-%m-%d}",
        time=f"{due_at:%H:%M}",
        timezone=term(delivery.period.timezone, "timezone"),
    )
    return Message((*root.blocks[:1], *line, *root.blocks[1:]), root.summary)


def _without_links(number: int) -> str:
    raise ValueError(f"nothing here names a pull request, asked for {number}")
