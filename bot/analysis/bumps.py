"""What a title says of a dependency: which one moves, from which version and to which."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.analysis.revert_titles import without_areas

_VERB = r"\b(?:bump|upgrade|update|pin|unpin|downgrade|revert|bound|relax|switch)(?:s|d|ed|ing)?\s+"
_NAME = r"(?:to\s+|the\s+|python\s+package\s+)?`?(?P<name>@?[A-Za-z][\w@/.+-]*?)`?"
_VERSION = r"v?\d+(?:\.\d+)*(?:[.+-]?(?:post|rc|dev|alpha|beta|a|b)[.-]?\d*)*(?:\.x)?(?![\w%])"
_WHAT = r"(?:\s+(?:version|dependency|package|pin|release|deps?))*"
_MOVES = re.compile(
    _VERB + _NAME + _WHAT + rf"(?:\s+from\s+[=<>~]*`?(?P<old>{_VERSION})`?)?"
    rf"(?:\s+to\s+(?:version\s+)?[=<>~]*\s*|\s*(?:==|>=|->|=|\()\s*|\s+|-)`?(?P<new>{_VERSION})",
    re.IGNORECASE,
)
_TOUCHES = re.compile(
    _VERB + _NAME + r"(?=\s+(?:version|dependency|package|commit|pin|branch|to|for)\b|\s*$|\s*[,;(])", re.IGNORECASE
)
_NO_NAME = re.compile(
    _VERSION
    + "|an?|and|all|some|our|the|to|from|versions?|deps?|dependenc(?:y|ies)|requirements?|packages?|tests?|docs?"
    "|docs/tests|readme|docker|dockerfile|images?|ci|commit|release|changelog|group|workflow|latest|minimum|main|pr|up",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Bump:
    """A dependency and its versions as the title spells them; "" where it does not say."""

    name: str
    old: str = ""
    new: str = ""


def bump_of(title: str) -> Bump | None:
    """The first dependency that a title says is moved; None when it names none."""
    bare = without_areas(title)
    for found in (*_MOVES.finditer(bare), *_TOUCHES.finditer(bare)):
        named = found.groupdict()
        if not _NO_NAME.fullmatch(named["name"]):
            return Bump(named["name"], named.get("old") or "", named.get("new") or "")
    return None


def folded(name: str) -> str:
    """A dependency's name for comparison: case, hyphens and underscores do not count."""
    return name.casefold().replace("_", "-")
