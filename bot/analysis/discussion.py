"""The review exchanges of a pull request that matter: what was asked, by whom, where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.analysis.passages import sentences
from bot.analysis.rules import Rules
from bot.models import PullRequest, ReviewThread


@dataclass(frozen=True, slots=True)
class Exchange:
    """One passage of a review thread; `path` is the file it stands at."""

    author: str
    path: str
    passage: str


def exchanges_of(one: PullRequest, rules: Rules, most: int = 2) -> tuple[Exchange, ...]:
    """The passages that a reader should know, the weightiest first; nothing where there were no threads.

    Unresolved threads come first, then those that name a serious fault, then those in which most was said.
    """
    threads = sorted(one.threads or (), key=lambda thread: _weight(thread, rules), reverse=True)
    found = (_exchange(thread, one.author) for thread in threads)
    return tuple(exchange for exchange in found if exchange is not None)[:most]


def _weight(thread: ReviewThread, rules: Rules) -> tuple[bool, bool, int]:
    text = " ".join(comment.body for comment in thread.comments)
    return not thread.resolved, any(fault.words.search(text) for fault in rules.faults), len(thread.comments)


def _exchange(thread: ReviewThread, author: str) -> Exchange | None:
    """The first sentence by which somebody else opened the thread."""
    opened = next((comment for comment in thread.comments if comment.author != author), None)
    lines: Sequence[str] = tuple(sentences(opened.body)) if opened else ()
    return Exchange(opened.author, thread.path, lines[0]) if opened and lines else None
