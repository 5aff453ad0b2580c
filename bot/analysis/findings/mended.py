"""New and already mended: something landed, and a fix to the same files and about the same thing followed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from bot.analysis.findings.evidence import Evidence, gap, path, short_title
from bot.analysis.telling_words import TellingWords
from bot.analysis.topics import topics_of
from bot.models import Finding, FindingKind, PullRequest, Urgency

_BEFORE_THE_PERIOD = timedelta(days=7)
_FEWEST_LINES = 30
"""Lines of source from which a change is something new and not a touch."""

_FEWEST_BROUGHT = 5
"""Lines that it added to the files that are mended."""

_SHARE, _FEW_WORDS = 0.15, 2
"""With no more common words than these, that share of its lines must be in the files that are mended."""

_NOTHING_NEW = frozenset({"dependencies", "removal", "docs", "ci", "test"})
_SERIOUS = 7.0
"""Reach of the fault that a fix mends from which on the reader should act."""

_NUMBER = re.compile(r"#(\d{1,9})\b")
_BROKEN_BY = re.compile(r"(?:introduced|caused|broken|broke|regress\w*)\W+(?:\w+\W+){0,3}?#(\d{1,9})\b", re.IGNORECASE)


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a new thing with its fixes.

    A fix names the thing, or it is mostly in the thing's files and its title has two telling words of the thing's; one
    does where the thing brought most of what is mended, or the fix removed the thing's lines, and no other thing fits
    as well. What was opened before the thing landed is no fix of it.
    """
    telling = TellingWords(one.title for one in evidence.known.values())
    things = _things(evidence)
    mending: dict[int, list[PullRequest]] = {}
    for fix in evidence.week.pull_requests:
        if fix.number in evidence.fixes and evidence.stands(fix):
            for thing in _mended_by(evidence, fix, things, telling):
                mending.setdefault(thing.number, []).append(fix)
    for number, fixes in mending.items():
        yield _finding(evidence, evidence.known[number], fixes)


def _things(evidence: Evidence) -> Mapping[int, PullRequest]:
    """What is new in the period and shortly before it, in the order of merging."""
    since = evidence.week.period.since - _BEFORE_THE_PERIOD
    recent = (one for one in evidence.known.values() if one.merged_at >= since)
    return {one.number: one for one in recent if _is_new_thing(evidence, one)}


def _is_new_thing(evidence: Evidence, one: PullRequest) -> bool:
    features = evidence.measured[one.number]
    other = one.number in evidence.fixes or features.type in _NOTHING_NEW
    return not other and evidence.stands(one) and features.source_churn >= _FEWEST_LINES


def _mended_by(
    evidence: Evidence, fix: PullRequest, things: Mapping[int, PullRequest], telling: TellingWords
) -> Sequence[PullRequest]:
    """What a fix names, else the one thing that fits best."""
    named = [things[number] for number in _named(fix) if number in things and _came_first(things[number], fix)]
    if named:
        return named
    paths = {file.path for file in evidence.source(fix)}
    near = [thing for thing in things.values() if _came_first(thing, fix) and not paths.isdisjoint(_paths(thing))]
    fitting = [_fit(evidence, fix, thing, telling) for thing in near]
    best = max(fitting, default=0)
    fit = [thing for thing, words in zip(near, fitting, strict=True) if words == best]
    return fit[-1:] if best > 1 or (best and len(fit) == 1) else ()


def _paths(one: PullRequest) -> Iterator[str]:
    return (file.path for file in one.files)


def _came_first(thing: PullRequest, fix: PullRequest) -> bool:
    """Whether a thing landed before the fix did, and before the fix was opened as far as that is known.

    GitHub numbers pull requests in the order of opening, so a lower number was opened before the thing itself.
    """
    opened_before = fix.number < thing.number if fix.created_at is None else fix.created_at <= thing.merged_at
    return thing.merged_at < fix.merged_at and not opened_before


def _fit(evidence: Evidence, fix: PullRequest, thing: PullRequest, telling: TellingWords) -> int:
    """How many telling words a fix shares with a thing whose files it mostly touches; 0 when it is no fix of it."""
    shared, words = _shared(evidence, fix, thing), len(telling.of(fix.title) & telling.of(thing.title))
    brought = sum(file.additions for file in thing.files if file.path in shared)
    if evidence.measured[thing.number].type == "refactor" or 2 * len(shared) < len(evidence.source(fix)):
        return 0
    if words == 1 and not _is_its_place(evidence, fix, thing, shared):
        return 0
    few = words <= _FEW_WORDS and brought < _SHARE * sum(file.additions for file in evidence.source(thing))
    return 0 if few or brought < _FEWEST_BROUGHT else words


def _named(fix: PullRequest) -> set[int]:
    return {int(number) for number in (*_NUMBER.findall(fix.title), *_BROKEN_BY.findall(fix.body))}


def _is_its_place(evidence: Evidence, fix: PullRequest, thing: PullRequest, shared: Sequence[str]) -> bool:
    """Whether the thing brought a shared file, or much of the only ones that the fix touches, with a common topic."""
    brought = [file for file in thing.files if file.path in shared]
    if any(file.status == "added" for file in brought) or _takes_out(evidence, fix, thing):
        return True
    if not _platforms(evidence, thing) <= _platforms(evidence, fix):
        return False
    alone = len(shared) == len(evidence.source(fix))
    much = sum(file.additions for file in brought) >= _FEWEST_LINES
    return alone and much and bool(topics_of(fix, evidence.rules) & topics_of(thing, evidence.rules))


def _platforms(evidence: Evidence, one: PullRequest) -> set[str]:
    return set(evidence.measured[one.number].tags) & set(evidence.rules.platforms)


def _takes_out(evidence: Evidence, fix: PullRequest, thing: PullRequest) -> bool:
    """Whether the diff shows that the fix removed lines of the thing."""
    return any(fact.number == fix.number and fact.other == thing.number for fact in evidence.diff_facts("undone"))


def _shared(evidence: Evidence, fix: PullRequest, thing: PullRequest) -> Sequence[str]:
    """The source files that both changed, the one with most of the fix's lines first."""
    of_thing = {file.path for file in evidence.source(thing)}
    shared = [file for file in evidence.source(fix) if file.path in of_thing]
    return [file.path for file in sorted(shared, key=lambda file: -file.churn)]


def _finding(evidence: Evidence, thing: PullRequest, fixes: Sequence[PullRequest]) -> Finding:
    reach = max((fault.reach for fix in fixes if (fault := evidence.features[fix.number].fault)), default=0.0)
    first = fixes[0]
    shared = _shared(evidence, first, thing)
    opened_after = all(fix.created_at is not None for fix in fixes)
    return Finding(
        kind=FindingKind.MENDED,
        urgency=Urgency.ACT if reach >= _SERIOUS else Urgency.KNOW,
        pull_requests=(thing.number, *(fix.number for fix in fixes)),
        files=tuple(shared),
        values={
            "number": thing.number,
            "title": short_title(thing, evidence.rules),
            "gap": gap(thing, first),
            "fix": first.number,
            "fix_title": short_title(first, evidence.rules),
            "path": path(shared[0], [first]) if shared else None,
            "others": tuple(fix.number for fix in fixes[1:]),
            "opened_after": opened_after,
        },
        weight=evidence.importance(thing.number) + reach,
    )
