"""`status`: what a channel is subscribed to, its next and last digest, what is parked, and how old the data is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from zoneinfo import ZoneInfo

from bot.digest.telling import period_label
from bot.dispatch import Context, Request
from bot.message import Message
from bot.store.deliveries import Delivery
from bot.store.subscriptions import Subscription
from bot.text import Wording
from handlers.channel import told


def handle(context: Context, request: Request) -> Message:
    """The channel's own subscriptions; those of all channels for an admin in a direct message."""
    return overview(context, request.subject.wording, _subscriptions(context), everywhere=_sees_everything(context))


def overview(context: Context, wording: Wording, found: Sequence[Subscription], *, everywhere: bool) -> Message:
    """Subscriptions with their deliveries, and how old the data is; `everywhere`: those of all channels."""
    rows = [_row(context, one, everywhere=everywhere) for one in found]
    subscribed = (name for one in found for name in one.repositories) if everywhere else ()
    names = dict.fromkeys((*subscribed, *context.subjects))
    blocks = wording.blocks(
        "replies/status",
        command_name=context.command,
        everywhere=everywhere,
        direct=context.chat is not None and context.chat.direct,
        is_admin=context.is_admin,
        rows=rows,
        repositories=[{"name": name, "age": _age(context, name), **_reach(context, name)} for name in names],
    )
    return Message(blocks)


def _sees_everything(context: Context) -> bool:
    return context.is_admin and context.chat is not None and context.chat.direct


def _subscriptions(context: Context) -> tuple[Subscription, ...]:
    store = context.store.subscriptions()
    if context.chat is None:
        return tuple(one for one in store.all() if set(one.repositories) <= set(context.subjects))
    return store.all() if _sees_everything(context) else store.of(context.chat.platform, context.chat.channel)


def _row(context: Context, one: Subscription, *, everywhere: bool) -> dict[str, object]:
    deliveries = context.store.ledger().of_subscription(one.id)
    sent = [delivery for delivery in deliveries if delivery.state == "sent"]
    return {
        **told(one, context, None if everywhere else context.subjects),
        "channel": one.name or one.channel,
        "platform": one.platform,
        "origin": ("changed" if one.changed_by else "file") if one.from_file else "chat",
        "last": _delivery(sent[0], one) if sent else None,
        "troubles": [_delivery(delivery, one) for delivery in _troubles(deliveries)],
    }


def _troubles(deliveries: Sequence[Delivery]) -> list[Delivery]:
    """What is parked, and what else became of those newer than the last that was sent."""
    newest = next((index for index, one in enumerate(deliveries) if one.state == "sent"), len(deliveries))
    return [one for index, one in enumerate(deliveries) if one.state == "parked" or index < newest]


def _delivery(delivery: Delivery, subscription: Subscription) -> dict[str, object]:
    at = delivery.finished_at and delivery.finished_at.astimezone(ZoneInfo(subscription.timezone))
    return {
        "number": delivery.id,
        "period": period_label(delivery.period),
        "state": delivery.state,
        "note": delivery.note or "",
        "day": at and at.date(),
        "time": f"{at:%H:%M}" if at else "",
    }


def _reach(context: Context, name: str) -> dict[str, object]:
    """Until when the source was complete when it was last asked, in the zone of the answer; None: not known."""
    until = context.store.reach(name).fresh_until
    at = until and until.astimezone(context.period.zone)
    return {"fresh_day": at and at.date(), "fresh_time": f"{at:%H:%M}" if at else ""}


def _age(context: Context, name: str) -> dict[str, int] | None:
    """How long ago the repository was synced; None: never."""
    at = context.store.synced_at(name)
    if at is None:
        return None
    age = max(context.now - at, timedelta())
    return {"days": age.days, "hours": age.seconds // 3600, "minutes": age.seconds // 60 % 60}
