"""`subscribe [OWNER/NAME…] [周一] [09:00]`: the channel gets a digest every week, or gets it at another time."""

from __future__ import annotations

from dataclasses import replace
from datetime import time

from bot.commands import DAY_NAMES, ParsedCommand
from bot.dispatch import Chat, Context, Request, UserError
from bot.message import Message
from bot.store.subscriptions import Subscription, subscription_id
from bot.team import Team
from handlers.channel import channel_and_team, resolved, showable, told

_TIME = time(9)


def handle(context: Context, request: Request) -> Message:
    """Say when the next digest comes. Raises UserError for a repository that may not or cannot be reported on here."""
    chat, team = channel_and_team(context, "subscribe")
    names, day, at = _wanted(request.command)
    store = context.store.subscriptions()
    there = store.of(chat.platform, chat.channel)
    repositories = _repositories(names, there, team, chat)
    before = _the_one(there, repositories)
    asked = before or Subscription(
        id=subscription_id(chat.platform, chat.channel, repositories),
        platform=chat.platform,
        channel=chat.channel,
        repositories=repositories,
        day=0,
        time=_TIME,
        timezone=team.timezone,
        added_at=context.now,
    )
    asked = replace(asked, day=asked.day if day is None else day, time=asked.time if at is None else at)
    if asked != before:
        asked = store.add(asked, f"{chat.platform}:{chat.user}", context.now)
    state = "same" if asked == before else "new" if before is None else "changed"
    said = told(asked, context)
    return Message(
        request.subject.wording.blocks("replies/subscribe", command_name=context.command, state=state, **said)
    )


def _wanted(command: ParsedCommand) -> tuple[tuple[str, ...], int | None, time | None]:
    names = [word for word in command.arguments if word not in DAY_NAMES and ":" not in word]
    day = next((DAY_NAMES.index(word) for word in command.arguments if word in DAY_NAMES), None)
    at = next((time.fromisoformat(word) for word in command.arguments if ":" in word), None)
    return (*names, *filter(None, [command.repository])), day, at


def _repositories(names: tuple[str, ...], there: tuple[Subscription, ...], team: Team, chat: Chat) -> tuple[str, ...]:
    """Those that were named; without a name those of the only subscription, or the only one there is."""
    shown = showable(team, chat)
    if names:
        _require_shown(names, team, shown)
        return resolved(names, shown)
    if len(there) == 1:
        return there[0].repositories
    if len(shown) == 1 and not there:
        return shown
    raise UserError("subscribe_to_which", names=list(shown))


def _require_shown(names: tuple[str, ...], team: Team, shown: tuple[str, ...]) -> None:
    """Raise UserError for a repository that is configured and may not be shown to those who read along."""
    asked = {name.casefold() for name in names}
    for name in team.repositories:
        if name not in shown and asked & {name.casefold(), name.partition("/")[2].casefold()}:
            raise UserError("not_for_this_channel", name=name)


def _the_one(there: tuple[Subscription, ...], repositories: tuple[str, ...]) -> Subscription | None:
    found = [one for one in there if set(one.repositories) == set(repositories)]
    if len(found) > 1:
        raise UserError("several_subscriptions", names=list(repositories))
    return found[0] if found else None
