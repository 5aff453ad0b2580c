"""A message as GitHub-flavoured Markdown, to be pasted into issues and documents.

Every text is escaped so that it reads as it is. A backslash suffices for Markdown and HTML. It does not for what GitHub
links after Markdown has been read (mentions, issue numbers, bare addresses, emoji names): those get a zero-width space
inside, which is invisible, splits them for every such filter and needs no HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby, zip_longest
from urllib.parse import quote

from bot.message import (
    Block,
    Buttons,
    Chart,
    Code,
    Context,
    Fields,
    Heading,
    Link,
    ListBlock,
    Message,
    Plain,
    PullRequestRef,
    Span,
    Spans,
    Table,
    Text,
)
from bot.rendering.forms import chart_rows, one_line

_ZERO_WIDTH_SPACE = "\u200b"
_LINKED_LATER = re.compile(
    r"@(?=[a-z0-9])|#(?=[0-9])|\bGH-(?=[0-9])|\bwww(?=\.)|:(?=//)|:(?=[a-z0-9_+-]+:)", re.IGNORECASE | re.ASCII
)
_MARKUP = re.compile(r"[\\`*_\[\]<>|~$#]|&(?=#?[0-9A-Za-z]+;)|!$")  # a last ! would make an image of the link after it
_LIST_START = re.compile(r"^(?:()([-+])|([0-9]+)([.)])(?= |$))")
_BACKTICKS = re.compile("`+")
_STRAY_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_LINKED = ("http://", "https://")


def to_markdown(message: Message) -> str:
    """The blocks in order with a blank line between. No blocks: "".

    An address that is not http or https is written out, not linked.
    """
    markdown: list[str] = []
    before: str | None = None
    for block in message.blocks:
        marker = _marker(block, before)
        if lines := _block(block, marker or ""):
            markdown.append(lines)
            before = marker
    return "\n\n".join(markdown)


def _marker(block: Block, before: str | None) -> str | None:
    """The list marker, another one than that of a list just before: equal ones would make a single list."""
    match block:
        case ListBlock(ordered=True):
            return ")" if before == "." else "."
        case ListBlock() | Fields():
            return "*" if before == "-" else "-"
    return None


def _block(block: Block, marker: str) -> str:
    match block:
        case Heading(spans=spans, level=level):
            return _prefixed("#" * min(max(level, 1), 6), _line(spans))
        case Text(spans=spans):
            return _line(spans)
        case Context(spans=spans):
            return _prefixed(">", _line(spans))
        case ListBlock(items=items, ordered=ordered):
            markers = (f"{place}{marker}" if ordered else marker for place in range(1, len(items) + 1))
            return "\n".join(f"{mark} {_line(item)}".rstrip() for mark, item in zip(markers, items, strict=True))
        case Fields(pairs=pairs):
            return "\n".join(f"{marker} {_inline(_bolder(label))}: {_inline(value)}".rstrip() for label, value in pairs)
        case Table(header=header, rows=rows):
            return _table((header, *rows))
        case Chart(title=title):
            table = _table([[(Plain(cell),) for cell in row] for row in chart_rows(block)])
            return "\n\n".join(filter(None, (_line((Plain(title, bold=True),)), table)))
        case Buttons(buttons=buttons):
            return " · ".join(f"{_line((Plain(button.label),))}: {_code(button.command)}" for button in buttons)


def _bolder(spans: Spans) -> Spans:
    return tuple(span if isinstance(span, Code) else replace(span, bold=True) for span in spans)


def _prefixed(prefix: str, line: str) -> str:
    return f"{prefix} {line}" if line else ""


def _table(rows: Sequence[Sequence[Spans]]) -> str:
    columns = list(zip_longest(*rows, fillvalue=()))
    if not columns:
        return ""
    header, *body = ([_inline(cell, in_table=True) for cell in row] for row in zip(*columns, strict=True))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(columns), *body))


def _line(spans: Spans) -> str:
    """Spans as the content of a line of their own, where a leading - or 1. would begin a list."""
    return _LIST_START.sub(r"\1\3\\\2\4", _inline(spans))


def _inline(spans: Spans, *, in_table: bool = False) -> str:
    parts: list[str] = []
    for bold, group in groupby(_joined(spans), key=_is_bold):
        run = "".join(_parts(group, in_table=in_table))
        parts.append(_strong(run) if bold else run)
    return "".join(parts).strip()


def _joined(spans: Spans) -> list[Span]:
    """The spans that show something. Neighbours in plain text are one: a mention may begin in one, end in the next."""
    joined: list[Span] = []
    for span in map(_linked_or_plain, spans):
        last = joined[-1] if joined else None
        if isinstance(span, Plain) and isinstance(last, Plain) and span.bold == last.bold:
            joined[-1] = Plain(last.text + span.text, bold=span.bold)
        elif one_line(span.text):
            joined.append(span)
    return joined


def _linked_or_plain(span: Span) -> Span:
    if isinstance(span, Link | PullRequestRef) and not span.url.lower().startswith(_LINKED):
        return Plain(f"{span.text} ({span.url})" if isinstance(span, Link) else span.text, bold=span.bold)
    return span


def _is_bold(span: Span) -> bool:
    return not isinstance(span, Code) and span.bold


def _parts(spans: Iterable[Span], *, in_table: bool) -> Iterable[str]:
    after_code = False
    for span in spans:
        match span:
            case Plain(text=text):
                yield _escaped(text)
            case Code(text=text):
                if after_code:  # the backticks would run together
                    yield _ZERO_WIDTH_SPACE
                yield _code(text).replace("|", r"\|") if in_table else _code(text)
            case PullRequestRef(text=text, url=url):
                yield f"[{text}]({_address(url)})"
            case Link(text=text, url=url):
                yield f"[{_escaped(text)}]({_address(url)})"
        after_code = isinstance(span, Code)


def _strong(text: str) -> str:
    """Bold that holds beside Chinese, where no space separates words.

    CommonMark (0.31, delimiter runs) refuses ** between a letter outside and a punctuation mark inside; a zero-width
    space, which is neither, goes between the two.
    """
    core = text.strip()
    if not core:
        return text
    start = text.index(core)
    opening = "" if core[0].isalnum() else _ZERO_WIDTH_SPACE
    closing = "" if core[-1].isalnum() else _ZERO_WIDTH_SPACE
    return f"{text[:start]}**{opening}{core}{closing}**{text[start + len(core) :]}"


def _escaped(text: str) -> str:
    split = _LINKED_LATER.sub(rf"\g<0>{_ZERO_WIDTH_SPACE}", one_line(text))
    return _MARKUP.sub(r"\\\g<0>", split)


def _code(text: str) -> str:
    """A code span. Its fence is longer than any run of backticks inside; CommonMark strips one space at each end."""
    content = one_line(text)
    fence = "`" * (max(map(len, _BACKTICKS.findall(content)), default=0) + 1)
    padded = content.startswith(("`", " ")) or content.endswith(("`", " "))
    return f"{fence} {content} {fence}" if padded and content.strip() else f"{fence}{content}{fence}"


def _address(url: str) -> str:
    """The address with everything encoded that Markdown or a table could read as its own; & survives as an entity."""
    encoded = quote(_STRAY_PERCENT.sub("%25", one_line(url)), safe="/:?#@!+,;=%-._~&")
    return encoded.replace("&", "&amp;")
