"""The rules as data: defaults in `rules/*.yaml`, overridden per repository by a team's own file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

_DEFAULTS = ("files", "tags", "risks", "faults", "words", "topics")


class RulesError(Exception):
    """A rules file cannot be used: one English line with file, key and what was expected."""


@dataclass(frozen=True, slots=True)
class TagRule:
    """A tag and the signs of it in a title or in paths; `type` tags say what sort of change it is."""

    name: str
    title: re.Pattern[str] | None
    paths: re.Pattern[str] | None
    kinds: frozenset[str]
    type: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """Limits for one measure: a number or a quantile ("q80") of the repository's own past."""

    at_least: str | float | None = None
    and_at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True, slots=True)
class RiskRule:
    category: str
    name: str
    bounds: Mapping[str, Bound]
    tags: frozenset[str]
    not_tags: frozenset[str]
    title: re.Pattern[str] | None
    not_title: re.Pattern[str] | None
    paths: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of serious fault: the words that name it, and how far it reaches (larger is worse)."""

    name: str
    words: re.Pattern[str]
    reach: float


@dataclass(frozen=True)
class Rules:
    """Every rule the analysis uses, compiled."""

    file_kinds: tuple[tuple[str, re.Pattern[str]], ...]
    source_endings: frozenset[str]
    tags: tuple[TagRule, ...]
    risks: tuple[RiskRule, ...]
    platforms: tuple[str, ...]
    faults: tuple[Fault, ...]
    fault_exclusions: re.Pattern[str]
    words: Mapping[str, re.Pattern[str]]
    says_nothing: frozenset[str]
    known_kinds: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Paths whose kind was asked before: the same few thousand are asked again and again."""
    known_signs: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    """The same for the tags that a path speaks for."""


def load(override: Path | None = None) -> Rules:
    """The default rules, with the sections of `override` laid over them (an entry set to null is dropped).

    Raises RulesError for an unreadable file, an unknown section or a pattern that does not compile.
    """
    return _defaults() if override is None else _compile(_merged(_raw(), _read(override)), str(override))


@lru_cache(maxsize=1)
def _defaults() -> Rules:
    return _compile(_raw(), "rules")


def _raw() -> dict[str, Any]:
    folder = files("bot.analysis").joinpath("rules")
    yaml = YAML(typ="safe")
    return {name: yaml.load(folder.joinpath(f"{name}.yaml").read_text("utf-8")) for name in _DEFAULTS}


def _read(path: Path) -> dict[str, Any]:
    try:
        loaded = YAML(typ="safe").load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, YAMLError) as error:
        reason = " ".join(str(error).split())
        raise RulesError(f"{path}: cannot read the rules file ({reason}): mend or remove the key `rules`") from error
    if not isinstance(loaded, dict) or not set(loaded) <= set(_DEFAULTS):
        raise RulesError(f"{path}: expected a mapping with the sections {', '.join(_DEFAULTS)}")
    return loaded


def _merged(base: Any, over: Any) -> Any:  # noqa: ANN401 - plain YAML
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    merged = {
        key: _merged(base[key], over[key]) if key in base and key in over else base.get(key, over.get(key))
        for key in {**base, **over}
    }
    return {key: value for key, value in merged.items() if value is not None}


def _compile(raw: Mapping[str, Any], where: str) -> Rules:
    try:
        return Rules(
            file_kinds=tuple((kind, _pattern(some)) for kind, some in raw["files"]["kinds"].items()),
            source_endings=frozenset(raw["files"]["source_endings"]),
            tags=tuple(_tag(name, rule) for name, rule in raw["tags"]["tags"].items()),
            risks=tuple(_risk(category, rule) for category, some in raw["risks"]["risks"].items() for rule in some),
            platforms=tuple(raw["risks"]["platforms"]),
            faults=tuple(
                Fault(name, _pattern(fault["words"]), fault["reach"]) for name, fault in raw["faults"]["faults"].items()
            ),
            fault_exclusions=_pattern(raw["faults"]["exclude"]),
            says_nothing=frozenset(raw["topics"]["says_nothing"]),
            words={name: _pattern(some) for name, some in raw["words"].items()},
        )
    except re.error as error:
        raise RulesError(f"{where}: the pattern {error.pattern!r} is not a regular expression: {error}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise RulesError(
            f"{where}: a rule has not the expected form ({error!r}): compare bot/analysis/rules"
        ) from error


def _pattern(parts: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE)


def _optional(rule: Mapping[str, Any], key: str) -> re.Pattern[str] | None:
    return _pattern(rule[key]) if rule.get(key) else None


def _tag(name: str, rule: Mapping[str, Any]) -> TagRule:
    return TagRule(
        name,
        _optional(rule, "title"),
        _optional(rule, "paths"),
        frozenset(rule.get("kinds", ())),
        type=bool(rule.get("type")),
        quiet=bool(rule.get("quiet")),
    )


def _risk(category: str, rule: Mapping[str, Any]) -> RiskRule:
    when = rule["when"]
    return RiskRule(
        category=category,
        name=rule["rule"],
        bounds={name: Bound(**bound) for name, bound in when.items() if isinstance(bound, dict)},
        tags=frozenset(when.get("tags", ())),
        not_tags=frozenset(when.get("not_tags", ())),
        title=_optional(when, "title"),
        not_title=_optional(when, "not_title"),
        paths=_optional(when, "paths"),
    )
