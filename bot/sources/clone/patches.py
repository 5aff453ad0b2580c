"""What `git log -p -U0` prints, as the changed lines of each pull request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from bot.models import FilePatch, Patch
from bot.sources.clone.absent import read_past
from bot.sources.clone.chain import Landing, moment
from bot.sources.clone.git import Git, pieces, text

FILE_LIMIT = 5_000  # changed lines of one file
COMMIT_LIMIT = 50_000  # changed lines of one commit
LINE_LIMIT = 2_000  # characters of one line
_BYTE_LIMIT = 4 * LINE_LIMIT
_PATCH = ("-p", "-U0", "--inter-hunk-context=0", "-M", "--src-prefix=a/", "--dst-prefix=b/", "--format=%x01%H")
_MARK = b"\x01"
_HUNK = re.compile(rb"@@ -[0-9]+(?:,([0-9]+))? \+[0-9]+(?:,([0-9]+))? @@")
_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-7]{3})')
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}

Wanted = Callable[[str], bool]


@dataclass(slots=True)
class _Diff:
    """The changed lines of one commit."""

    files: list[FilePatch] = field(default_factory=list)
    complete: bool = True


def read_patches(git: Git, landings: Sequence[Landing], wanted: Wanted) -> Iterator[Patch]:
    """The changed lines of the landings, which are pull requests, in the order given; streamed. Raises SourceError.

    Files that `wanted` refuses (by path, or by former path when removed) and binary files are left out, as the caller
    and the format have it. A patch is not complete when it lacks a file of more than FILE_LIMIT changed lines, files
    after COMMIT_LIMIT lines of one commit, the end of a line longer than LINE_LIMIT, or a commit whose contents the
    clone does not hold.
    """
    commits = [link.commit for landing in landings for link in reversed(landing.links)]
    diffs = read_past(commits, partial(_diffs, git, wanted), _unread)
    for landing in landings:
        parts = tuple(islice(diffs, len(landing.links)))
        files = tuple(file for part in parts for file in part.files)
        complete = all(part.complete for part in parts)
        yield Patch(landing.number or 0, moment(landing.instant), files, complete)


def _unread(commits: Sequence[str]) -> Iterator[_Diff]:
    for _ in commits:
        yield _Diff(complete=False)


def _diffs(git: Git, wanted: Wanted, commits: Sequence[str]) -> Iterator[_Diff]:
    lines = pieces(git.show(commits, *_PATCH), b"\n", _BYTE_LIMIT)
    mark = next(lines, b"")
    for commit in commits:
        git.check(commit, text(mark.removeprefix(_MARK)))
        reader = _Reader(wanted)
        mark = reader.read(lines)
        yield reader.diff


class _Reader:
    """Reads one commit. Lines of content are counted off as each hunk announces, never recognised by how they look."""

    def __init__(self, wanted: Wanted) -> None:
        self.diff = _Diff()
        self._wanted = wanted
        self._lines = 0
        self._former = ""
        self._begin("")

    def read(self, lines: Iterator[bytes]) -> bytes:
        """Read up to the mark of the next commit, which is returned; nothing at the end."""
        for line in lines:
            if line.startswith(b"@@ "):
                self._hunk(line, lines)
            elif line.startswith(_MARK):
                self._end()
                return line
            else:
                self._header(line)
        self._end()
        return b""

    def _header(self, line: bytes) -> None:
        if line.startswith(b"diff --git "):
            self._end()
        elif line.startswith(b"--- "):
            self._former = _path(line[4:])
        elif line.startswith(b"+++ "):
            self._begin(_path(line[4:]) or self._former)

    def _begin(self, path: str) -> None:
        self._path = path
        self._taken = bool(path) and self._wanted(path)
        self._changed = 0
        self._added: list[str] = []
        self._removed: list[str] = []

    def _end(self) -> None:
        if self._taken and self._changed:
            self.diff.files.append(FilePatch(self._path, tuple(self._added), tuple(self._removed)))
        self._begin("")

    def _hunk(self, line: bytes, lines: Iterator[bytes]) -> None:
        counts = _HUNK.match(line)
        if counts is None:
            raise ValueError(f"a hunk in a form that git does not print: {line[:80]!r}")
        removed, added = (1 if count is None else int(count) for count in counts.groups())
        self._announce(removed + added)
        self._take(removed, lines, self._removed)
        self._take(added, lines, self._added)

    def _announce(self, changed: int) -> None:
        if not self._taken:
            return
        self._changed += changed
        self._lines += changed
        if self._changed > FILE_LIMIT or self._lines > COMMIT_LIMIT:
            self._lines -= self._changed
            self._begin("")
            self.diff.complete = False

    def _take(self, count: int, lines: Iterator[bytes], kept: list[str]) -> None:
        while count and (line := next(lines, None)) is not None:
            if line.startswith(b"\\"):  # "\\ No newline at end of file" is no line of the file
                continue
            count -= 1
            if self._taken:
                kept.append(self._content(line))

    def _content(self, line: bytes) -> str:
        content = text(line[1:].removesuffix(b"\r"))
        if len(content) > LINE_LIMIT:
            self.diff.complete = False
        return content[:LINE_LIMIT]


def _path(raw: bytes) -> str:
    """A path of a `---` or `+++` line; "" for the missing side of an added or removed file."""
    raw = raw.removesuffix(b"\t")  # stands behind names with spaces
    if raw == b"/dev/null":
        return ""
    if raw.startswith(b'"'):
        raw = _ESCAPE.sub(_unescaped, raw[1:-1])
    return text(raw[2:])


def _unescaped(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return bytes((int(code, 8),)) if code.isdigit() else _ESCAPED.get(code, code)
