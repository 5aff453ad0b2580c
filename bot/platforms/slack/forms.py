"""Other forms of a message that Slack refused: its blocks in halves, and what they say as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.platforms.slack.limits import Node, units

_LONGEST = 3_000  # `msg_too_long` was observed near 4,000
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_LINES = frozenset({"rich_text_section", "rich_text_quote", "rich_text_preformatted"})


def halves(blocks: Sequence[Node]) -> tuple[list[Node], ...]:
    """The blocks in two lists; () where there is nothing to halve."""
    middle = len(blocks) // 2
    return (list(blocks[:middle]), list(blocks[middle:])) if middle else ()


def texts(blocks: Sequence[Node]) -> tuple[str, ...]:
    """What the blocks say, as mrkdwn in messages of at most 3,000 characters; only their own links are live.

    Buttons and pictures are lost, words are not.
    """
    told: list[str] = []
    for line in filter(None, (line.strip() for block in blocks for line in _lines(block))):
        for piece in _cut(line):
            if told and units(told[-1]) + 1 + units(piece) <= _LONGEST:
                told[-1] += f"\n{piece}"
            else:
                told.append(piece)
    return tuple(told)


def _lines(node: Node) -> Iterator[str]:
    match node:
        case {"type": kind, "elements": list(elements)} if kind in _LINES:
            yield "".join(map(_words, elements))
        case {"type": "rich_text_list", "elements": list(items)}:
            yield from (f"• {line}" for item in items for line in _lines(item))
        case {"type": "rich_text" | "context", "elements": list(elements)}:
            for element in elements:
                yield from _lines(element)
        case {"type": "table", "rows": list(rows)}:
            yield from (" · ".join(line for cell in row for line in _lines(cell)) for row in rows)
        case {"type": "plain_text" | "mrkdwn" | "raw_text", "text": str(text)}:
            yield text.translate(_ESCAPES)
        case {"text": dict(text)}:
            yield from _lines(text)


def _words(element: Node) -> str:
    text = str(element.get("text", "")).translate(_ESCAPES)
    url = element.get("url")
    return f"<{str(url).translate(_ESCAPES)}|{text.replace('|', '¦')}>" if url else text


def _cut(line: str) -> Iterator[str]:
    """A line in pieces that fit a message; between two of them stands no half of a link or of an escape."""
    while units(line) > _LONGEST:
        end = _LONGEST // 2
        open_at = max(line.rfind("<", 0, end), line.rfind("&", 0, end))
        closed = max(line.rfind(">", 0, end), line.rfind(";", 0, end))
        end = open_at if open_at > closed and open_at > 0 else end
        yield line[:end]
        line = line[end:]
    yield line
