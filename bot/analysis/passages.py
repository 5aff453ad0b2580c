"""Passages of a comment that can be quoted: whole sentences without code, quotations, links and mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_LIST = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_SHORTEST, _LONGEST = 12, 90


def sentences(body: str) -> Iterator[str]:
    """The sentences of a Markdown text, each as it stands there but for runs of white space.

    Code blocks, quoted lines, headings, tables, links and mentions are left out; so are fragments of fewer than 12
    characters. A sentence of more than 90 is cut at a word and ends with an ellipsis.
    """
    for line in _lines(body):
        for part in _ENDS.split(_LIST.sub("", line)):
            sentence = " ".join(part.split())
            if len(sentence) >= _SHORTEST and not _has_address(sentence):
                yield _cut(sentence)


def _lines(body: str) -> Iterator[str]:
    fenced = False
    for line in body.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith((">", "#", "|", "<")) and not line.startswith(("    ", "\t")):
            yield line


def _has_address(sentence: str) -> bool:
    return "://" in sentence or "](" in sentence or "@" in sentence


def _cut(sentence: str) -> str:
    if len(sentence) <= _LONGEST:
        return sentence
    return sentence[:_LONGEST].rsplit(" ", 1)[0].rstrip(" ,;，；、") + "…"
