"""Commits of the chain become pull requests and direct commits."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from bot.models import AuthorKind, ChangedFile, DirectCommit, PullRequest
from bot.sources.clone.absent import read_past
from bot.sources.clone.chain import Landing, moment
from bot.sources.clone.git import Git, pieces, text
from bot.sources.clone.log import Commit, read_commits, read_names
from bot.sources.clone.people import identify
from bot.sources.clone.subjects import merge_title, read_subject

_FIELD_LIMIT = 1 << 16
_FOLLOWED = 5  # merges of the main branch into a pull request's branch that are passed on the way to its author
_Author = tuple[str, str]


def read_landings(
    git: Git, landings: Sequence[Landing], chain: Container[str], *, contents: bool
) -> Iterator[PullRequest | DirectCommit]:
    """The landings with their authors, texts and files, in the order given, streamed. Raises SourceError.

    `chain` has the commits of the whole chain. Without `contents` git is not asked for file contents, so no lines
    are counted.
    """
    tips = [link.second_parent for each in landings if each.number for link in each.links]
    authors = _branch_authors(git, tips, chain)
    commits = [link.commit for landing in landings for link in landing.links]
    names = partial(read_names, git)
    read = read_past(commits, partial(read_commits, git), names) if contents else names(commits)
    for landing in landings:
        yield _landed(landing, tuple(islice(read, len(landing.links))), authors)


def _landed(
    landing: Landing, commits: tuple[Commit, ...], authors: Mapping[str, _Author]
) -> PullRequest | DirectCommit:
    newest, link = commits[0], landing.links[0]
    if landing.number is None:
        author, _ = identify(newest.name, newest.email)
        return DirectCommit(newest.commit, newest.subject.strip(), author, moment(link.instant))
    title, body = read_subject(newest.subject).title, newest.body
    if link.merged:
        proper, body = merge_title(body)
        title = proper or title
    author, kind = _author(newest, link.second_parent, authors)
    return PullRequest(
        number=landing.number,
        title=title,
        author=author,
        merged_at=moment(landing.instant),
        body=body,
        author_kind=kind,
        commit=newest.commit,
        files=_together([commit.files for commit in reversed(commits)]),
        counted=all(commit.counted for commit in commits),
    )


def _author(commit: Commit, second_parent: str, authors: Mapping[str, _Author]) -> tuple[str, AuthorKind]:
    """A merge commit's own author only pressed the button: the branch's is meant, else the branch's owner."""
    if not second_parent:
        return identify(commit.name, commit.email)
    if second_parent in authors:
        return identify(*authors[second_parent])
    owner = read_subject(commit.subject).owner
    return identify(owner, "") if owner else identify(commit.name, commit.email)


def _branch_authors(git: Git, tips: Sequence[str], chain: Container[str]) -> dict[str, _Author]:
    """Name and e-mail address behind the tip of each merged branch that is within reach.

    Where the tip only merges the main branch into it (the "Update branch" button) the commit before says who works
    there.
    """
    authors: dict[str, _Author] = {}
    asked: dict[str, list[str]] = {tip: [tip] for tip in tips if tip}
    for _ in range(_FOLLOWED):
        if not asked:
            break
        earlier: dict[str, list[str]] = {}
        for commit, parents, author in _people(git, asked):
            authors |= dict.fromkeys(asked[commit], author)
            if len(parents) > 1 and parents[0] not in chain:
                earlier.setdefault(parents[0], []).extend(asked[commit])
        asked = earlier
    return authors


def _people(git: Git, commits: Iterable[str]) -> Iterator[tuple[str, list[str], _Author]]:
    chunks = git.show(commits, "--no-patch", "--ignore-missing", "-z", "--format=%H%x00%P%x00%aN%x00%aE")
    fields = pieces(chunks, b"\0", _FIELD_LIMIT)
    for commit, parents, name, email in zip(fields, fields, fields, fields, strict=True):
        yield text(commit), text(parents).split(), (text(name), text(email))


def _together(steps: Sequence[tuple[ChangedFile, ...]]) -> tuple[ChangedFile, ...]:
    """The files of successive commits as those of one change, lines added up per path."""
    if len(steps) == 1:
        return steps[0]
    merged: dict[str, ChangedFile] = {}
    for step in steps:
        moved = {file.previous_path or file.path for file in step}
        changed = [_combined(merged.get(file.previous_path or file.path), file) for file in step]
        merged = {path: file for path, file in merged.items() if path not in moved}
        merged |= {file.path: file for file in changed if file}
    return tuple(merged.values())


def _combined(earlier: ChangedFile | None, later: ChangedFile) -> ChangedFile | None:
    """Two changes of one file as one; None when the file came and went in between."""
    if earlier is None:
        return later
    if earlier.status == "added" and later.status == "removed":
        return None
    status = later.status
    if earlier.status in ("added", "renamed") and later.status != "removed":
        status = earlier.status
    elif earlier.status == "removed":
        status = "modified"
    return replace(
        later,
        additions=earlier.additions + later.additions,
        deletions=earlier.deletions + later.deletions,
        status=status,
        previous_path=None if status == "added" else earlier.previous_path or later.previous_path,
        binary=earlier.binary or later.binary,
    )
