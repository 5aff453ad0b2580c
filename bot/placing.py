"""The words around an answer that stands in another thread than the question: what it answers, and where it is."""

from __future__ import annotations

from dataclasses import replace

from bot.message import Message
from bot.text import Wording


def answering(message: Message, *, asked: str | None, beside: str | None) -> Message:
    """The answer under a line that leads to the question, and to the message that it speaks of.

    Both are addresses; None: not known, or not needed.
    """
    first = Wording(str).blocks("replies/about", asked=asked, beside=beside)
    return replace(message, blocks=(*first, *message.blocks))


def pointing(answer: str | None) -> Message:
    """One line for where the question was asked; `answer` is the address of the answer, None: not known."""
    return Message(Wording(str).blocks("replies/elsewhere", answer=answer))
