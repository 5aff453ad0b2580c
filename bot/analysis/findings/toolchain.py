"""Dependencies and the toolchain: what moved on balance, by the diffs where they were read, else by the titles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bot.analysis.bumps import bump_of, folded
from bot.analysis.findings.changed_default import moved_manifests
from bot.analysis.findings.dependency_moves import Move, moves_of
from bot.analysis.findings.evidence import Evidence, of_diff, short_title
from bot.figures import Claim, Count, Word
from bot.models import DiffFact, Finding, FindingKind, PullRequest, Urgency

_PINS = frozenset({"manifest", "lock"})
_TOOLING = re.compile(
    r"(?:^|[/_.-])(?:dev|tests?|testing|lint|docs?|ci|nightly|bench\w*|ipython)(?:[/_.-]|$)", re.IGNORECASE
)
_DEPENDENCIES, _TOLD = 4, 8
"""Dependencies of one finding, and numbers of a group, that are told; of more it is said that there are more."""

_SMALL = 2
"""Manifests of a small move; more than so many small ones are told together."""

_MAJOR = 50.0


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding for what moved together in the product, one for what only tests and CI use, one for the bots."""
    people = [one for one in evidence.week.pull_requests if one.author_kind != "bot" and evidence.stands(one)]
    facts = _product_facts(evidence, people)
    told = {fact.number for fact in facts}
    titled = [one for one in people if one.number not in told and _is_about_pins(evidence, one)]
    yield from _by_diff(evidence, moves_of(facts))
    yield from _by_title(evidence, [one for one in titled if _of_product(evidence, one)])
    aside = [one for one in titled if not _of_product(evidence, one)]
    if aside:
        yield _group(evidence, "aside", aside, ())
    bots = [one for one in evidence.week.pull_requests if one.author_kind == "bot" and _is_about_pins(evidence, one)]
    if bots:
        yield _group(
            evidence, "bots", bots, [move for move in moves_of(_product_facts(evidence, bots)) if move.is_major]
        )


def _product_facts(evidence: Evidence, pull_requests: Iterable[PullRequest]) -> Sequence[DiffFact]:
    """Version facts in manifests of the product."""
    numbers = {one.number for one in pull_requests}
    return [fact for fact in _facts(evidence) if fact.number in numbers and _is_product(evidence, fact.path)]


def _facts(evidence: Evidence) -> Iterator[DiffFact]:
    """Version facts. Removing a duplicate drops no dependency."""
    for fact in evidence.diff_facts("version"):
        if fact.new or not evidence.says("removes_little", evidence.pull_requests[fact.number]):
            yield fact


def _is_product(evidence: Evidence, name: str) -> bool:
    return evidence.kind(name) in _PINS and not _TOOLING.search(name)


def _of_product(evidence: Evidence, one: PullRequest) -> bool:
    """Whether pins of the product were touched, and the diff moved none of others alone."""
    read = any(fact.number == one.number for fact in _facts(evidence))
    return not read and any(_is_product(evidence, file.path) for file in one.files)


def _is_about_pins(evidence: Evidence, one: PullRequest) -> bool:
    """Whether a title speaks of a dependency and pins were touched, or the diff moved one anywhere."""
    if any(fact.number == one.number for fact in _facts(evidence)):
        return True
    if not any(evidence.kind(file.path) in _PINS for file in one.files) or moved_manifests(evidence, one):
        return False
    says_so = any(evidence.says(words, one) for words in ("about_dependencies", "adds_dependency"))
    return bump_of(one.title) is not None or (says_so and not evidence.says("removes_little", one))


def _by_diff(evidence: Evidence, moves: Sequence[Move]) -> Iterator[Finding]:
    together: dict[tuple[object, ...], list[Move]] = {}
    for move in moves:
        key = move.numbers if len(move.numbers) == 1 else (*move.numbers, move.first.name)
        together.setdefault(key, []).append(move)
    for some in together.values():
        yield _moved(evidence, some)


