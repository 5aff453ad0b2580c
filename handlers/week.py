"""`week 2026-W14|上周|04-06`: the digest of another week, its root and its summary."""

from bot.digest.build import build
from bot.dispatch import Context, Request
from bot.message import Buttons, Heading, Message, Plain
from handlers.asked import loaded, require_covered


def handle(context: Context, request: Request) -> Message:
    """The root and the 执行摘要 of that week. Raises UserError when it is not stored."""
    require_covered(context, request)
    subject = request.subject
    digest = build(loaded(context, request, request.period), subject.rules, subject.wording)
    first = digest.sections[0]
    root = tuple(block for block in digest.root.blocks if not isinstance(block, Buttons))
    return Message((*root, Heading((Plain(first.title),)), *first.message.blocks), digest.root.summary)
