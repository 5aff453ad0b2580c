"""What a title says about reverting: whether it does, the title that it quotes, the pull requests that it names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_REVERTS = r"(?:revert(?:s|ed|ing)?|back(?:s|ed)? ?out|roll(?:s|ed|ing)?[ -]?back)\b:?\s*"
_REDOES = r"(?:un-?revert|re-?appl(?:y|ies|ied)|re-?land(?:s|ed)?|re-?do(?:es|ne)?)\b"
_VERB = re.compile(rf"{_REVERTS}|{_REDOES}", re.IGNORECASE)
_REVERT = re.compile(_REVERTS, re.IGNORECASE)
_REAPPLIES = re.compile(_REDOES, re.IGNORECASE)
_REVERT_SAID_PLAINLY = re.compile(r"revert(?:s|ed|ing)?\b(?!.*\bto\b)", re.IGNORECASE)
_SAYS_WHAT_IT_REVERTS = re.compile(r"\(revert(?:s|ed|ing)? #\d{1,9}\)", re.IGNORECASE)
_ONLY_A_PART = re.compile(r"\bpart(?:s|ly|ial|ially)?\b", re.IGNORECASE)
_QUOTES = re.compile(
    _REVERTS + r"(?:(?:PR|pull request)\s*)?(?:[\"“「](?P<title>.+)|'(?P<bare>[^']+)'\W*(?:\(#\d+\))?\s*$)",
    re.IGNORECASE,
)
_AND_MORE = r"(?:\s*(?:,|and|&|\+|、|和)\s*(?:PR\s*)?#?\s*\d{1,9})*"
_NAMES = re.compile(  # "Revert #4", "Revert PRs 4 and 5", "rollback PR-4", "revert 1234"
    _REVERTS + r"((?:(?:PRs?|pull requests?)\s*[#-]?\s*|#\s*)\d{1,9}" + _AND_MORE + r"|\d{2,9}\s*$)", re.IGNORECASE
)
_MENTIONS = re.compile(r"(?:\b(?P<before>\w+)\s+)?(?P<numbers>#\d{1,9}" + _AND_MORE + ")", re.IGNORECASE)
_ABOUT_ANOTHER = re.compile(
    r"(?:in|from|of|since|after|before|to|by|with|see|fix(es)?|closes?|for|until|via)", re.IGNORECASE
)
_MERGE = re.compile(r"merge pull request #(\d{1,9})\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_OWN_NUMBER = re.compile(r"\s*\(#\d+\)\s*$")
_MARKS = re.compile(r"[^\w\[\"“「'#]+")
_AREA = re.compile(r"(?:\[(?P<area>[^\]]*)\]|(?P<word>\w+)(?:\([^)]*\))?!?:)[\s:-]*")  # "[area]", "fix(scope):"
_CLOSES = "\"”」'"
_ELLIPSES = ("…", "...")
LONGEST = 300
"""Characters of a title that are looked at; GitHub allows 256, a commit any number."""


@dataclass(frozen=True, slots=True)
class Undoing:
    """A title that says that something is undone: by which numbers, which quoted title, and is that cut short."""

    numbers: tuple[int, ...]
    quoted: str | None
    cut: bool


@lru_cache(maxsize=10_000)
def is_revert(title: str) -> bool:
    """Whether a title says that the pull request takes another one's work away.

    Bringing reverted work back does not, nor does going back to something ("Revert the limit to 4").
    """
    bare = without_areas(title)
    if _REAPPLIES.match(bare):
        return False
    if quoted := _quoted(bare):
        return not is_revert(quoted)
    if _REVERT_SAID_PLAINLY.match(bare) or _SAYS_WHAT_IT_REVERTS.search(bare):
        return True
    return _REVERT.match(bare) is not None and bool(_numbers(bare))


def undoing(title: str) -> Undoing | None:
    """What a title says it undoes, be it a revert itself; None when it undoes nothing, or a part only."""
    bare = without_areas(title)
    quoted = _quoted(bare)
    undoes = is_revert(title) or (quoted is not None and is_revert(quoted))
    if not undoes or _ONLY_A_PART.search(bare.replace(quoted or "\n", "")):
        return None
    return Undoing(tuple(_numbers(bare)), quoted, _is_cut(bare))


def reapplies(title: str) -> bool:
    """Whether a title says that work is done again: reapply, re-land, redo, unrevert."""
    return _REAPPLIES.match(without_areas(title)) is not None


def without_areas(title: str) -> str:
    """A title without the areas before it; one that is itself the verb ("[Revert] …", "revert: …") counts as it."""
    verb, rest = "", title[:LONGEST].strip()
    rest = rest[found.end() :] if (found := _MARKS.match(rest)) else rest
    while area := _AREA.match(rest):
        name = area["area"] or area["word"] or ""
        verb = verb or (name if _VERB.fullmatch(name) else "")
        rest = rest[area.end() :]
    return f"{verb} {rest}" if verb and not _VERB.match(rest) else rest


def folded(title: str) -> str:
    """A title for comparison: case, spaces, closing quotes and its own number at the end do not count."""
    bare = _OWN_NUMBER.sub("", " ".join(title[:LONGEST].split()).rstrip(_CLOSES))
    return bare.casefold().rstrip(_CLOSES)


def _numbers(bare: str) -> list[int]:
    """The numbers that a revert names; others, of an issue or inside a quoted title, are not among them."""
    if named := _NAMES.match(bare) or _MERGE.match(_quoted(bare) or ""):
        return _whole(named[1])
    mentions = list(_MENTIONS.finditer(bare))
    if not mentions or _ABOUT_ANOTHER.fullmatch(mentions[-1]["before"] or ""):
        return []
    at_the_end = not re.search(r"\w", bare[mentions[-1].end() :])
    return _whole(mentions[-1]["numbers"]) if at_the_end or _quoted(bare) is None else []


def _whole(text: str) -> list[int]:
    return [int(number) for number in _DIGITS.findall(text)]


def _quoted(bare: str) -> str | None:
    """The title that a revert quotes, up to its last closing quote (a cut one has none)."""
    found = _QUOTES.match(bare)
    if found is None:
        return None
    text: str = found["title"] or found["bare"]
    closing = max(text.rfind(char) for char in _CLOSES)
    return text if closing <= 0 or _is_cut(bare) else text[:closing].rstrip(_CLOSES)


def _is_cut(bare: str) -> bool:
    """GitHub cuts a long title and ends it with an ellipsis; others lose the closing quote."""
    text = bare.rstrip()
    return text.rstrip(_CLOSES).endswith(_ELLIPSES) or text[-1:] not in {*_CLOSES, ")"}
