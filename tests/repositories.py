"""Builds small invented git repositories: every commit is queued, and one `git fast-import` writes them all.

    repo = Repository(tmp_path / "engine")
    repo.commit("Start", {"README.md": "hello\\n"})
    repo.pull(7, "Add the cache", {"engine/cache.py": "SIZE = 1\\n"}, author="Ada")
    repo.merge_commit(8, "Drop the old path", {"engine/old.py": None}, owner="bob")
    repo.rename(9, "Name it after what it does", "engine/cache.py", "engine/store.py")
    repo.tag("v1.0")
    CloneSource(repo.path)          # asking for the path writes what is queued

Files map a path to its new content; None removes it, `(mode, content)` gives a mode (`("120000", "target")` is a
symbolic link, `("160000", commit)` a submodule). Texts and paths may be bytes. People are `Name` or `Name <address>`.
Commits are an hour apart unless told otherwise.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

Text = str | bytes
Content = Text | tuple[str, Text] | None
Files = Mapping[Any, Content]  # a path is str or bytes

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
"""The committer date of a repository's first commit: a Monday."""

MAINTAINER = "Mo Maintainer"


class Repository:
    def __init__(self, path: Path, *, bare: bool = False, main: str = "main") -> None:
        self._path = path
        self._main = main
        self._now = START - timedelta(hours=1)
        self._queued: list[bytes] = []
        self._marks = 0
        self._heads: dict[str, int] = {}
        options = ("--bare",) if bare else ()
        git(path.parent, "init", "--quiet", f"--initial-branch={main}", *options, str(path))

    @property
    def path(self) -> Path:
        self._write()
        return self._path

    def commit(
        self,
        message: Text,
        files: Files | None = None,
        *,
        at: datetime | None = None,
        author: Text = "Ada",
        branch: str | None = None,
        renames: Mapping[str, str] | None = None,
        merges: tuple[int, ...] = (),
        encoding: str = "",
    ) -> int:
        """Put a commit on a branch (main's unless named) and give its mark, for `branch`, `tag` and `merges`."""
        name = branch or self._main
        self._now = at or self._now + timedelta(hours=1)
        parent = self._heads.get(name)
        mark = self._next()
        person = b"%s %s" % (_person(author), _stamp(self._now))
        lines = [
            b"commit refs/heads/%s" % name.encode(),
            b"mark :%d" % mark,
            b"author " + person,
            b"committer " + person,
            *([b"encoding " + encoding.encode()] if encoding else ()),
            _data(message),
            *([b"from :%d" % parent] if parent else ()),
            *(b"merge :%d" % each for each in merges),
            *(b"R %s %s" % (_path(old), _path(new)) for old, new in (renames or {}).items()),
            *(_change(path, content) for path, content in (files or {}).items()),
            b"",
        ]
        self._queued.append(b"\n".join(lines))
        self._heads[name] = mark
        return mark

    def pull(
        self,
        number: int,
        title: str,
        files: Files | None = None,
        *,
        merged_at: datetime | None = None,
        author: Text = "Ada",
        body: str = "",
        branch: str | None = None,
        renames: Mapping[str, str] | None = None,
    ) -> int:
        """A pull request that GitHub squashed."""
        message = f"{title} (#{number})\n\n{body}" if body else f"{title} (#{number})"
        return self.commit(message, files, at=merged_at, author=author, branch=branch, renames=renames)

    def merge_commit(
        self,
        number: int,
        title: str,
        files: Files | None = None,
        *,
        merged_at: datetime | None = None,
        author: Text = "Ada",
        owner: str = "ada",
        body: str = "",
    ) -> int:
        """A pull request that GitHub merged: a commit by `author` on a branch, and the maintainer's merge."""
        name = f"topic-{number}"
        self.branch(name)
        at = merged_at or self._now + timedelta(hours=1)
        tip = self.commit(f"Work on {title}", files, at=at - timedelta(minutes=30), author=author, branch=name)
        message = f"Merge pull request #{number} from {owner}/{name}\n\n{title}\n\n{body}"
        return self.commit(message, files, at=at, author=MAINTAINER, merges=(tip,))

    def rename(self, number: int, title: str, old: str, new: str, *, merged_at: datetime | None = None) -> int:
        """A squashed pull request that only moves a file."""
        return self.pull(number, title, merged_at=merged_at, renames={old: new})

    def forge(self, message: str, person: str = "Ada <ada@users.example> 1767607200 +0000", headers: str = "") -> None:
        """A commit on the main branch that is written byte for byte; the last thing to be done to a repository."""
        parent, tree = (self.git("rev-parse", f"{self._main}{what}").strip() for what in ("", "^{tree}"))
        raw = f"tree {tree}\nparent {parent}\nauthor {person}\ncommitter {person}\n{headers}\n{message}\n".encode()
        commit = git(self._path, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw).strip()
        self.git("update-ref", f"refs/heads/{self._main}", commit)

    def branch(self, name: str, at: int | None = None) -> None:
        """A branch from a commit's mark, or from the tip of the main branch."""
        self._heads[name] = at or self._heads[self._main]
        self._queued.append(b"reset refs/heads/%s\nfrom :%d\n" % (name.encode(), self._heads[name]))

    def tag(self, name: str, at: int | None = None, *, tagged_at: datetime | None = None) -> None:
        """A tag of a commit's mark, or of the tip of the main branch; annotated when it has a date of its own."""
        mark = at or self._heads[self._main]
        if tagged_at is None:
            self._queued.append(b"reset refs/tags/%s\nfrom :%d\n" % (name.encode(), mark))
            return
        tagger = b"tagger %s %s" % (_person(MAINTAINER), _stamp(tagged_at))
        self._queued.append(b"tag %s\nfrom :%d\n%s\n%s" % (name.encode(), mark, tagger, _data(name)))

    @property
    def branches(self) -> list[str]:
        """The branches beside the main one."""
        return [name for name in self._heads if name != self._main]

    def hash(self, mark: int) -> str:
        """The commit behind a mark."""
        return self.hashes[mark]

    @property
    def hashes(self) -> dict[int, str]:
        """Commits by mark."""
        self._write()
        rows = (row.split() for row in self._marks_file.read_text().splitlines())
        return {int(mark.removeprefix(":")): commit for mark, commit in rows}

    def git(self, *arguments: str) -> str:
        """What a git command prints that is run in the repository; writes what is queued first."""
        self._write()
        return git(self._path, *arguments)

    def clone(self, path: Path, *options: str) -> Path:
        """Clone the repository with `git clone OPTIONS`, through a transport that knows filters and depth."""
        for setting in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
            self.git("config", setting, "true")
        git(path.parent, "clone", "--quiet", *options, self.path.as_uri(), str(path))
        return path

    @property
    def _marks_file(self) -> Path:
        return self._path / "marks" if (self._path / "objects").exists() else self._path / ".git" / "marks"

    def _next(self) -> int:
        self._marks += 1
        return self._marks

    def _write(self) -> None:
        if not self._queued:
            return
        stream, self._queued = b"\n".join(self._queued), []
        marks = (f"--import-marks-if-exists={self._marks_file}", f"--export-marks={self._marks_file}")
        git(self._path, "fast-import", "--quiet", "--force", *marks, stdin=stream)


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """What a git command prints that is run in a folder, without the user's settings. Fails the test when git fails."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    clean |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *arguments], cwd=folder, input=stdin, capture_output=True, check=False, env=clean)
    if done.returncode:
        raise AssertionError(f"git {arguments[0]}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode(errors="replace")


def stand_in_git(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a shell script before the real git on PATH."""
    (bin_folder := folder / "bin").mkdir()
    (bin_folder / "git").write_text(f"#!/bin/sh\n{script}\n")
    (bin_folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")


def _person(author: Text) -> bytes:
    raw = author.encode() if isinstance(author, str) else author
    return raw if raw.endswith(b">") else b"%s <%s@users.example>" % (raw, raw.lower().replace(b" ", b"."))


def _stamp(instant: datetime) -> bytes:
    return f"{int(instant.timestamp())} {instant:%z}".encode()


def _data(content: Text) -> bytes:
    raw = content.encode() if isinstance(content, str) else content
    return b"data %d\n%s" % (len(raw), raw)


def _change(path: Text, content: Content) -> bytes:
    if content is None:
        return b"D " + _path(path)
    mode, data = content if isinstance(content, tuple) else ("100644", content)
    if mode == "160000":
        return b"M 160000 %s %s" % (data.encode() if isinstance(data, str) else data, _path(path))
    return b"M %s inline %s\n%s" % (mode.encode(), _path(path), _data(data))


def _path(path: Text) -> bytes:
    raw = path.encode() if isinstance(path, str) else path
    plain = bytes(range(33, 127)).replace(b'"', b"").replace(b"\\", b"")
    return b'"%s"' % b"".join(b"%c" % byte if byte in plain else b"\\%03o" % byte for byte in raw)
