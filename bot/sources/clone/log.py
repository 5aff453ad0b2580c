"""What `git log -z --raw --numstat` prints, as commits with their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.models import ChangedFile, FileStatus
from bot.sources.clone.git import Git, pieces, text

BODY_LIMIT = 20_000  # characters of a commit message that are kept
_FIELD_LIMIT = 8 * BODY_LIMIT
_MARK = b"\x01"
_FORMAT = "--format=%x01%H%x00%aN%x00%aE%x00%s%x00%b"  # with -z a NUL ends it, as it does every path and count
_STATUS: dict[bytes, FileStatus] = {b"A": "added", b"D": "removed", b"R": "renamed", b"C": "copied"}
_TWO_PATHS = (b"R", b"C")
_Counts = dict[bytes, tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit against its first parent. `counted` is False when no lines were counted."""

    commit: str
    name: str
    email: str
    subject: str
    body: str
    files: tuple[ChangedFile, ...] = ()
    counted: bool = True


def read_commits(git: Git, commits: Sequence[str]) -> Iterator[Commit]:
    """The commits with their files and line counts, in the order asked for; one git process.

    Raises MissingContentError, after the commits before it, where the contents of a file are absent; SourceError when
    git fails otherwise.
    """
    return _read(git, commits, ("--raw", "--numstat", "-M"), counted=True)


def read_names(git: Git, commits: Sequence[str]) -> Iterator[Commit]:
    """The same without looking into files.

    A rename is seen only where the content stayed, and lines are known only of a commit that changes no content: none.
    """
    return _read(git, commits, ("--raw", "-M100%"), counted=False)


def _read(git: Git, commits: Sequence[str], shown: tuple[str, ...], *, counted: bool) -> Iterator[Commit]:
    chunks = git.show(commits, "-z", "--no-abbrev", *shown, _FORMAT)
    parsed = _parsed(pieces(chunks, b"\0", _FIELD_LIMIT), counted=counted)
    for asked, commit in zip(commits, parsed, strict=True):
        git.check(asked, commit.commit)
        yield commit


def _parsed(tokens: Iterator[bytes], *, counted: bool) -> Iterator[Commit]:
    """Commits from tokens, by position alone: no path and no message can be taken for something else."""
    token = next(tokens, None)
    while token is not None:
        header = (token, *(next(tokens, b"") for _ in range(4)))
        changes: list[tuple[bytes, bytes, bytes]] = []
        unchanged = True
        counts: _Counts = {}
        token = next(tokens, None)
        # The first file of a commit comes after the line end that separates it from the message.
        while token is not None and token[:1] != _MARK:
            token = token.lstrip(b"\n")
            if token[:1] == b":":
                changes.append(_change(token, tokens))
                unchanged = unchanged and _same_content(token)
            elif token:
                _count(token, tokens, counts)
            token = next(tokens, None)
        yield _commit(header, changes, counts, counted=counted or unchanged)


def _change(token: bytes, following: Iterator[bytes]) -> tuple[bytes, bytes, bytes]:
    """`:MODE MODE OBJECT OBJECT STATUS` and its paths, as status, path and former path."""
    status = token.rpartition(b" ")[2][:1]
    path = next(following, b"")
    return (status, next(following, b""), path) if status in _TWO_PATHS else (status, path, b"")


def _same_content(token: bytes) -> bool:
    _, _, before, after, _ = token.split(b" ", 4)
    return before == after


def _count(token: bytes, following: Iterator[bytes], counts: _Counts) -> None:
    """`ADDED <tab> REMOVED <tab> PATH`; of a rename the path is empty and its two paths follow."""
    added, removed, path = token.split(b"\t", 2)
    if not path:
        next(following, b"")
        path = next(following, b"")
    counts[path] = added, removed


def _commit(
    header: tuple[bytes, ...], changes: list[tuple[bytes, bytes, bytes]], counts: _Counts, *, counted: bool
) -> Commit:
    mark, name, email, subject, body = header
    return Commit(
        commit=text(mark[1:]),
        name=text(name),
        email=text(email),
        subject=text(subject),
        body=text(body)[:BODY_LIMIT].strip(),
        files=tuple(_file(*change, counts.get(change[1], (b"0", b"0"))) for change in changes),
        counted=counted,
    )


def _file(status: bytes, path: bytes, former: bytes, counts: tuple[bytes, bytes]) -> ChangedFile:
    added, removed = counts
    binary = added == b"-"
    return ChangedFile(
        text(path),
        0 if binary else int(added),
        0 if binary else int(removed),
        _STATUS.get(status, "modified"),
        text(former) if former else None,
        binary,
    )
