"""Risks: named categories raised by rules that are data, each with what the rule saw."""

from __future__ import annotations

from bot.analysis.features import Features
from bot.analysis.past import Past
from bot.analysis.rules import Bound, RiskRule, Rules
from bot.figures import Scalar
from bot.models import Risk


def risks_of(features: Features, past: Past, rules: Rules) -> tuple[Risk, ...]:
    """The risks of a pull request, each category once, in the rules' order."""
    found: dict[str, Risk] = {}
    for rule in rules.risks:
        seen = None if rule.category in found else _evidence(rule, features, past)
        if seen is not None:
            found[rule.category] = Risk(rule.category, rule.name, seen)
    return tuple(found.values())


def _evidence(rule: RiskRule, features: Features, past: Past) -> dict[str, Scalar] | None:
    """What the rule saw when every condition holds; None otherwise."""
    tags = frozenset(features.tags)
    if not rule.tags <= tags or rule.not_tags & tags:
        return None
    if rule.title is not None and not rule.title.search(features.title):
        return None
    if rule.not_title is not None and rule.not_title.search(features.title):
        return None
    matching = tuple(path for path in features.paths if rule.paths is not None and rule.paths.search(path))
    if rule.paths is not None and not matching:
        return None
    seen: dict[str, Scalar] = {"paths": matching} if matching else {}
    for name, bound in rule.bounds.items():
        value = past.measure(features, name)
        if not _within(value, name, bound, past):
            return None
        seen[name] = value
    if {"hotness", "core_churn"} & rule.bounds.keys():
        seen["path"] = past.hottest(features)[0]
    return seen


def _within(value: float, name: str, bound: Bound, past: Past) -> bool:
    lower = [
        past.quantile(name, float(bound.at_least[1:]) / 100) if isinstance(bound.at_least, str) else bound.at_least
    ]
    lower.append(bound.and_at_least)
    reaches = all(value >= limit for limit in lower if limit is not None)
    return reaches and (bound.at_most is None or value <= bound.at_most)