def _moved(evidence: Evidence, moves: Sequence[Move]) -> Finding:
    numbers = moves[0].numbers
    return Finding(
        kind=FindingKind.TOOLCHAIN,
        urgency=Urgency.UPGRADE,
        pull_requests=numbers,
        files=tuple(dict.fromkeys(move.first.path for move in moves)),
        values={
            "how": "diff",
            "title": short_title(evidence.pull_requests[numbers[0]], evidence.rules) if len(numbers) == 1 else None,
            "moves": [_told(move) for move in moves[:_DEPENDENCIES]],
            "more": len(moves) > _DEPENDENCIES,
        },
        weight=max(move.files for move in moves) + (_MAJOR if any(move.is_major for move in moves) else 0.0),
    )


def _told(move: Move) -> dict[str, object]:
    return {
        "name": of_diff(move.last, move.last.name),
        "old": of_diff(move.first, move.first.old) if move.first.old else None,
        "new": of_diff(move.last, move.last.new) if move.last.new else None,
        "net": move.net,
        "path": of_diff(move.last, move.last.path),
    }


def _by_title(evidence: Evidence, pull_requests: Sequence[PullRequest]) -> Iterator[Finding]:
    """Several of one dependency are one finding, in the order of merging; so are several small moves of others."""
    together: dict[str, list[PullRequest]] = {}
    for one in pull_requests:
        bump = bump_of(one.title)
        together.setdefault(folded(bump.name) if bump else f"#{one.number}", []).append(one)
    small = [some[0] for some in together.values() if len(some) == 1 and len(_pins(evidence, some[0])) <= _SMALL]
    apart = {one.number for one in small} if len(small) > _SMALL else set()
    for some in together.values():
        if some[0].number not in apart:
            yield _titled(evidence, some)
    if apart:
        yield _group(evidence, "small", small, ())


def _pins(evidence: Evidence, one: PullRequest) -> Sequence[str]:
    return [file.path for file in one.files if evidence.kind(file.path) in _PINS]


def _titled(evidence: Evidence, pull_requests: Sequence[PullRequest]) -> Finding:
    last = pull_requests[-1]
    bump = bump_of(last.title)
    named = {"number": last.number}
    return Finding(
        kind=FindingKind.TOOLCHAIN,
        urgency=Urgency.UPGRADE,
        pull_requests=tuple(one.number for one in reversed(pull_requests)),
        files=tuple(_pins(evidence, last)),
        values={
            "how": "title",
            "told": [{"number": one.number, "title": short_title(one, evidence.rules)} for one in pull_requests],
            "several": len(pull_requests) > 1,
            "name": Word(bump.name, Claim.about("title_part", **named)) if bump else None,
            "new": Word(bump.new, Claim.about("title_part", **named)) if bump and bump.new else None,
            "files_of_last": Count(
                len({file.path for file in last.files}), Claim.about("files", numbers=(last.number,))
            ),
        },
        weight=float(len(_pins(evidence, last))),
    )


def _named(one: PullRequest) -> dict[str, object]:
    bump = bump_of(one.title)
    name, new = (bump.name, bump.new) if bump else ("", "")
    claim = Claim.about("title_part", number=one.number)
    return {"number": one.number, "name": Word(name, claim) if name else None, "new": Word(new, claim) if new else None}


def _group(evidence: Evidence, how: str, pull_requests: Sequence[PullRequest], major: Sequence[Move]) -> Finding:
    numbers = evidence.ordered(pull_requests)
    return Finding(
        kind=FindingKind.TOOLCHAIN,
        urgency=Urgency.UPGRADE if how == "small" else Urgency.KNOW,
        pull_requests=numbers,
        values={
            "how": how,
            "count": Count(len(numbers), Claim.about("pull_requests", numbers=numbers)),
            "told": [_named(evidence.pull_requests[number]) for number in numbers[:_TOLD]],
            "more": len(numbers) > _TOLD,
            "moves": [_told(move) for move in major[:_DEPENDENCIES] if move.net],
        },
    )
