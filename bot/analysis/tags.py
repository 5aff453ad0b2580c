"""Tags: a title's words, or at least half of the changed files, say so."""

from __future__ import annotations

from collections.abc import Sequence

from bot.analysis.paths import kind_of
from bot.analysis.rules import Rules, TagRule
from bot.models import PullRequest


def tags_of(pull_request: PullRequest, rules: Rules) -> tuple[str, ...]:
    """The tags of a pull request in the rules' order; no title of a revert makes it a feature or a fix."""
    kinds = [kind_of(file.path, rules) for file in pull_request.files]
    found = tuple(rule.name for rule in rules.tags if _holds(rule, pull_request, kinds))
    return tuple(tag for tag in found if tag not in _NOT_OF_A_REVERT) if "revert" in found else found


_NOT_OF_A_REVERT = frozenset({"bugfix", "feature", "performance", "refactor", "removal"})


def change_type(title: str, tags: Sequence[str], rules: Rules, *, has_source: bool) -> str:
    """The sort of change that the tags name, the first of the type tags; "other" when none does."""
    for rule in rules.tags:
        if rule.type and rule.name in tags and not (rule.quiet and has_source and not _title_says(rule, title)):
            return rule.name
    return "other"


def _holds(rule: TagRule, pull_request: PullRequest, kinds: Sequence[str]) -> bool:
    return _title_says(rule, pull_request.title) or _files_say(rule, pull_request, kinds)


def _title_says(rule: TagRule, title: str) -> bool:
    return rule.title is not None and rule.title.search(title) is not None


def _files_say(rule: TagRule, pull_request: PullRequest, kinds: Sequence[str]) -> bool:
    if rule.paths is None and not rule.kinds:
        return False
    says = sum(
        kind in rule.kinds or (rule.paths is not None and rule.paths.search(file.path) is not None)
        for file, kind in zip(pull_request.files, kinds, strict=True)
    )
    return says > 0 and 2 * says >= len(kinds)
