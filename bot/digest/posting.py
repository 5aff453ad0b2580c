"""A digest as a channel gets it: the root, and what goes in its thread, each with its essence for notifications."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.digest.build import Digest, Section
from bot.digest.charts import charts_of
from bot.digest.gist import gist_of
from bot.digest.view import View
from bot.message import Block, Button, Buttons, Heading, ListBlock, Message, Plain, PullRequestRef, Spans, Text
from bot.text import term

_BETWEEN = Plain(" · ")


def messages_of(digest: Digest, *, correctable: bool = True) -> tuple[Message, ...]:
    """The root, then the charts (where there are any) and the six sections, each under its heading.

    Where nothing was merged the six are one message.

    `correctable`: the cards have buttons that report a mistake, for where the command `wrong` works.
    """
    return (digest.root, *thread_of(digest, correctable=correctable))


def thread_of(
    digest: Digest, about: Spans = (), command: str = "wrong {}", *, correctable: bool = True
) -> tuple[Message, ...]:
    """What goes in the thread, in order. Where there are several digests, `about` opens every heading and summary.

    `command` is what a card's button says, with {} for the number.
    """
    if not digest.week.pull_requests:
        return (*_charts(digest.view, about), _at_once(digest, about))
    sections = (_correctable(one, command) if correctable else one for one in digest.sections)
    return (*_charts(digest.view, about), *(_titled(digest.view, one, about) for one in sections))


def wrong(number: int, command: str = "wrong {}") -> Buttons:
    """The button that reports a mistake in what was said of a pull request."""
    return Buttons((Button(f"{term('wrong', 'button')} #{number}", command.format(number)),))


def _charts(view: View, about: Spans) -> Iterator[Message]:
    charts = charts_of(view)
    if charts.blocks:
        title = term("title", "chart")
        yield replace(
            charts,
            blocks=(*([_heading(title, about)] if about else []), *charts.blocks),
            summary=gist_of(view.wording, title, charts, about),
        )


def _at_once(digest: Digest, about: Spans) -> Message:
    """All sections of a week in which nothing was merged: six messages that say so would be five too many."""
    titled = [_titled(digest.view, one, about) for one in digest.sections]
    return Message(tuple(block for one in titled for block in one.blocks), titled[0].summary)


def _titled(view: View, section: Section, about: Spans) -> Message:
    message = section.message
    return Message(
        (_heading(section.title, about), *message.blocks), gist_of(view.wording, section.title, message, about)
    )


def _heading(title: str, about: Spans) -> Heading:
    return Heading((*about, _BETWEEN, Plain(title)) if about else (Plain(title),))


def _correctable(section: Section, command: str) -> Section:
    """The cards one by one, each with the button that says that it is wrong; any other section as it is."""
    if section.name != "cards":
        return section
    blocks = tuple(part for block in section.message.blocks for part in _with_buttons(block, command))
    return replace(section, message=replace(section.message, blocks=blocks))


def _with_buttons(block: Block, command: str) -> Iterator[Block]:
    if not isinstance(block, ListBlock):
        yield block
        return
    for item in block.items:
        yield Text(item)
        numbers = [span.number for span in item if isinstance(span, PullRequestRef)]
        if numbers:
            yield wrong(numbers[0], command)
