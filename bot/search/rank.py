"""Which pull requests bear on a question, by the words of their titles, their tags and their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from bot.search.understand import Question, words_of

_TAG_WEIGHT = 1.5
_CATEGORY_WEIGHT = 2.0
_FILE_WEIGHT = 4.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pull request as a question sees it."""

    number: int
    title: str
    tags: tuple[str, ...]
    categories: tuple[str, ...]
    files: tuple[str, ...]
    importance: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A candidate that bears on the question: the words, tags and files that say so."""

    number: int
    score: float
    words: tuple[str, ...]
    tags: tuple[str, ...]
    files: tuple[str, ...]


def rank(question: Question, candidates: Sequence[Candidate]) -> list[Hit]:
    """The candidates that bear on a question, best first (ties: more important, then the lower number).

    A question that names a risk is about the pull requests that carry it and no other.
    """
    words = {one.number: words_of(one.title) for one in candidates}
    rarity = _rarity(question.words, words.values(), len(candidates))
    asked = [one for one in candidates if not question.categories or set(question.categories) & set(one.categories)]
    hits = [(one, _hit(question, one, words[one.number], rarity)) for one in asked]
    found = [(one, hit) for one, hit in hits if hit.score > 0]
    found.sort(key=lambda pair: (-pair[1].score, -pair[0].importance, pair[0].number))
    return [hit for _, hit in found]


def _rarity(words: Iterable[str], titles: Iterable[frozenset[str]], total: int) -> Mapping[str, float]:
    """Inverse document frequency (Spärck Jones 1972)."""
    counts = Counter(word for title in titles for word in title)
    return {word: log(1 + total / (1 + counts[word])) for word in words}


def _hit(question: Question, one: Candidate, title: frozenset[str], rarity: Mapping[str, float]) -> Hit:
    words = tuple(word for word in question.words if word in title)
    tags = tuple(tag for tag in one.tags if tag in question.tags or tag in question.words)
    categories = tuple(name for name in question.categories if name in one.categories)
    files = tuple(path for path in one.files if any(_names(asked, path) for asked in question.files))
    score = (
        sum(rarity[word] for word in words)
        + _TAG_WEIGHT * len(tags)
        + _CATEGORY_WEIGHT * len(categories)
        + _FILE_WEIGHT * bool(files)
    )
    return Hit(one.number, score, words, tags, files)


def _names(asked: str, path: str) -> bool:
    """Whether a path is the asked one, or ends in it at a folder boundary."""
    return path == asked or path.endswith(f"/{asked}")
