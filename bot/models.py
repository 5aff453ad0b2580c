"""The facts: pull requests, and what was concluded from them. Every instant is timezone-aware; stored ones are UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal
from zoneinfo import ZoneInfo

from bot.calendars import Calendar
from bot.figures import Scalar

AuthorKind = Literal["human", "bot", "ghost"]
FileStatus = Literal["added", "modified", "removed", "renamed", "copied"]
Role = Literal["upstream", "own"]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of a pull request. A binary file, and one whose lines could not be read, counts 0 lines."""

    path: str
    additions: int = 0
    deletions: int = 0
    status: FileStatus = "modified"
    previous_path: str | None = None
    binary: bool = False

    @property
    def churn(self) -> int:
        return self.additions + self.deletions


@dataclass(frozen=True, slots=True)
class Review:
    author: str
    state: str
    submitted_at: datetime
    body: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    author: str
    created_at: datetime
    body: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class ReviewThread:
    path: str
    resolved: bool
    comments: tuple[Comment, ...]


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A merged pull request.

    `base` is None when it went into the default branch. `counted` is False when line counts could not be read
    (a partial clone without the blobs). Reviews, threads and comments are None where the source has none to give.
    """

    number: int
    title: str
    author: str
    merged_at: datetime
    body: str = ""
    author_kind: AuthorKind = "human"
    created_at: datetime | None = None
    base: str | None = None
    commit: str = ""
    files: tuple[ChangedFile, ...] = ()
    counted: bool = True
    truncated: bool = False
    labels: tuple[str, ...] = ()
    reviews: tuple[Review, ...] | None = None
    threads: tuple[ReviewThread, ...] | None = None
    comments: tuple[Comment, ...] | None = None

    @property
    def additions(self) -> int:
        return sum(file.additions for file in self.files)

    @property
    def deletions(self) -> int:
        return sum(file.deletions for file in self.files)

    @property
    def churn(self) -> int:
        return self.additions + self.deletions


@dataclass(frozen=True, slots=True)
class DirectCommit:
    """A commit on the default branch that names no pull request."""

    commit: str
    subject: str
    author: str
    committed_at: datetime


@dataclass(frozen=True, slots=True)
class Release:
    """A release tag. It holds every pull request merged up to `cut_at` (None: none), and those in `picks`."""

    name: str
    tagged_at: datetime
    cut_at: datetime | None
    picks: frozenset[int] = frozenset()
    prerelease: bool = False

    def contains(self, pull_request: PullRequest) -> bool:
        merged_before_cut = self.cut_at is not None and pull_request.merged_at <= self.cut_at
        return merged_before_cut or pull_request.number in self.picks


@dataclass(frozen=True, slots=True)
class FilePatch:
    """One file's changed lines in one commit, without context. Lines carry neither sign nor line end."""

    path: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Patch:
    """The changed lines of one pull request. `complete` is False when some files were too large to be read."""

    number: int
    merged_at: datetime
    files: tuple[FilePatch, ...]
    complete: bool = True


DiffKind = Literal["default", "flag", "environment", "version", "vanished", "undone"]


