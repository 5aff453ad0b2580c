"""Changed defaults, flags and environment variables by the diffs, changed behaviour by the titles, moved manifests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.analysis.findings.evidence import Evidence, of_diff, path, short_title
from bot.analysis.findings.removal import is_removal
from bot.figures import Claim, Count, Word
from bot.models import ChangedFile, DiffFact, Finding, FindingKind, PullRequest, Urgency

_TOLD, _TITLES = 3, 5
"""Changes of one pull request, and titles, that are told; of more it is said that there are more."""

_FEWEST_MOVED = 3
"""Manifests that move together when a layout changes."""

_NOT_PRODUCT = frozenset({"ci", "docs", "test"})
_CHANGED, _GONE, _NEW, _MOVED, _TITLE = 30.0, 20.0, 0.0, 15.0, 10.0


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a pull request that its diff or its moved manifests speak for, and one for all other titles."""
    by_title = []
    for one in evidence.week.pull_requests:
        if not evidence.stands(one):
            continue
        facts, moved = _settings(evidence, one), moved_manifests(evidence, one)
        if facts:
            yield _by_diff(evidence, one, facts)
        elif moved:
            yield _by_moves(evidence, one, moved)
        elif _title_says(evidence, one):
            by_title.append(one)
    if by_title:
        yield _by_titles(evidence, by_title)


def _settings(evidence: Evidence, one: PullRequest) -> Sequence[DiffFact]:
    """Changed values first, then what is gone, then what is new; each name once."""
    if evidence.features[one.number].type in _NOT_PRODUCT:
        return ()
    new_files = {file.path for file in one.files if file.status == "added"}
    told: dict[str, DiffFact] = {}
    for fact in evidence.diff_facts("default", "flag", "environment"):
        told_elsewhere = not fact.new and is_removal(evidence, one)
        if (
            fact.number == one.number
            and fact.path not in new_files
            and not told_elsewhere
            and _is_setting(evidence, fact)
        ):
            told.setdefault(fact.name, fact)
    return sorted(told.values(), key=lambda fact: (fact.kind != "default", bool(fact.new)))


def _is_setting(evidence: Evidence, fact: DiffFact) -> bool:
    """A constant counts only when its name sounds like something that is set."""
    constant = fact.kind == "default" and fact.name.isupper()
    return not constant or evidence.rules.words["tells_a_setting"].search(fact.name) is not None


def moved_manifests(evidence: Evidence, one: PullRequest) -> Sequence[ChangedFile]:
    """The manifests that a pull request renamed, when they are what it mostly renames."""
    renamed = [file for file in one.files if file.status == "renamed" and file.previous_path]
    manifests = [file for file in renamed if evidence.kind(file.previous_path or "") == "manifest"]
    return manifests if len(manifests) >= _FEWEST_MOVED and 2 * len(manifests) >= len(renamed) else ()


def _title_says(evidence: Evidence, one: PullRequest) -> bool:
    features = evidence.features[one.number]
    says_default = evidence.says("changes_default", one) and not evidence.says("changes_default_little", one)
    says = says_default or evidence.says("renames_setting", one)
    return says and bool(features.source) and features.type not in _NOT_PRODUCT


def _by_diff(evidence: Evidence, one: PullRequest, facts: Sequence[DiffFact]) -> Finding:
    changes = [fact for fact in facts if not (fact.new and fact.kind != "default")]
    return Finding(
        kind=FindingKind.CHANGED_DEFAULT,
        urgency=Urgency.UPGRADE if changes else Urgency.KNOW,
        pull_requests=(one.number,),
        files=tuple(dict.fromkeys(fact.path for fact in facts)),
        values={
            "how": "diff",
            "number": one.number,
            "title": short_title(one, evidence.rules),
            "changes": [_change(fact) for fact in facts[:_TOLD]],
            "more": len(facts) > _TOLD,
        },
        weight=evidence.importance(one.number) + (_NEW if not changes else _CHANGED if changes[0].new else _GONE),
    )


def _change(fact: DiffFact) -> dict[str, object]:
    old, new = (of_diff(fact, value) if value else None for value in (fact.old, fact.new))
    kind = fact.kind if fact.kind == "default" else f"{fact.kind}-{'new' if new else 'gone'}"
    where = of_diff(fact, fact.path) if fact.name.isalpha() else None  # "enable" alone does not say of what
    return {"kind": kind, "name": of_diff(fact, fact.name), "old": old, "new": new, "where": where}


def _by_moves(evidence: Evidence, one: PullRequest, moved: Sequence[ChangedFile]) -> Finding:
    first = moved[0]
    return Finding(
        kind=FindingKind.CHANGED_DEFAULT,
        urgency=Urgency.UPGRADE,
        pull_requests=(one.number,),
        files=tuple(file.path for file in moved),
        values={
            "how": "moves",
            "number": one.number,
            "title": short_title(one, evidence.rules),
            "old": Word(first.previous_path or "", Claim.about("previous_path", number=one.number)),
            "new": path(first.path, [one]),
            "count": Count(len({file.path for file in one.files}), Claim.about("files", numbers=(one.number,))),
        },
        weight=evidence.importance(one.number) + _MOVED,
    )


def _by_titles(evidence: Evidence, pull_requests: Sequence[PullRequest]) -> Finding:
    numbers = evidence.ordered(pull_requests)
    return Finding(
        kind=FindingKind.CHANGED_DEFAULT,
        urgency=Urgency.UPGRADE,
        pull_requests=numbers,
        values={
            "how": "titles",
            "told": [
                {"number": number, "title": short_title(evidence.pull_requests[number], evidence.rules)}
                for number in numbers[:_TITLES]
            ],
            "others": numbers[_TITLES:],
        },
        weight=_TITLE,
    )
