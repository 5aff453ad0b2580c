"""Evaluates claims from the stored facts alone: what the prose says is counted a second time, by other code.

A claim `of` one of the counts below takes filters; every filter must hold for a pull request to count:

    span      the equal span that many before the period (default 0, the period itself)
    numbers   one of these · author, type, tag, risk, flagged (any risk), watched, high, fault, fix, bots: as assessed
    topic     its title is about it · word: its title uses words of that name (`rules/words.yaml`)
    path      changed this file · folder: changed a file under it · source: product source · new: files it added

"median" is the lower median of "pull_requests" over the covered spans before; "usual" the median of all pull requests.
For "additions", "deletions", "churn" and "files" only the files that match path, folder, source and new are summed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import cached_property
from statistics import mean, median, median_low

from bot.analysis.features import Features, fault_of, features_of
from bot.analysis.fixes import is_fix
from bot.analysis.importance import HIGH
from bot.analysis.paths import is_source
from bot.analysis.rules import Rules
from bot.analysis.tags import change_type
from bot.analysis.topics import topics_of
from bot.analysis.watch import hits
from bot.digest.exclude import left_out_by
from bot.figures import Claim, Scalar
from bot.models import Assessment, ChangedFile, PullRequest, Week

Value = int | float | None
Filters = dict[str, Scalar]


class Recount:
    """Counts over one week, on demand. `measured` are measures already taken of its pull requests, by number."""

    def __init__(self, week: Week, rules: Rules, measured: Mapping[int, Features] | None = None) -> None:
        self._week = week
        self._rules = rules
        self._features = dict(measured or {})
        self._spans: dict[int, tuple[PullRequest, ...] | None] = {}

    @cached_property
    def known(self) -> Mapping[int, PullRequest]:
        """Every pull request that the week's facts hold, by number."""
        week = self._week
        return {one.number: one for one in (*week.history, *week.other_branches, *week.pull_requests)}

    def value(self, claim: Claim) -> Value:
        """The figure that a claim speaks of; None when the facts cannot give it. Raises KeyError for no such claim."""
        filters = dict(claim.where)
        return _COUNTS[claim.of](self, filters)

    def counts(self, claim: Claim) -> bool:
        """Whether a claim is one of a figure."""
        return claim.of in _COUNTS

    def matching(self, filters: Filters) -> list[PullRequest] | None:
        """The pull requests that pass every filter; None when the span is not fully covered."""
        span = self._span(_whole(filters.get("span", 0)))
        if span is None:
            return None
        wanted = {key: value for key, value in filters.items() if key not in {"span", "spans", "first"}}
        return [one for one in span if self._passes(one, wanted)]

    def _span(self, back: int) -> tuple[PullRequest, ...] | None:
        if back not in self._spans:
            self._spans[back] = self._week.span(back)
        return self._spans[back]

    def files(self, filters: Filters) -> Iterator[ChangedFile]:
        """The files of the matching pull requests that pass the filters on files."""
        for one in self.matching(filters) or ():
            yield from (file for file in one.files if self._file_passes(file, filters))

    def features(self, one: PullRequest) -> Features:
        """The measures of a pull request."""
        if one.number not in self._features:
            self._features[one.number] = features_of(one, self._rules)
        return self._features[one.number]

    def tags(self, one: PullRequest) -> tuple[str, ...]:
        """The tags of a pull request, as assessed.

        For the weeks before the previous span, whose assessments are not at hand, the same rules say them anew.
        """
        assessment = self._week.assessments.get(one.number)
        return self.features(one).tags if assessment is None else assessment.tags

    def assessed(self, one: PullRequest) -> Assessment:
        """The assessment of a pull request. Raises KeyError when there is none."""
        return self._week.assessments[one.number]

    def _passes(self, one: PullRequest, filters: Filters) -> bool:
        """The filters on files must hold for one file together."""
        own = all(_PASSES[key](self, one, value) for key, value in filters.items() if key not in _FILE_PASSES)
        asks_files = any(key in _FILE_PASSES for key in filters)
        return own and (not asks_files or any(self._file_passes(file, filters) for file in one.files))

    def _file_passes(self, file: ChangedFile, filters: Filters) -> bool:
        return all(_FILE_PASSES[key](self, file, value) for key, value in filters.items() if key in _FILE_PASSES)

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self._rules

    @property
    def week(self) -> Week:
        """The facts."""
        return self._week


def _whole(value: Scalar) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a whole number in a claim, got {value!r}")
    return value


def _pull_requests(recount: Recount, filters: Filters) -> Value:
    found = recount.matching(filters)
    return None if found is None else len(found)


def _authors(recount: Recount, filters: Filters) -> Value:
    return len({one.author for one in recount.matching(filters) or ()})


def _lines(side: str) -> Callable[[Recount, Filters], Value]:
    return lambda recount, filters: sum(getattr(file, side) for file in recount.files(filters))


def _files(recount: Recount, filters: Filters) -> Value:
    return len({file.path for file in recount.files(filters)})


def _over_spans(recount: Recount, filters: Filters, first: int, spans: int) -> list[int]:
    kept = {key: value for key, value in filters.items() if key not in {"first", "spans"}}
    found = [recount.matching(kept | {"span": back}) for back in range(first, first + spans)]
    return [len(some) for some in found if some is not None]


def _median(recount: Recount, filters: Filters) -> Value:
    counts = _over_spans(recount, filters, 1, _whole(filters.get("spans", 13)))
    return median_low(counts) if counts else None


def _usual(recount: Recount, filters: Filters) -> Value:
    counts = _over_spans(recount, {}, _whole(filters["first"]), _whole(filters["spans"]))
    return median(counts) if counts else None