@dataclass(frozen=True, slots=True)
class DiffFact:
    """What the changed lines of a pull request say outright.

    default      `name` had the default `old` and has `new` ("" for a flag or variable that came or went)
    flag         command-line flag `name` came (`new`) or went (`old`)
    environment  environment variable `name` came or went
    version      dependency `name` moved from `old` to `new`
    vanished     public name `name` (a class, function or constant) no longer exists in `path`
    undone       `lines` lines that pull request `other` had added were removed; `old` quotes the first
    """

    number: int
    kind: DiffKind
    path: str
    name: str
    old: str = ""
    new: str = ""
    lines: int = 0
    other: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    """One term of an importance score: its kind, its points, and the figures that its wording needs."""

    kind: str
    points: float
    values: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Risk:
    """A named category and the evidence that raised it; `rule` says which rule, `values` what it saw."""

    category: str
    rule: str
    values: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the rules concluded about one pull request. `importance` is 0.0 to 10.0 with one decimal."""

    number: int
    importance: float
    reasons: tuple[Reason, ...] = ()
    tags: tuple[str, ...] = ()
    risks: tuple[Risk, ...] = ()


@dataclass(frozen=True, slots=True)
class Period:
    """Half-open [since, until) of whole local days; both ends are local midnights in `timezone`."""

    since: datetime
    until: datetime
    timezone: str

    @property
    def days(self) -> int:
        return (self.until.date() - self.since.date()).days

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    def contains(self, instant: datetime) -> bool:
        return self.since <= instant < self.until

    def before(self, spans: int = 1) -> Period:
        """The period of equally many local days that ends `spans - 1` such periods before this one begins."""
        return Period(self._shifted(self.since, spans), self._shifted(self.until, spans), self.timezone)

    def _shifted(self, end: datetime, spans: int) -> datetime:
        day = end.date() - timedelta(days=self.days * spans)
        return datetime(day.year, day.month, day.day, tzinfo=self.zone)


class FindingKind(StrEnum):
    """What a finding tells; the order is the order of telling within one urgency."""

    SERIOUS_FIX = "serious-fix"
    UNDONE = "undone"
    REVERTED = "reverted"
    CHANGED_DEFAULT = "changed-default"
    REMOVAL = "removal"
    TOOLCHAIN = "toolchain"
    MENDED = "mended"
    COLLISION = "collision"
    UNTESTED = "untested"
    UNSTABLE = "unstable"
    CAMPAIGN = "campaign"
    CAPABILITY = "capability"
    PLATFORMS = "platforms"
    DISPUTED = "disputed"
    REVIEWERS = "reviewers"
    UNUSUAL = "unusual"
    LONG_OPEN = "long-open"


class Urgency(StrEnum):
    """What a finding asks of the reader."""

    ACT = "act"
    UPGRADE = "upgrade"
    KNOW = "know"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a reader wants to know, with the pull requests that carry it (most telling first).

    `values` feed the finding's template (`templates/findings/KIND.md.j2`); figures and names among them are
    `Count`, `Measure` or `Word` and so carry their claims. `weight` orders findings of one kind, larger first.
    """

    kind: FindingKind
    urgency: Urgency
    pull_requests: tuple[int, ...]
    files: tuple[str, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What a channel does not want to read of.

    Pull requests of `authors` ("bots": of every bot), and those that change nothing outside `paths`.
    """

    authors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """How the reader relates to a repository: from its entry in the configuration and the channel's subscription.

    `calendar` None: the channel names no country.
    """

    role: Role = "upstream"
    watch: tuple[str, ...] = ()
    baseline: str | None = None
    exclude: Exclusion = Exclusion()
    calendar: Calendar | None = None


@dataclass(frozen=True)
class Week:
    """Everything a digest of one repository and one period is made from. Pull requests are oldest first.

    `history` are those merged into the default branch in the 13 weeks before the period, `covered_since` the
    instant from which the stored history is complete. `assessments` covers the period and the equal span before.
    `diffs_read` says whether the changed lines of the period were read, `fresh_until` until when the source is known
    to be complete where that is before the period's end. `left_out` are the pull requests of the period and of the
    weeks before it that `reading.exclude` has taken out of the others (`digest/exclude.py`).
    """

    repository: str
    period: Period
    pull_requests: tuple[PullRequest, ...]
    history: tuple[PullRequest, ...] = ()
    assessments: Mapping[int, Assessment] = field(default_factory=dict)
    other_branches: tuple[PullRequest, ...] = ()
    direct_commits: tuple[DirectCommit, ...] = ()
    releases: tuple[Release, ...] = ()
    diff_facts: tuple[DiffFact, ...] = ()
    covered_since: datetime | None = None
    diffs_read: bool = False
    fresh_until: datetime | None = None
    reading: Reading = Reading()
    left_out: tuple[PullRequest, ...] = ()
    source: Literal["github", "clone", "sample"] = "clone"

    def span(self, back: int) -> tuple[PullRequest, ...] | None:
        """The pull requests of the period (0) or of the equal span `back` before it; None unless fully covered."""
        if back == 0:
            return self.pull_requests
        period = self.period.before(back)
        if self.covered_since is None or self.covered_since > period.since:
            return None
        if self.fresh_until is not None and self.fresh_until < period.until:
            return None
        return tuple(pr for pr in self.history if period.contains(pr.merged_at))
