"""What the detectors look at: one week with everything that several of them need, computed once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.analysis.features import Features, features_of
from bot.analysis.fixes import is_fix
from bot.analysis.lineage import Reversal, is_revert, reverts_of
from bot.analysis.modules import touches
from bot.analysis.past import Past
from bot.analysis.paths import kind_of
from bot.analysis.rules import Rules
from bot.analysis.topics import topics_of
from bot.analysis.trailing import spans_before
from bot.figures import Claim, Count, Word
from bot.models import ChangedFile, DiffFact, DiffKind, PullRequest, Week

_LABEL = re.compile(r"\s*(?:\[(?P<area>[^\]]*)\]:?|(?P<word>\w+)!?:)\s*")
_NUMBERS = re.compile(r"(?:\s*\(#\d+\))+$")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Evidence:
    """A week and its rules. Every collection keeps the order of merging."""

    week: Week
    rules: Rules

    @cached_property
    def pull_requests(self) -> Mapping[int, PullRequest]:
        """The period's pull requests by number."""
        return {pull_request.number: pull_request for pull_request in self.week.pull_requests}

    @cached_property
    def known(self) -> Mapping[int, PullRequest]:
        """The pull requests of the period and of the 13 weeks before it by number."""
        return {one.number: one for one in (*self.week.history, *self.week.pull_requests)}

    @cached_property
    def features(self) -> Mapping[int, Features]:
        """The measures of the period's pull requests by number."""
        return {number: features_of(one, self.rules) for number, one in self.pull_requests.items()}

    @cached_property
    def past(self) -> Past:
        """The 13 weeks before the period."""
        return Past([features_of(one, self.rules) for one in self.week.history])

    @cached_property
    def measured(self) -> Mapping[int, Features]:
        """The measures of the period's pull requests and of those of the 13 weeks before it, by number."""
        return {features.number: features for features in self.past.trailing} | dict(self.features)

    @cached_property
    def fixes(self) -> frozenset[int]:
        """Which of the measured pull requests mend product source (`analysis/fixes.py`)."""
        return frozenset(number for number, features in self.measured.items() if is_fix(features, self.rules))

    @cached_property
    def touches(self) -> Mapping[str, int]:
        """How many changes to source in the 13 weeks before touched each folder ("" is all of them)."""
        return touches(self.past.trailing)

    @cached_property
    def before(self) -> tuple[tuple[PullRequest, ...], ...]:
        """The equal spans before the period as far as they are covered, nearest first."""
        return spans_before(self.week)

    @cached_property
    def reversals(self) -> tuple[Reversal, ...]:
        """The period's reverts whose target is known."""
        return reverts_of(self.week.pull_requests, self.week.history)

    @cached_property
    def taken_back(self) -> frozenset[int]:
        """Pull requests of the period that were reverted in it: what they brought is not there any more."""
        return frozenset(reversal.target for reversal in self.reversals)

    @cached_property
    def by_path(self) -> Mapping[str, tuple[PullRequest, ...]]:
        """Which pull requests of the period changed each file."""
        touching: dict[str, list[PullRequest]] = {}
        for one in self.week.pull_requests:
            for file in one.files:
                touching.setdefault(file.path, []).append(one)
        return {path: tuple(some) for path, some in touching.items()}

    @cached_property
    def by_topic(self) -> Mapping[str, tuple[PullRequest, ...]]:
        """Which pull requests of the period have a topic in their titles (`analysis/topics.py`)."""
        about: dict[str, list[PullRequest]] = {}
        for one in self.week.pull_requests:
            for topic in topics_of(one, self.rules):
                about.setdefault(topic, []).append(one)
        return {topic: tuple(some) for topic, some in about.items()}

    def kind(self, path: str) -> str:
        """The kind of a file: source, test, docs, ci, manifest, generated and so on."""
        return kind_of(path, self.rules)

    def source(self, one: PullRequest) -> tuple[ChangedFile, ...]:
        """The product source files that a pull request changed."""
        return tuple(file for file in one.files if self.kind(file.path) == "source")

    def touches_tests(self, one: PullRequest) -> bool:
        """Whether a pull request changed any test file."""
        return any(self.kind(file.path) == "test" for file in one.files)

    def stands(self, one: PullRequest) -> bool:
        """Neither a revert nor taken back within the period: what it brought is there."""
        return not is_revert(one.title) and one.number not in self.taken_back

    def says(self, words: str, one: PullRequest) -> bool:
        """Whether a title uses the words of that name (`rules/words.yaml`)."""
        return self.rules.words[words].search(one.title) is not None

    def diff_facts(self, *kinds: DiffKind) -> tuple[DiffFact, ...]:
        """What the changed lines of the period's pull requests say, of the given kinds."""
        return tuple(fact for fact in self.week.diff_facts if fact.kind in kinds and fact.number in self.pull_requests)

    def importance(self, number: int) -> float:
        """The assessed importance; 0 where there is none."""
        assessment = self.week.assessments.get(number)
        return assessment.importance if assessment else 0.0

    def ordered(self, pull_requests: Iterable[PullRequest]) -> tuple[int, ...]:
        """Their numbers, most important first (ties: the lower number)."""
        return tuple(
            sorted((one.number for one in pull_requests), key=lambda number: (-self.importance(number), number))
        )


def title(one: PullRequest) -> Word:
    """A title to be quoted."""
    return Word(one.title, Claim.about("title", number=one.number))


def short_title(one: PullRequest, rules: Rules) -> Word:
    """A title without labels before it that only name the sort of change ("[Bugfix]", "fix:") and numbers after it."""
    text = one.title
    while (found := _LABEL.match(text)) and _is_plain(found["area"] or found["word"], rules):
        text = text[found.end() :]
    text = _NUMBERS.sub("", text) or one.title
    return Word(text, Claim.about("title_part", number=one.number))


def _is_plain(label: str, rules: Rules) -> bool:
    return {word.casefold() for word in _WORD.findall(label)} <= rules.says_nothing


def gap(first: PullRequest, then: PullRequest) -> dict[str, Count | None]:
    """Whole days between two merges from two days on, else whole hours; see `templates/parts/gap.md.j2`."""
    days, hours = (int((then.merged_at - first.merged_at).total_seconds() // seconds) for seconds in (86400, 3600))
    numbers = {"first": first.number, "then": then.number}
    in_days, in_hours = Count(days, Claim.about("days", **numbers)), Count(hours, Claim.about("hours", **numbers))
    return {"days": in_days if days > 1 else None, "hours": in_hours if days <= 1 and hours else None}


def author(one: PullRequest) -> Word:
    """An author to be named."""
    return Word(one.author, Claim.about("author", number=one.number))


def path(name: str, pull_requests: Iterable[PullRequest]) -> Word:
    """A file that these pull requests changed."""
    return Word(name, Claim.about("path", numbers=tuple(one.number for one in pull_requests)))


def folder(name: str, pull_requests: Iterable[PullRequest]) -> Word:
    """A folder (with its trailing slash) under which these pull requests changed files."""
    return Word(name, Claim.about("folder", numbers=tuple(one.number for one in pull_requests)))


def topic(name: str, spelling: str, pull_requests: Iterable[PullRequest]) -> Word:
    """A topic of these titles in one of their spellings."""
    return Word(spelling, Claim.about("topic", topic=name, numbers=tuple(one.number for one in pull_requests)))


def of_diff(fact: DiffFact, text: str) -> Word:
    """A text that a changed line contains: the name, the old or the new value of a fact."""
    return Word(text, Claim.about("diff", number=fact.number, kind=fact.kind, name=fact.name))
