"""`wrong [N] [TEXT]`: somebody says that something is wrong; the admins are told where, and how to correct it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from bot.commands import ParsedCommand
from bot.dispatch import Chat, Context, Request, Subject, UserError
from bot.message import Link, Message
from bot.store.deliveries import ROOT
from bot.store.reports import Report, Said
from bot.team import Team
from handlers.channel import chat_and_team, post, resolved

_THE_SAME = timedelta(minutes=10)
"""Pressed twice, or handled again after a crash, a report is one report."""


@dataclass(frozen=True)
class _About:
    """The pull request that is meant: its number, and its repository where that is clear."""

    number: int | None
    subject: Subject | None

    @property
    def url(self) -> str | None:
        return None if self.number is None or self.subject is None else self.subject.wording.url(self.number)

    @property
    def link(self) -> Link | str:
        """As it is shown; "" where none is meant."""
        if self.url is None or self.subject is None:
            return "" if self.number is None else f"#{self.number}"
        return Link(f"{self.subject.name}#{self.number}", self.url)


def handle(context: Context, request: Request) -> Message:
    """Say who was told. The report is kept whatever happens; raises UserError where nobody could be told."""
    chat, team = chat_and_team(context, "wrong")
    about = _about(context, request.command)
    said = Said(*(chat.platform, chat.channel), _thread(context, chat, about), chat.message, chat.user, _text(request))
    store = context.store.reports()
    known = store.same(said, context.now - _THE_SAME)
    if known is None or known.told_message is None:
        _tell(context, request, known or store.add(said, context.now), about)
    told_in = "nobody" if not _recipients(team, chat) else "channel" if team.admin_channel(chat.platform) else "admins"
    blocks = request.subject.wording.blocks("replies/wrong", command_name=context.command, about=about.link, to=told_in)
    return Message(blocks)


def _text(request: Request) -> str:
    command = request.command
    number = [f"#{one}" for one in command.arguments]
    return " ".join([*number, *filter(None, [command.repository, command.text])])


def _about(context: Context, command: ParsedCommand) -> _About:
    if not command.arguments:
        return _About(None, None)
    number, subjects = int(command.arguments[0]), context.subjects
    if command.repository is not None and subjects:
        return _About(number, subjects[resolved([command.repository], subjects)[0]])
    having = [one for name, one in subjects.items() if context.store.pull_request(name, number) is not None]
    return _About(number, having[0] if len(having) == 1 else None)


def _thread(context: Context, chat: Chat, about: _About) -> str | None:
    """The thread to correct in: where it was said, else of the digest that speaks of it, else of the last digest."""
    if chat.thread is not None:
        return chat.thread
    ledger = context.store.ledger()
    citing = about.url and ledger.citing(chat.platform, chat.channel, about.url)
    if citing:
        return citing.thread
    last = ledger.last(chat.platform, chat.channel)
    parts = ledger.parts(last.id) if last else ()
    return next((part.remote_id for part in parts if part.position == ROOT), None)


def _recipients(team: Team, chat: Chat) -> tuple[str, ...]:
    channel = team.admin_channel(chat.platform)
    return team.admins_on(chat.platform) if channel is None else (channel,)


def _tell(context: Context, request: Request, report: Report, about: _About) -> None:
    """Tell all that are to be told; raises the first reason only where nobody could be."""
    chat, team = chat_and_team(context, "wrong")
    store, failures, told = context.store.reports(), [], 0
    for channel in _recipients(team, chat):
        try:
            message = post(chat, channel, _message(context, request, about), None)
        except UserError as error:
            failures.append(error)
            continue
        # Each message is a report of its own, so that a correction may be written under any of them.
        store.told((report if not told else store.add(report.said, report.at)).id, channel, message)
        told += 1
    if failures and not told:
        raise UserError("report_not_passed_on", reason=failures[0].values.get("reason", "")) from failures[0]


def _message(context: Context, request: Request, about: _About) -> Message:
    chat, team = chat_and_team(context, "wrong")
    stands_on = chat.message or chat.thread
    address = chat.permalink(chat.channel, stands_on) if chat.permalink and stands_on else None
    blocks = request.subject.wording.blocks(
        "replies/report",
        user=chat.user,
        channel=chat.channel,
        address=address or "",
        about=about.link,
        text=request.command.text,
        direct=team.admin_channel(chat.platform) is None,
    )
    return Message(blocks)
