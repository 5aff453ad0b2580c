"""The configured repositories: how each is judged and read, where its facts come from, and who may see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bot.analysis import rules
from bot.desks import UsageError
from bot.dispatch import Subject
from bot.models import Reading
from bot.ports import PullRequestSource
from bot.sources.clone import CloneSource
from bot.team import Visibility
from bot.text import Wording

if TYPE_CHECKING:
    from bot.config import Config, Repository


@dataclass(frozen=True)
class Listed:
    """One repository of the configuration. `source` opens it; it raises SourceError and UsageError."""

    subject: Subject
    source: Callable[[], PullRequestSource]
    visibility: Visibility | None


def catalogue(config: Config) -> Mapping[str, Listed]:
    """By name, in the order of the configuration. Raises RulesError."""
    return {
        one.name: Listed(subject_of(one, config), partial(source_of, one), one.visibility)
        for one in config.repositories
    }


def source_of(repository: Repository) -> PullRequestSource:
    """Where a repository's facts come from. Raises UsageError for a kind that does not exist yet."""
    if repository.source == "clone" and repository.path is not None:
        return CloneSource(repository.path, repository.branch)
    raise UsageError(f"{repository.name}: source {repository.source} is not available yet: use source: clone with path")


def subject_of(repository: Repository, config: Config) -> Subject:
    """How a configured repository is judged and told. Raises RulesError."""
    reading = Reading(repository.role, repository.watch, repository.baseline)
    return subject(repository.name, reading, repository.rules, config.web_url)


def subject(name: str, reading: Reading, rules_file: Path | None, web_url: str) -> Subject:
    """A repository by its name, with links below `web_url`. Raises RulesError."""
    base = web_url.rstrip("/")
    return Subject(name, reading, rules.load(rules_file), Wording(lambda number: f"{base}/{name}/pull/{number}"))
