"""Spans as Slack's rich text. Style is data there, so nothing that a text holds is parsed.

https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bot.message import Code, Link, PullRequestRef, Span, Spans
from bot.platforms.slack.limits import URL, Node, units
from bot.rendering.forms import one_line

# Clients that know no rich text are given <address|words>, which these characters would leave.
_ADDRESS = re.compile(r"https?://[^\s/<>|][^\s<>|]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one style. `cites`: its address is that of a pull request."""

    text: str
    bold: bool = False
    code: bool = False
    url: str | None = None
    cites: bool = False

    @property
    def style(self) -> tuple[bool, bool, str | None]:
        """What tells it from its neighbours."""
        return self.bold, self.code, self.url

    @property
    def weight(self) -> int:
        """What it counts against a message's limit."""
        return units(self.text) + units(self.url or "")


Runs = tuple[Run, ...]


def runs_of(spans: Spans, *, bold: bool = False) -> Runs:
    """The spans as they are shown, all of them bold if asked; () where there is nothing to see.

    An address that is not http or https, or that Slack would refuse, is written out, not linked.
    """
    runs = (_run(span) for span in spans)
    return joined(replace(run, bold=True) if bold else run for run in runs if run.text)


def joined(runs: Iterable[Run]) -> Runs:
    """Neighbours of one style as one, without white space at the ends."""
    kept: list[Run] = []
    for run in runs:
        if kept and run.style == kept[-1].style and run.url is None:
            kept[-1] = replace(run, text=kept[-1].text + run.text)
        else:
            kept.append(run)
    while kept and not kept[0].text.strip():
        kept.pop(0)
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        kept[0] = replace(kept[0], text=kept[0].text.lstrip())
        kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip())
    return tuple(kept)


def text_of(runs: Runs) -> str:
    """The words."""
    return "".join(run.text for run in runs)


def between(parts: Sequence[Runs], separator: str = " · ") -> Runs:
    """The parts that say something, with a separator between."""
    runs: list[Run] = []
    for part in filter(None, parts):
        runs += (Run(separator), *part) if runs else part
    return joined(runs)


def section(runs: Runs) -> Node:
    """A line of rich text, the part of a block, a list or a cell."""
    return {"type": "rich_text_section", "elements": [_element(run) for run in runs]}


def paragraph(runs: Runs) -> Node:
    """A block of one paragraph; a cell of a table has the same form."""
    return _block(section(runs))


def quote(runs: Runs) -> Node:
    """A block of one paragraph with a bar beside it."""
    return _block({"type": "rich_text_quote", "elements": [_element(run) for run in runs]})


def listing(items: Sequence[Runs], *, ordered: bool, offset: int = 0) -> Node:
    """A block of one list. `offset` is how many items stand in the messages before."""
    style = "ordered" if ordered else "bullet"
    node: Node = {"type": "rich_text_list", "style": style, "elements": [section(item) for item in items]}
    return _block(node | {"offset": offset} if ordered and offset else node)


def _block(element: Node) -> Node:
    return {"type": "rich_text", "elements": [element]}


def _run(span: Span) -> Run:
    text = one_line(span.text)
    match span:
        case Code():
            return Run(text, code=True)
        case Link(url=url, bold=bold) | PullRequestRef(url=url, bold=bold) if _linkable(url):
            return Run(text if text.strip() else url, bold=bold, url=url, cites=isinstance(span, PullRequestRef))
        case Link(url=url, bold=bold):
            return Run(f"{text} ({one_line(url)})", bold=bold)
    return Run(text, bold=span.bold)


def _linkable(url: str) -> bool:
    return one_line(url) == url and units(url) <= URL and _ADDRESS.fullmatch(url) is not None


def _element(run: Run) -> Node:
    style = {name: True for name, given in (("bold", run.bold), ("code", run.code)) if given}
    node: Node = {"type": "text"} if run.url is None else {"type": "link", "url": run.url}
    return node | {"text": run.text} | ({"style": style} if style else {})
