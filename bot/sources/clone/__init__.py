"""A local git clone as a source of pull requests: no token, no network, nothing written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from shlex import quote

from bot.models import DirectCommit, Patch, PullRequest, Release
from bot.ports import SourceError, SourceKind
from bot.sources.clone.branches import tip_of
from bot.sources.clone.chain import Chain, Landing, moment, read_chain, seconds
from bot.sources.clone.git import Git, open_clone, text
from bot.sources.clone.patches import read_patches
from bot.sources.clone.pulls import read_landings
from bot.sources.clone.releases import read_releases

__all__ = ["CloneSource"]

_PROMISED = r"^(remote\..*\.promisor|extensions\.partialclone)$"  # settings of a partial clone


def _every_path(_path: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class _State:
    """What the clone was when a question came in. `partial`: cloned with a filter, so that contents may be absent."""

    tip: str
    shallow: bool
    partial: bool


class CloneSource:
    """The pull requests that a clone's history names; fulfils `bot.ports.PullRequestSource`.

    `path` is the top folder of a clone, its `.git`, or a bare repository. `branch` is a local or remote-tracking
    branch; without one the default branch is found as `branches.tip_of` says. Only what the clone holds is read: it
    is never fetched into. Every method looks at the clone afresh and raises SourceError with the fix when it cannot
    be read. Instants must carry a time zone, else ValueError; those given back are UTC, to the second.
    """

    def __init__(self, path: Path, branch: str | None = None) -> None:
        self._path = path
        self._branch = branch
        self._read: tuple[_State, Chain] | None = None

    @property
    def kind(self) -> SourceKind:
        return "clone"

    def begins_at(self) -> datetime:
        """The committer date of the oldest commit of the branch; for a shallow clone the second after its boundary."""
        return moment(self._chain()[1].begins)

    def fresh_until(self) -> datetime:
        """When the clone was last fetched, or its newest commit if that is later: what came after is not in it."""
        newest = moment(self._chain()[1].links[0].instant)
        return max(newest, self._git.fetched_at() or newest)

    def count(self, since: datetime, until: datetime) -> int:
        """How many items `history` will give, exactly."""
        _, _, landings = self._landings(since, until)
        return len(landings)

    def history(self, since: datetime, until: datetime) -> Iterator[PullRequest | DirectCommit]:
        """What landed on the branch in [since, until), newest on the branch first; streamed.

        The first-parent chain is read whole, then the commits of the period with their files. Merge time is the
        committer date. A pull request is `TITLE (#N)` or `Merge pull request #N from OWNER/BRANCH`; adjacent commits
        of one number are one, and a number that comes up again elsewhere does not make a second (`Chain.landings`).
        The body is the commit's, up to 20,000 characters. `counted` is False where the clone lacks file contents.

        Raises SourceError at once when the clone cannot be read or is shallow and begins after `since`; while
        streaming when git fails.
        """
        state, chain, landings = self._landings(since, until)
        commits = {link.commit for link in chain.links}
        contents = self._git.guards_lazy_fetch or not state.partial
        return read_landings(self._git.with_mailmap_of(state.tip), landings, commits, contents=contents)

    def releases(self) -> tuple[Release, ...]:
        """The tags that are versions, oldest first, with what each holds of the branch."""
        return read_releases(self._git, self._chain()[1])

    def patches(
        self, since: datetime, until: datetime, wanted: Callable[[str], bool] = _every_path
    ) -> Iterator[Patch] | None:
        """The changed lines of the pull requests of [since, until), oldest first; None for a partial clone.

        `wanted` says of a path whether its lines are needed. Limits: `patches.read_patches`.
        """
        state, _, landings = self._landings(since, until)
        if state.partial:
            return None
        return read_patches(self._git, [each for each in reversed(landings) if each.number], wanted)

    @cached_property
    def _git(self) -> Git:
        return open_clone(self._path)

    def _landings(self, since: datetime, until: datetime) -> tuple[_State, Chain, tuple[Landing, ...]]:
        state, chain = self._chain()
        if chain.cut and chain.begins > seconds(since):
            raise self._too_shallow(moment(chain.begins), since)
        return state, chain, chain.within(since, until)

    def _chain(self) -> tuple[_State, Chain]:
        state = self._state()
        # A shallow clone may be deepened below the same tip.
        if self._read is None or self._read[0] != state or state.shallow:
            self._read = state, read_chain(self._git, state.tip, shallow=state.shallow)
        return self._read

    def _state(self) -> _State:
        git = self._git
        shallow = git.run("rev-parse", "--is-shallow-repository").strip()
        promised = text(git.run("config", "--local", "--get-regexp", _PROMISED, accepted=(0, 1)))
        return _State(
            tip=tip_of(git, self._branch),
            shallow=shallow == b"true",
            partial=any(not line.endswith(" false") for line in promised.splitlines()),
        )

    def _too_shallow(self, begins: datetime, since: datetime) -> SourceError:
        where = quote(str(self._path))
        day = (since - timedelta(days=1)).date()
        return SourceError(
            f"{self._path} is a shallow clone that begins at {begins:%Y-%m-%d %H:%M} UTC, after {since.isoformat()}: "
            f"run `git -C {where} fetch --unshallow` or `git -C {where} fetch --shallow-since={day}`"
        )
