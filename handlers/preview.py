"""`preview`: the digest as it would be posted now, shown to nobody but the asker."""

from bot.digest.build import build, whole
from bot.dispatch import Context, Request
from bot.message import Message
from handlers.asked import loaded, require_covered


def handle(context: Context, request: Request) -> Message:
    """The whole digest of the period in one message. Raises UserError when the period is not stored."""
    require_covered(context, request)
    subject = request.subject
    return whole(build(loaded(context, request, request.period), subject.rules, subject.wording))
