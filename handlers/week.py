"""`week 2026-W14|上周|04-06`: the whole digest of that week."""

from bot.digest.build import build, whole
from bot.dispatch import Context, Request
from bot.message import Message
from handlers.asked import loaded, require_covered


def handle(context: Context, request: Request) -> Message:
    """The digest of that week in one message, without buttons. Raises UserError when it is not stored."""
    require_covered(context, request)
    subject = request.subject
    return whole(build(loaded(context, request, request.period), subject.rules, subject.wording))
