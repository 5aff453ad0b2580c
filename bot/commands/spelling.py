"""Typed text in one spelling: what phones and input methods do to it undone, and the nearest word to a mistaken one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from difflib import get_close_matches

from bot.text import clean

_DASH = re.compile("(?<=[0-9A-Za-z])[‐‑‒–—−](?=[0-9A-Za-z])")  # phones turn - into these
_LONG_DASH = re.compile(r"(?:^|(?<=\s))[–—]+(?=\w)")  # and -- into these
_DECORATION = str.maketrans(dict.fromkeys('"“”„‟«»「」『』《》〈〉<>', " ") | dict.fromkeys("‘’‚‛`", "'"))
SLASHES = "/\\、"  # a Chinese keyboard gives 、 for the key of / or \
_TRAILING = " .。!,;~、?"
_LONGEST = 40  # characters; no name is longer


def normalised(text: str) -> str:
    """One line in Unicode form NFKC without quotes, with plain dashes and single spaces. Twice is the same as once.

    NFKC leaves Chinese letters and 、 as they are but turns ，：（） into their ASCII forms: whoever compares a
    configured name with an argument normalises the name first.
    """
    line = unicodedata.normalize("NFKC", clean(text)).translate(_DECORATION)
    return " ".join(_LONG_DASH.sub("--", _DASH.sub("-", line)).split())


def without_end(line: str) -> str:
    """A normalised line without the punctuation at its end, unless it is nothing else."""
    return line.rstrip(_TRAILING) or line


def ends_a_sentence(line: str) -> bool:
    """Whether a normalised line ends with punctuation."""
    return line[-1:] in _TRAILING


def one_of(words: Collection[str]) -> str:
    """A regular expression for any of the words, longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def nearest(word: str, names: Mapping[str, str]) -> str:
    """What to propose for a mistaken word: a key of `names` in Chinese, its value otherwise; "" when none is near."""
    folded = word[:_LONGEST].casefold()
    half = len(folded) <= len("风险")  # of two characters one may be wrong
    near = get_close_matches(folded, names, n=1, cutoff=0.5 if half else 0.6)
    return "" if not near else names[near[0]] if near[0].isascii() else near[0]
