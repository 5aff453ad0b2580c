"""The patterns of `rules/diffs.yaml`, compiled once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from ruamel.yaml import YAML


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern. `whole`: it names its own subject, so the lines around a match need not agree.

    `declared`: a match declares what it names, it does not merely use it. `files`: the paths it is for, if not all.
    """

    pattern: re.Pattern[str]
    hint: str = ""
    within: re.Pattern[str] | None = None
    whole: bool = False
    declared: bool = False
    files: re.Pattern[str] | None = None

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """Every match in one side's text, in order."""
        if self.hint not in text:
            return
        if self.within is None:
            yield from self.pattern.finditer(text)
            return
        for stretch in self.within.finditer(text):
            yield from self.pattern.finditer(text, *stretch.span("body"))


RuleTable = Mapping[str, tuple[Rule, ...]]


@dataclass(frozen=True, slots=True)
class PinRules:
    """The pins of one kind of file. `listed`: it lists dependencies, so a name can be new or dropped."""

    files: re.Pattern[str]
    patterns: tuple[Rule, ...]
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Explanations:
    """Where documentation and configuration introduce a variable by name."""

    files: re.Pattern[str]
    not_files: re.Pattern[str]
    patterns: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything that `rules/diffs.yaml` says; its comments explain each part."""

    languages: Mapping[str, str]
    comments: Mapping[str, tuple[str, ...]]
    flags: RuleTable
    common_flags: re.Pattern[str]
    environment: RuleTable
    explains: Explanations
    common_variables: re.Pattern[str]
    defaults: RuleTable
    configuration: Mapping[str, re.Pattern[str]]
    not_product: re.Pattern[str]
    no_default_names: re.Pattern[str]
    version_like: re.Pattern[str]
    definitions: RuleTable
    no_definition_names: frozenset[str]
    headers: Mapping[str, re.Pattern[str]]
    versions: tuple[PinRules, ...]
    plain_versions: PinRules
    no_versions: re.Pattern[str]
    compiled: str
    plain_lines: re.Pattern[str]
    common_words: frozenset[str]


@lru_cache(maxsize=1)
def rules() -> Rules:
    """The rules, read from the package at the first call."""
    source = files("bot.analysis").joinpath("rules/diffs.yaml").read_text(encoding="utf-8")
    data: Mapping[str, Any] = YAML(typ="safe").load(source)
    literal = data["literal"]
    return Rules(
        languages={ending: name for name, endings in data["languages"].items() for ending in endings},
        comments={name: tuple(openers) for name, openers in data["comments"].items()},
        flags=_table(data["flags"], literal),
        common_flags=re.compile(data["common_flags"]),
        environment=_table(data["environment"], literal),
        explains=_explanations(data["explains"]),
        common_variables=re.compile(data["common_variables"]),
        defaults=_table(data["defaults"], literal),
        configuration={name: re.compile(pattern) for name, pattern in data["configuration"].items()},
        not_product=re.compile(data["not_product"]),
        no_default_names=re.compile(data["no_default_names"]),
        version_like=re.compile(data["version_like"]),
        definitions=_table(data["definitions"], literal),
        no_definition_names=frozenset(data["no_definition_names"]),
        headers={name: _compiled(pattern) for name, pattern in data["headers"].items()},
        versions=tuple(_pins(entry) for entry in data["versions"]),
        plain_versions=_pins(data["plain_versions"]),
        no_versions=re.compile(data["no_versions"]),
        compiled=data["compiled"],
        plain_lines=re.compile("|".join(data["plain_lines"])),
        common_words=frozenset(data["common_words"]),
    )


def _table(entries: Mapping[str, list[Mapping[str, Any]]], literal: str) -> RuleTable:
    return {name: tuple(_rule(entry, literal) for entry in listed) for name, listed in entries.items()}


def _rule(entry: Mapping[str, Any], literal: str = "") -> Rule:
    return Rule(
        pattern=_compiled(entry["pattern"].replace("{literal}", literal)),
        hint=entry.get("hint", ""),
        within=_compiled(entry["within"]) if "within" in entry else None,
        whole=entry.get("whole", False),
        declared=entry.get("declared", False),
        files=re.compile(entry["files"]) if "files" in entry else None,
    )


def _pins(entry: Mapping[str, Any]) -> PinRules:
    patterns = tuple(_rule(pattern) for pattern in entry["patterns"])
    return PinRules(re.compile(entry["files"]), patterns, listed=entry.get("listed", False))


def _explanations(entry: Mapping[str, Any]) -> Explanations:
    patterns = tuple(_rule(pattern) for pattern in entry["patterns"])
    return Explanations(re.compile(entry["files"]), re.compile(entry["not_files"]), patterns)


def _compiled(pattern: str) -> re.Pattern[str]:
    """A leading ^ becomes the line end before it: `re` skips to a literal much faster than to a start of line."""
    return re.compile("\n" + pattern[1:] if pattern.startswith("^") else pattern)
