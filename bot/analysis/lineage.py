"""What undoes what: reverts by number, commit, exact or cut title, reverts of reverts, and what was redone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.models import PullRequest

_QUOTED = re.compile(r'^\W*(?:\[[^\]]*\]\s*)*revert(?:s|ed|ing)?:?\s*["“\'`](?P<title>.*?)["”\'`…]?\s*$', re.IGNORECASE)
_LEADS = re.compile(r"^\W*(?:\[[^\]]*\]\s*)*(?:back ?out|revert(?:s|ed|ing)?|roll(?:s|ed)?[ -]?back)\b", re.IGNORECASE)
_REAPPLIES = re.compile(
    r'^\W*(?:\[[^\]]*\]\s*)*(?:re-?appl(?:y|ies|ied)|re-?land(?:s|ed)?|revert\s*["“]\s*revert\b)', re.IGNORECASE
)
_NUMBER = re.compile(r"#(\d{1,9})\b")
_BODY = re.compile(r"\breverts?\s+(?:[\w.-]+/[\w.-]+)?#(\d{1,9})\b", re.IGNORECASE)
_COMMIT = re.compile(r"\breverts?\s+commit\s+([0-9a-f]{7,64})\b", re.IGNORECASE)
_ELLIPSIS = ("…", "...")
_SHORTEST_PREFIX = 20
_SAME_SUBJECT = 0.6


@dataclass(frozen=True, slots=True)
class Reversal:
    """`number` undoes `target`; `redone` is the later pull request that brought the target's work back, if any."""

    number: int
    target: int
    redone: int | None = None


def reverts_of(pull_requests: Sequence[PullRequest], earlier: Iterable[PullRequest]) -> tuple[Reversal, ...]:
    """The reverts among `pull_requests` whose target is found among them or among `earlier` (both oldest first)."""
    known = [*earlier, *pull_requests]
    found: list[Reversal] = []
    for pull_request in pull_requests:
        target = _target(pull_request, known)
        if target is not None:
            redone = _redone(pull_request, target, pull_requests)
            found.append(Reversal(pull_request.number, target.number, redone.number if redone else None))
    return tuple(found)


def is_revert(title: str) -> bool:
    """Whether a title says that the pull request undoes another; bringing a reverted one back does not."""
    return _LEADS.search(title) is not None and not _REAPPLIES.search(title)


def _target(pull_request: PullRequest, known: Sequence[PullRequest]) -> PullRequest | None:
    if not is_revert(pull_request.title):
        return None
    before = [other for other in known if _key(other) < _key(pull_request)]
    return _by_number(pull_request, before) or _by_commit(pull_request, before) or _by_title(pull_request, before)


def _key(pull_request: PullRequest) -> tuple[object, int]:
    return pull_request.merged_at, pull_request.number


def _by_number(pull_request: PullRequest, before: Sequence[PullRequest]) -> PullRequest | None:
    numbers = {int(number) for number in (*_NUMBER.findall(pull_request.title), *_BODY.findall(pull_request.body))}
    return next((other for other in reversed(before) if other.number in numbers), None)


def _by_commit(pull_request: PullRequest, before: Sequence[PullRequest]) -> PullRequest | None:
    commits = tuple(_COMMIT.findall(pull_request.body))
    return next((other for other in reversed(before) if other.commit and other.commit.startswith(commits)), None)


def _by_title(pull_request: PullRequest, before: Sequence[PullRequest]) -> PullRequest | None:
    quoted = _QUOTED.search(pull_request.title)
    if quoted is None:
        return None
    title = _folded(quoted["title"])
    exact = next((other for other in reversed(before) if _folded(other.title) == title), None)
    return exact or _by_prefix(title, before)


def _by_prefix(title: str, before: Sequence[PullRequest]) -> PullRequest | None:
    """GitHub cuts a long title and ends it with an ellipsis; the beginning must then be long enough to be sure."""
    prefix = title.rstrip("….").rstrip()
    if len(prefix) < _SHORTEST_PREFIX:
        return None
    return next((other for other in reversed(before) if _folded(other.title).startswith(prefix)), None)


def _folded(title: str) -> str:
    return " ".join(re.sub(r"\s*\(#\d+\)\s*$", "", title).casefold().split())


def _redone(reversal: PullRequest, target: PullRequest, pull_requests: Sequence[PullRequest]) -> PullRequest | None:
    """The first later pull request that takes up the target's subject over its files, or says that it reapplies it."""
    later = [other for other in pull_requests if _key(other) > _key(reversal)]
    return next((other for other in later if _takes_up(other, target, reversal)), None)


def _takes_up(later: PullRequest, target: PullRequest, reversal: PullRequest) -> bool:
    named = {int(number) for number in _NUMBER.findall(later.title)}
    if _REAPPLIES.search(later.title) and named & {target.number, reversal.number}:
        return True
    if is_revert(later.title):
        return False
    shared = {file.path for file in later.files} & {file.path for file in target.files}
    return 2 * len(shared) >= len(target.files) > 0 and _same_subject(later.title, target.title)


def _same_subject(one: str, other: str) -> bool:
    ones, others = _words(one), _words(other)
    if others and others <= ones:
        return True
    return SequenceMatcher(None, sorted(ones), sorted(others)).ratio() >= _SAME_SUBJECT


def _words(title: str) -> set[str]:
    return {word for word in re.findall(r"\w+", title.casefold()) if len(word) > 1} - {"the", "for", "of", "to", "and"}
