"""Tags: a title's words, or at least half of the changed files, say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bot.analysis.paths import kind_of
from bot.analysis.rules import Rules, TagRule
from bot.models import PullRequest


def tags_of(pull_request: PullRequest, rules: Rules) -> tuple[str, ...]:
    """The tags of a pull request in the rules' order; no title of a revert makes it a feature or a fix."""
    signs = Counter(name for file in pull_request.files for name in _signs(file.path, rules))
    half = len(pull_request.files) / 2
    said = {rule.name for rule in rules.tags if _title_says(rule, pull_request.title)}
    found = tuple(
        rule.name for rule in rules.tags if rule.name in said or (signs[rule.name] and signs[rule.name] >= half)
    )
    return tuple(tag for tag in found if tag not in _NOT_OF_A_REVERT) if "revert" in found else found


_NOT_OF_A_REVERT = frozenset({"bugfix", "feature", "performance", "refactor", "removal"})


def change_type(title: str, tags: Sequence[str], rules: Rules, *, has_source: bool) -> str:
    """The sort of change that the tags name, the first of the type tags; "other" when none does."""
    for rule in rules.tags:
        if rule.type and rule.name in tags and not (rule.quiet and has_source and not _title_says(rule, title)):
            return rule.name
    return "other"


def _title_says(rule: TagRule, title: str) -> bool:
    return rule.title is not None and rule.title.search(title) is not None


def _signs(path: str, rules: Rules) -> frozenset[str]:
    """The tags that a path speaks for."""
    signs = rules.known_signs.get(path)
    if signs is None:
        kind = kind_of(path, rules)
        signs = rules.known_signs[path] = frozenset(
            rule.name
            for rule in rules.tags
            if kind in rule.kinds or (rule.paths is not None and rule.paths.search(path) is not None)
        )
    return signs
