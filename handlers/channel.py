"""What the commands about a channel share: where they were given, and the repositories they may name there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.dispatch import Chat, Context, UserError
from bot.message import Message
from bot.ports import NotSent, Refused, ThreadGone, Unsure
from bot.store.subscriptions import Subscription
from bot.subscriptions import timing
from bot.team import Team, may_show


def chat_and_team(context: Context, command: str) -> tuple[Chat, Team]:
    """Where a command was given. Raises UserError where no chat is or no configuration: on the command line."""
    if context.chat is None or context.team is None:
        raise UserError("only_in_chat", command=command)
    return context.chat, context.team


def channel_and_team(context: Context, command: str) -> tuple[Chat, Team]:
    """The channel in which a command was given. Raises UserError in a direct message too."""
    chat, team = chat_and_team(context, command)
    if chat.direct:
        raise UserError("only_in_channel", command=command)
    return chat, team


def resolved(given: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Full or short names as full names, each once. Raises UserError for one that is not among `known`."""
    by_name = tuple(known)
    found = (_full(name, by_name) for name in given)
    return tuple(dict.fromkeys(found))


def showable(team: Team, chat: Chat) -> tuple[str, ...]:
    """The configured repositories that may be shown in the channel."""
    return tuple(name for name, seen in team.repositories.items() if may_show(seen, external=chat.external))


def told(subscription: Subscription, context: Context, names: Mapping[str, object] | None = None) -> dict[str, object]:
    """A subscription for a template, with those of its repositories that are in `names` (None: all)."""
    shown = [name for name in subscription.repositories if names is None or name in names]
    hidden = len(subscription.repositories) - len(shown)
    return {"repositories": shown, "hidden": hidden, **timing(subscription, context.now)}


def post(chat: Chat, channel: str, message: Message, thread: str | None) -> str:
    """Post a message; returns its id. Raises UserError that says why it could not be posted."""
    try:
        return chat.post(channel, message, thread)
    except ThreadGone:
        raise UserError("thread_gone") from None
    except Unsure as error:
        raise UserError("perhaps_posted", reason=str(error)) from error
    except (NotSent, Refused) as error:
        raise UserError("not_posted", reason=str(error)) from error


def _full(given: str, known: tuple[str, ...]) -> str:
    wanted = given.casefold()
    found = [name for name in known if wanted in {name.casefold(), name.partition("/")[2].casefold()}]
    if len(found) != 1:
        raise UserError("not_configured", given=given, names=list(known))
    return found[0]
