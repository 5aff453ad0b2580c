"""What a question names: pull requests, files, tags and the words that are left."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_NUMBER = re.compile(
    r"(?:/pull/|(?<![\w#])#|(?<![\w#])pr\s*#?\s*)(\d{1,9})(?!\d)|(?<![\w.#/-])(\d{3,7})(?![\w.%/-]|\s*(?:个|行|天|周|月))",
    re.IGNORECASE | re.ASCII,
)
_FILE = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)*[\w-]+\.(?:[A-Za-z]{1,5}))(?![\w/])", re.ASCII)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_SAYS_NOTHING = frozenset(
    {
        *("the", "a", "an", "of", "in", "on", "to", "is", "are", "was", "were", "what", "which", "who", "how", "why"),
        *("when", "did", "do", "does", "this", "that", "week", "pr", "prs", "pull", "request", "and", "or", "for"),
        *("any", "about", "there", "have", "has", "with", "us", "me", "show", "list", "tell", "last"),
    }
)


@dataclass(frozen=True, slots=True)
class Question:
    """What was understood. `words` are folded; a compound word stands whole and in its parts."""

    numbers: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was understood."""
        return not (self.numbers or self.files or self.tags or self.categories or self.words)


def understand(text: str, tag_terms: Mapping[str, str], categories: tuple[str, ...]) -> Question:
    """Read a question. `tag_terms` maps tags to their Chinese terms, `categories` are the names of risks."""
    plain = unicodedata.normalize("NFKC", text)
    rest = _NUMBER.sub(" ", plain)
    asked = tuple(name for name in categories if name in plain)
    return Question(
        numbers=_numbers(plain),
        files=tuple(dict.fromkeys(_FILE.findall(rest))),
        tags=_tags(_without(rest, asked), tag_terms),
        categories=asked,
        words=_words(_FILE.sub(" ", rest)),
    )


def words_of(text: str) -> frozenset[str]:
    """The folded words of a title or path, compound ones whole and in their parts."""
    return frozenset(word for found in _WORD.findall(text) for word in _with_parts(found))


def _without(text: str, names: Iterable[str]) -> str:
    """The text without the names, whose parts would otherwise be read as tags."""
    for name in names:
        text = text.replace(name, " ")
    return text


def _numbers(text: str) -> tuple[int, ...]:
    found = (int(named or bare) for named, bare in _NUMBER.findall(text))
    return tuple(dict.fromkeys(number for number in found if number))


def _tags(text: str, tag_terms: Mapping[str, str]) -> tuple[str, ...]:
    """The tags whose Chinese term the question uses; a term in Latin letters is found as a word."""
    chinese = "".join(_CHINESE.findall(text))
    return tuple(tag for tag, term in tag_terms.items() if _CHINESE.search(term) and term in chinese)


def _words(text: str) -> tuple[str, ...]:
    telling = (raw for raw in _WORD.findall(text) if raw.casefold() not in _SAYS_NOTHING)
    found = (word for raw in telling for word in _with_parts(raw))
    return tuple(dict.fromkeys(word for word in found if word not in _SAYS_NOTHING and len(word) > 1))


def _with_parts(word: str) -> list[str]:
    parts = [part.casefold() for part in _PARTS.findall(word)]
    return list(dict.fromkeys([word.casefold(), *(parts if len(parts) > 1 else ())]))
