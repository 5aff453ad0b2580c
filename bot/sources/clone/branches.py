"""Which commit stands for the branch that pull requests are merged into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from bot.ports import SourceError
from bot.sources.clone.git import Git, text

_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_USUAL = ("main", "master")
_NAMED = 5  # branches that an error message lists


def tip_of(git: Git, branch: str | None) -> str:
    """The commit at the tip of `branch`, or of the default branch. Raises SourceError.

    Without a name: a bare repository's HEAD; in a clone with a work tree, whose HEAD may be on anybody's feature
    branch, what `origin/HEAD` names, else `main` or `master`, else HEAD. (The only remote stands in for a missing
    `origin`.)

    A branch may exist here and as the remote's: whoever only fetches leaves the local one behind. The one that
    contains the other is taken; where each has commits of its own, the remote's, since that is where pull requests
    are merged. In a bare repository the local one comes first, since a mirror's fetch updates that.
    """
    refs, symbolic = _refs(git)
    head = text(git.run("symbolic-ref", "--quiet", "HEAD", accepted=(0, 1))).strip()
    detached = "" if head else text(git.run("rev-parse", "--verify", "HEAD^{commit}")).strip()
    if not refs and not detached:
        raise SourceError(f"{git.path} has no branch with commits yet: fetch or push one into it first")
    remote = _remote(refs)
    for name in (branch,) if branch else _defaults(head, symbolic.get(f"{remote}HEAD", ""), remote, bare=git.bare):
        if tip := _tip(git, refs, name, remote):
            return tip
    if not branch and (detached or len(refs) == 1):
        return detached or next(iter(refs.values()))
    raise _unknown(git, branch, refs, remote)


def _refs(git: Git) -> tuple[dict[str, str], dict[str, str]]:
    """Commits by full name, and the targets of symbolic names."""
    shown = git.run("for-each-ref", "--format=%(refname)%00%(symref)%00%(objectname)", _HEADS, _REMOTES)
    rows = [text(row).split("\0") for row in shown.splitlines()]
    commits = {name: commit for name, _, commit in rows if not (name.startswith(_REMOTES) and name.endswith("/HEAD"))}
    return commits, {name: target for name, target, _ in rows if target}


def _remote(refs: Iterable[str]) -> str:
    """`refs/remotes/origin/`, or that of the only remote; "" when there is none."""
    names = {name.removeprefix(_REMOTES).partition("/")[0] for name in refs if name.startswith(_REMOTES)}
    chosen = "origin" if "origin" in names else names.pop() if len(names) == 1 else ""
    return f"{_REMOTES}{chosen}/" if chosen else ""


def _defaults(head: str, remote_head: str, remote: str, *, bare: bool) -> list[str]:
    usual = [*_USUAL, head.removeprefix(_HEADS)]
    if bare:
        usual.insert(0, usual.pop())
    elif remote_head:
        usual.insert(0, remote_head.removeprefix(remote))
    return [name for name in usual if name]


def _tip(git: Git, refs: Mapping[str, str], name: str, remote: str) -> str | None:
    local, there = refs.get(_HEADS + name), refs.get(remote + name) if remote else None
    if local and there and not git.bare:
        return local if git.says("merge-base", "--is-ancestor", there, local) else there
    return local or there or refs.get(_REMOTES + name) or refs.get(name)


def _unknown(git: Git, branch: str | None, refs: Iterable[str], remote: str) -> SourceError:
    known = list(dict.fromkeys(_short(name, remote) for name in refs))
    if not branch:
        return SourceError(
            f"{git.path} has no main or master: name the branch in the configuration; it has {_listed(known)}"
        )
    near = get_close_matches(branch, known, n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    return SourceError(f"{git.path} has no branch {branch}: {meant}it has {_listed(known)}")


def _short(name: str, remote: str) -> str:
    if remote and name.startswith(remote):
        return name.removeprefix(remote)
    return name.removeprefix(_HEADS).removeprefix(_REMOTES)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
