"""Words of titles that tell what a change is about, by how rare they are in a repository's own titles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}|[一-鿿]{2,}")
_STEM = 6  # letters: "shuffled" and "shuffle" are one
_FAIR_SHARE = 0.01
_LEAST = 4


class TellingWords:
    """Counts the words of known titles. A word that more than one title in a hundred uses tells nothing."""

    def __init__(self, titles: Iterable[str]) -> None:
        counts: Counter[str] = Counter()
        known = 0
        for title in titles:
            known += 1
            counts.update(_stems(title))
        most = max(_LEAST, _FAIR_SHARE * known)
        self._plain = frozenset(stem for stem, count in counts.items() if count > most)

    def of(self, title: str) -> frozenset[str]:
        """The stems of a title's telling words."""
        return _stems(title) - self._plain


def _stems(title: str) -> frozenset[str]:
    return frozenset(word.casefold()[:_STEM] for word in _WORD.findall(title))
