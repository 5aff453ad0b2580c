"""What titles are about: the bracketed areas, scopes and proper names that a repository's own titles use."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from bot.analysis.rules import Rules
from bot.models import PullRequest

_BRACKETS = re.compile(r"\[([^\]\[]{2,40})\]")
_SCOPE = re.compile(r"^\w+\(([^)]{2,40})\)!?:")
_NAME = re.compile(r"(?<![\w/.-])([A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*)(?:\s+(\d+(?:\.\d+)?)(?![\w.%/]))?")
_SPLIT = re.compile(r"[/&,+|]|\s-\s")
_SERIES = re.compile(r"^\d+\s*/\s*\w+$|^\d+$")


def topics_of(pull_request: PullRequest, rules: Rules) -> frozenset[str]:
    """The folded topics of a title ("gemma4", "kv connector"); see `shown` for how to write them."""
    return frozenset(_found(pull_request.title, rules.says_nothing))


def shown(topic: str, pull_requests: Iterable[PullRequest], rules: Rules) -> str:
    """The spelling of a topic that these titles use most (ties: the first)."""
    found = (_found(one.title, rules.says_nothing) for one in pull_requests)
    spellings = Counter(spellings[topic] for spellings in found if topic in spellings)
    return spellings.most_common(1)[0][0] if spellings else topic


@lru_cache(maxsize=50_000)
def _found(title: str, says_nothing: frozenset[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for part in (*_BRACKETS.findall(title), *_SCOPE.findall(title)):
        for area in _SPLIT.split(part):
            _keep(area.strip(), found, says_nothing)
    rest = _BRACKETS.sub(" ", _SCOPE.sub(" ", title))
    for name, version in _NAME.findall(rest):
        if _is_name(name) or (version and name[0].isupper()):
            _keep(f"{name} {version}".strip(), found, says_nothing)
    return found


def _is_name(word: str) -> bool:
    """Names carry a capital after the first letter, or a digit; snake_case identifiers are code, not names."""
    return "_" not in word and (any(char.isupper() for char in word[1:]) or any(char.isdigit() for char in word))


def _keep(spelling: str, found: dict[str, str], says_nothing: frozenset[str]) -> None:
    folded = re.sub(r"(?<=[a-z])[\s_-]+(?=\d)", "", re.sub(r"[\s_-]+", " ", spelling.casefold())).strip()
    if len(folded) > 1 and folded not in says_nothing and not _SERIES.match(folded):
        found.setdefault(folded, spelling)
