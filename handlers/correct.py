"""`correct TEXT`: a correction in the thread of the digest that it corrects, for everybody to see."""

from __future__ import annotations

from dataclasses import replace

from bot.dispatch import Chat, Context, Request, UserError
from bot.message import Message, Plain
from bot.store.reports import Report
from bot.text import clean
from handlers.channel import chat_and_team, post


def handle(context: Context, request: Request) -> Message:
    """Say where the correction stands.

    Raises UserError unless it was written under a report or a digest, and where it could not be posted.
    """
    chat, _ = chat_and_team(context, "correct")
    report = _report(context, chat)
    channel, thread = _target(context, chat, report)
    text = Plain(clean(request.command.text))  # whole: a value of a template would be cut
    correction = Message(request.subject.wording.blocks("replies/correction", text=text))
    essence = "".join(span.text for span in correction.spans())
    message = post(chat, channel, replace(correction, summary=essence), thread)
    if report is not None:
        context.store.reports().corrected(report.id, context.now)
    address = chat.permalink(channel, message) if chat.permalink else None
    here = channel == chat.channel
    return Message(request.subject.wording.blocks("replies/correct", address=address or "", here=here))


def _report(context: Context, chat: Chat) -> Report | None:
    """The report that was told in the thread; a direct message was sent to the user's id, not to the channel's."""
    if chat.thread is None:
        return None
    places = (chat.channel, chat.user) if chat.direct else (chat.channel,)
    found = (context.store.reports().told_by(chat.platform, place, chat.thread) for place in places)
    return next(filter(None, found), None)


def _target(context: Context, chat: Chat, report: Report | None) -> tuple[str, str | None]:
    if report is not None:
        return report.said.channel, report.said.thread
    if chat.thread is not None and context.store.ledger().posted_at(chat.platform, chat.channel, chat.thread):
        return chat.channel, chat.thread
    raise UserError("correct_where", command=context.command)