def _weeks(recount: Recount, filters: Filters) -> Value:
    """Whole weeks before the period that are known, at most 13."""
    del filters
    week = recount.week
    if week.covered_since is None:
        return 0
    known = (week.period.since - timedelta(weeks=back) >= week.covered_since for back in range(1, 14))
    return sum(known)


def _covered_spans(recount: Recount, filters: Filters) -> Value:
    return len(_over_spans(recount, {}, 1, _whole(filters.get("spans", 13))))


def _importance(recount: Recount, filters: Filters) -> Value:
    return recount.assessed(recount.known[_whole(filters["number"])]).importance


def _average(recount: Recount, filters: Filters) -> Value:
    found = recount.matching(filters)
    return mean([recount.assessed(one).importance for one in found] or [0.0]) if found is not None else None


def _elapsed(seconds: int) -> Callable[[Recount, Filters], Value]:
    def between(recount: Recount, filters: Filters) -> Value:
        first, then = (recount.known[_whole(filters[end])].merged_at for end in ("first", "then"))
        return int((then - first).total_seconds() // seconds)

    return between


def _open_days(recount: Recount, filters: Filters) -> Value:
    one = recount.known[_whole(filters["number"])]
    return None if one.created_at is None else (one.merged_at - one.created_at).days


def _comments(recount: Recount, filters: Filters) -> Value:
    one = recount.known[_whole(filters["number"])]
    return sum(len(thread.comments) for thread in one.threads or ()) + len(one.comments or ())


def _threads(recount: Recount, filters: Filters) -> Value:
    return len(recount.known[_whole(filters["number"])].threads or ())


def _unresolved(recount: Recount, filters: Filters) -> Value:
    return sum(not thread.resolved for thread in recount.known[_whole(filters["number"])].threads or ())


def _reviewers(recount: Recount, filters: Filters) -> Value:
    return len({review.author for review in recount.known[_whole(filters["number"])].reviews or ()})


def _direct_commits(recount: Recount, filters: Filters) -> Value:
    del filters
    return len(recount.week.direct_commits)


def _direct_share(recount: Recount, filters: Filters) -> Value:
    del filters
    week = recount.week
    direct, left_out = len(week.direct_commits), _left_out(recount, {})
    return round(100 * direct / (direct + len(week.pull_requests) + left_out))


def _left_out(recount: Recount, filters: Filters) -> int:
    """Pull requests of the period that the channel's setting took out, all or by one part of it."""
    week, by = recount.week, filters.get("by")
    found = (one for one in week.left_out if week.period.contains(one.merged_at))
    return sum(by in {None, left_out_by(one, week.reading.exclude)} for one in found)


def _diff_lines(recount: Recount, filters: Filters) -> Value:
    wanted = {key: value for key, value in filters.items() if key in {"number", "kind", "name", "other", "path"}}
    return sum(
        fact.lines
        for fact in recount.week.diff_facts
        if all(getattr(fact, key) == value for key, value in wanted.items())
    )


_COUNTS: Mapping[str, Callable[[Recount, Filters], Value]] = {
    "pull_requests": _pull_requests,
    "authors": _authors,
    "additions": _lines("additions"),
    "deletions": _lines("deletions"),
    "churn": _lines("churn"),
    "files": _files,
    "median": _median,
    "usual": _usual,
    "weeks": _weeks,
    "covered_spans": _covered_spans,
    "importance": _importance,
    "average_importance": _average,
    "hours": _elapsed(3600),
    "days": _elapsed(86400),
    "open_days": _open_days,
    "comments": _comments,
    "threads": _threads,
    "unresolved": _unresolved,
    "reviewers": _reviewers,
    "direct_commits": _direct_commits,
    "direct_share": _direct_share,
    "left_out": _left_out,
    "diff_lines": _diff_lines,
}


def _has_source(recount: Recount, one: PullRequest) -> bool:
    return any(is_source(file.path, recount.rules) for file in one.files)


def _fault(recount: Recount, one: PullRequest, value: Scalar) -> bool:
    fault = fault_of(one.title, recount.rules)
    return fault is not None and fault.name == value and _has_source(recount, one)


def _type(recount: Recount, one: PullRequest, value: Scalar) -> bool:
    has_source = _has_source(recount, one)
    return change_type(one.title, recount.tags(one), recount.rules, has_source=has_source) == value


_PASSES: Mapping[str, Callable[[Recount, PullRequest, Scalar], bool]] = {
    "numbers": lambda _, one, value: isinstance(value, tuple) and one.number in value,
    "author": lambda _, one, value: one.author == value,
    "bots": lambda _, one, value: (one.author_kind == "bot") == bool(value),
    "tag": lambda recount, one, value: value in recount.tags(one),
    "risk": lambda recount, one, value: any(risk.category == value for risk in recount.assessed(one).risks),
    "high": lambda recount, one, value: (recount.assessed(one).importance >= HIGH) == bool(value),
    "topic": lambda recount, one, value: value in topics_of(one, recount.rules),
    "flagged": lambda recount, one, value: bool(recount.assessed(one).risks) == bool(value),
    "watched": lambda recount, one, value: bool(hits(one, recount.week.reading)) == bool(value),
    "word": lambda recount, one, value: recount.rules.words[str(value)].search(one.title) is not None,
    "fault": _fault,
    "type": _type,
    "fix": lambda recount, one, value: is_fix(recount.features(one), recount.rules) == bool(value),
}

_FILE_PASSES: Mapping[str, Callable[[Recount, ChangedFile, Scalar], bool]] = {
    "path": lambda _, file, value: file.path == value,
    "folder": lambda _, file, value: file.path.startswith(str(value)),
    "source": lambda recount, file, value: is_source(file.path, recount.rules) == bool(value),
    "new": lambda _, file, value: (file.status == "added") == bool(value),
}
