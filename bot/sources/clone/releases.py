"""Release tags, and which pull requests each of them holds."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from packaging.version import InvalidVersion, Version

from bot.models import Release
from bot.sources.clone.chain import Chain, committed, moment
from bot.sources.clone.git import SHOWN, Git, pieces, text
from bot.sources.clone.subjects import named_numbers

_FIELD_LIMIT = 1 << 16
_LONGEST_NAME = 100
_START = re.compile(r"(?:\A|[-@/_])[A-Za-z]*(?=[0-9])")
_DOTTED = re.compile(r"[0-9]+\.[0-9]")
_MAJOR = re.compile(r"\A(?:[vV]|[A-Za-z]+[-@/_][vV]?)([0-9]+)\Z")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag whose name is a version. `instant` is when it was made, in seconds since 1970."""

    name: str
    version: Version
    commit: str
    instant: int


def read_releases(git: Git, chain: Chain) -> tuple[Release, ...]:
    """The release tags, oldest first. Raises SourceError.

    Three git processes at most, whatever the number of tags: the tags, their commits, and the commits that lead from
    tags beside the chain back to it.
    """
    tags = _tags(git)
    position = {link.commit: len(chain.links) - 1 - index for index, link in enumerate(chain.links)}
    beside = [tag.commit for tag in tags if tag.commit not in position]
    aside = _aside(git, beside, position) if beside else {}
    contents = _contents(aside, beside, position)
    order = MergeOrder(chain)
    releases = []
    for tag in tags:
        base, named = contents.get(tag.commit) or (position[tag.commit], frozenset())
        cut, late = order.up_to(base)
        cut_at = None if cut is None else moment(cut)
        releases.append(Release(tag.name, moment(tag.instant), cut_at, late | named, tag.version.is_prerelease))
    return tuple(releases)


def version_of(name: str) -> Version | None:
    """The version that a tag's name is, behind at most a prefix: `v1.2`, `release-1.2`, `pkg@1.2.0`, `pkg/v2`.

    A version has a dot, unless it is all there is behind a `v` or a prefix. The first dotted number must be the
    version to the end: `v1.2-cuda12.1` is none.
    """
    if len(name) > _LONGEST_NAME:  # int() refuses numbers of thousands of digits
        return None
    if major := _MAJOR.match(name):
        return Version(major[1])
    rests = (name[start.end() :] for start in _START.finditer(name))
    dotted = next((rest for rest in rests if _DOTTED.match(rest)), "")
    try:
        return Version(dotted)
    except InvalidVersion:
        return None


class MergeOrder:
    """The pull requests of a chain in order, ready to say which of them lie at or before a commit."""

    def __init__(self, chain: Chain) -> None:
        positions = {link.commit: index for index, link in enumerate(reversed(chain.links))}
        merged = [landing for landing in reversed(chain.landings) if landing.number]
        self._ends = [positions[landing.links[0].commit] for landing in merged]
        self._numbers = [landing.number or 0 for landing in merged]
        self._instants = [landing.instant for landing in merged]
        self._latest = list(accumulate((link.instant for link in reversed(chain.links)), max))
        # The earliest pull request at or after each place: a committer's clock may have been behind.
        self._earliest = list(accumulate(reversed(self._instants), min))[::-1]

    def up_to(self, position: int | None) -> tuple[int | None, frozenset[int]]:
        """The second up to which every pull request lies at or before `position`, and those that lie there later.

        (None, nothing) when none lies there. `position` counts commits from the root; None is before it.
        """
        held = 0 if position is None else bisect_right(self._ends, position)
        if position is None or not held:
            return None, frozenset()
        cut = self._latest[position]
        if held < len(self._earliest):
            cut = min(cut, self._earliest[held] - 1)
        late = zip(self._instants[:held], self._numbers[:held], strict=True)
        return cut, frozenset(number for instant, number in late if instant > cut)


def _tags(git: Git) -> list[Tag]:
    shown = git.run("for-each-ref", "--format=%(refname)%00%(creatordate:unix)", "refs/tags/")
    rows = [row.partition(b"\0") for row in shown.splitlines()]
    named = [(name, text(name.removeprefix(b"refs/tags/")), committed(date)) for name, _, date in rows]
    versions = [(name, shown, version, date) for name, shown, date in named if (version := version_of(shown))]
    asked = b"".join(name + b"^{commit}\n" for name, *_ in versions)
    # A tag may be of a tag, or of something that is no commit and so no release.
    found = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked).splitlines()
    tags = [
        Tag(shown, version, text(commit), date)
        for (_, shown, version, date), row in zip(versions, found, strict=True)
        for commit, _, kind in [row.partition(b" ")]
        if kind == b"commit"
    ]
    return sorted(tags, key=lambda tag: (tag.instant, tag.version, tag.name))


@dataclass(frozen=True, slots=True)
class _Step:
    """A commit beside the chain."""

    parents: tuple[str, ...]
    numbers: frozenset[int]


def _aside(git: Git, commits: Sequence[str], chain: Mapping[str, int]) -> dict[str, _Step]:
    """Every commit on the ways from `commits` back to the chain; git is ended as soon as all are known."""
    steps: dict[str, _Step] = {}
    missing = set(commits)
    for commit, parents, subject in _history(git, missing):
        if commit in chain:
            continue
        # Commits that only the chain leads to come along; they are never asked for.
        steps[commit] = _Step(parents, named_numbers(subject))
        missing.discard(commit)
        missing.update(parent for parent in parents if parent not in chain and parent not in steps)
        if not missing:
            break
    return steps


def _history(git: Git, commits: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...], str]]:
    asked = "".join(f"{commit}\n" for commit in commits).encode()
    chunks = git.stream("log", "--stdin", "-z", *SHOWN, "--format=%H%x00%P%x00%s", stdin=asked)
    fields = pieces(chunks, b"\0", _FIELD_LIMIT)
    for commit, parents, subject in zip(fields, fields, fields, strict=True):
        yield text(commit), tuple(text(parents).split()), text(subject)


_Contents = tuple[int | None, frozenset[int]]


def _contents(aside: Mapping[str, _Step], tagged: Sequence[str], chain: Mapping[str, int]) -> dict[str, _Contents]:
    """For each tagged commit beside the chain: the place where its way leaves the chain, and the numbers on the way.

    The place is that of the newest commit of the chain within reach (all before it are too, the chain being one of
    first parents); None when there is none.
    """
    contents: dict[str, _Contents] = {}
    for tip in tagged:  # oldest first, so that a later tag of the same branch adds only what is new
        bases: list[int] = []
        numbers: set[int] = set()
        seen, ahead = {tip}, [tip]
        while ahead:
            commit = ahead.pop()
            if commit in chain:
                bases.append(chain[commit])
            elif commit in contents:
                base, known = contents[commit]
                bases.extend(() if base is None else (base,))
                numbers |= known
            elif commit in aside:  # not in a shallow clone that ends here
                numbers |= aside[commit].numbers
                fresh = [parent for parent in aside[commit].parents if parent not in seen]
                seen.update(fresh)
                ahead.extend(fresh)
        contents[tip] = max(bases, default=None), frozenset(numbers)
    return contents
