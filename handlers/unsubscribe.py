"""`unsubscribe [OWNER/NAME…|all]`: the channel gets no digest of these repositories any more."""

from __future__ import annotations

from bot.dispatch import Context, Request, UserError
from bot.message import Message
from bot.store.subscriptions import Subscription
from handlers.channel import channel_and_team, resolved, told


def handle(context: Context, request: Request) -> Message:
    """Say what has ended. Raises UserError where nothing is subscribed, and where several might be meant."""
    chat, _ = channel_and_team(context, "unsubscribe")
    store = context.store.subscriptions()
    there = store.of(chat.platform, chat.channel)
    if not there:
        raise UserError("nothing_subscribed")
    names = (*request.command.arguments, *filter(None, [request.command.repository]))
    ended = [one for one in _chosen(names, there) if store.remove(one.id, f"{chat.platform}:{chat.user}", context.now)]
    rows = [told(one, context, context.subjects) for one in ended]
    left = [told(one, context, context.subjects) for one in there if one not in ended]
    return Message(
        request.subject.wording.blocks("replies/unsubscribe", command_name=context.command, rows=rows, left=left)
    )


def _chosen(names: tuple[str, ...], there: tuple[Subscription, ...]) -> tuple[Subscription, ...]:
    if names == ("all",) or (not names and len(there) == 1):
        return there
    choices = [list(one.repositories) for one in there]
    if not names:
        raise UserError("which_subscription", choices=choices)
    wanted = resolved(names, dict.fromkeys(name for one in there for name in one.repositories))
    found = tuple(one for one in there if set(one.repositories) == set(wanted))
    if not found:
        raise UserError("which_subscription", choices=choices)
    return found
