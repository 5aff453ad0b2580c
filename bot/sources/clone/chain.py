"""The first-parent chain of a branch: which commits landed there, when, and as which pull request."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from bot.sources.clone.git import SHOWN, Git, pieces, text
from bot.sources.clone.subjects import read_subject

_LONGEST_FIELD = 1 << 16
_LATEST = int(datetime(9999, 1, 1, tzinfo=UTC).timestamp())


class Link(NamedTuple):
    """One commit of the chain. `instant` is its committer date in seconds since 1970."""

    commit: str
    instant: int
    number: int | None
    merged: str  # the branch that its subject says it merges, else ""
    second_parent: str  # "" unless it is a merge commit


@dataclass(frozen=True, slots=True)
class Landing:
    """A pull request, or one commit without (`number` is None). `links` are adjacent on the chain, newest first."""

    number: int | None
    links: tuple[Link, ...]

    @property
    def instant(self) -> int:
        """When the last of its commits was committed, in seconds since 1970."""
        return max(link.instant for link in self.links)


@dataclass(frozen=True)
class Chain:
    """The chain, newest first. `cut` says that a shallow clone ends it before the root."""

    links: tuple[Link, ...]
    cut: bool = False

    @property
    def begins(self) -> int:
        """The first second from which everything is within reach.

        That is the oldest commit's; in a shallow clone the one after it, since the changes of the commit at the
        boundary cannot be told from the whole tree, nor those of a pull request that it is part of.
        """
        hidden = self.links[self._readable :]
        return max(link.instant for link in hidden) + 1 if hidden else min(link.instant for link in self.links)

    @cached_property
    def landings(self) -> tuple[Landing, ...]:
        """What landed, newest first, each pull request once.

        Adjacent commits of one number are one pull request (a rebase merge). A number that comes up again elsewhere
        belongs to GitHub's merge commit if there is one, else to the oldest run: the later commits follow up on the
        pull request, or bring it back, and count as commits of their own. This is decided over the whole chain,
        so that every period tells the same.
        """
        runs = [
            (number, tuple(links))
            for number, links in groupby(self.links[: self._readable], key=lambda link: link.number)
        ]
        chosen: dict[int, tuple[Link, ...]] = {}
        for number, run in runs:
            if number is not None and (number not in chosen or _weight(run) >= _weight(chosen[number])):
                chosen[number] = run
        return tuple(
            landing
            for number, run in runs
            for landing in _landings(run, number if number is not None and chosen[number] is run else None)
        )

    def within(self, since: datetime, until: datetime) -> tuple[Landing, ...]:
        """What landed in [since, until), newest first."""
        first, end = seconds(since), seconds(until)
        return tuple(landing for landing in self.landings if first <= landing.instant < end)

    @cached_property
    def _readable(self) -> int:
        """How many of the links can be read; those behind lie at the boundary of a shallow clone."""
        if not self.cut:
            return len(self.links)
        end = len(self.links) - 1
        number = self.links[end].number
        while number is not None and end and self.links[end - 1].number == number:
            end -= 1
        return end


def read_chain(git: Git, tip: str, *, shallow: bool) -> Chain:
    """Read the first-parent chain of the commit `tip`: one git process. Raises SourceError."""
    chunks = git.stream("log", "--first-parent", "-z", *SHOWN, "--format=%H%x00%ct%x00%P%x00%s", tip)
    fields = pieces(chunks, b"\0", _LONGEST_FIELD)
    links = tuple(
        _link(text(commit), instant, parents, text(subject))
        for commit, instant, parents, subject in zip(fields, fields, fields, fields, strict=True)
    )
    return Chain(links, cut=shallow and _has_parents(git, links[-1].commit))


def seconds(instant: datetime) -> int:
    """The first whole second at or after an instant. Raises ValueError when it has no time zone."""
    if instant.tzinfo is None:
        raise ValueError(f"{instant} has no time zone")
    return math.ceil(instant.timestamp())


def moment(instant: int) -> datetime:
    """Seconds since 1970 as an instant in UTC."""
    return datetime.fromtimestamp(instant, UTC)


def _link(commit: str, instant: bytes, parents: bytes, subject: str) -> Link:
    said = read_subject(subject)
    _, _, others = parents.partition(b" ")
    second = others.partition(b" ")[0].decode("ascii")
    return Link(commit, committed(instant), said.number, said.merged, second)


def committed(raw: bytes) -> int:
    """A committer date as git prints it; nothing for a broken one, and far beyond the calendar for a forged one."""
    return min(int(raw), _LATEST) if raw.isdigit() else 0


def _weight(run: tuple[Link, ...]) -> int:
    return int(any(link.merged and link.second_parent for link in run))


def _landings(run: tuple[Link, ...], number: int | None) -> Iterator[Landing]:
    if number is not None:
        yield Landing(number, run)
    else:
        yield from (Landing(None, (link,)) for link in run)


def _has_parents(git: Git, commit: str) -> bool:
    """Whether the commit itself names parents, whatever the shallow boundary hides."""
    headers, _, _ = git.run("cat-file", "commit", commit).partition(b"\n\n")
    return b"\nparent " in headers
