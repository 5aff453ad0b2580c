"""Runs git on one clone so that neither its configuration nor the user's changes a figure or executes anything."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from bot.ports import SourceError
from bot.sources.clone.failures import failure

if sys.platform == "linux":
    import fcntl

Version = tuple[int, int, int]

OLDEST: Version = (2, 31, 0)  # the first whose log knows --diff-merges
# GIT_NO_LAZY_FETCH: new in 2.45, and in the last security release of each older line (release notes of 2.39.4).
_LAZY_FETCH_GUARDED: dict[tuple[int, int], int] = {
    (2, 39): 4,
    (2, 40): 2,
    (2, 41): 1,
    (2, 42): 2,
    (2, 43): 4,
    (2, 44): 1,
}
_CHUNK = 1 << 16
_PIPE = 1 << 20
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    f"attr.tree={_EMPTY_TREE}",  # from 2.43 on a bare repository would take the attributes of its HEAD
    "core.bigFileThreshold=512m",
    "mailmap.file=",
)
# What a clone's or a user's configuration could make `log` do otherwise, each said outright.
SHOWN = ("--no-show-signature", "--no-color", "--encoding=UTF-8")
DIFF = (
    "--root",
    "--diff-merges=first-parent",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--submodule=short",
    "--ignore-submodules=none",
    f"-O{os.devnull}",
    "--no-textconv",
    "--no-ext-diff",
    "-l1000",
)


@dataclass(frozen=True, slots=True)
class Git:
    """git on the clone at `path`, whose repository proper is `directory`; `bare` when it has no work tree.

    Every failure is a SourceError.
    """

    path: Path
    directory: Path
    bare: bool
    version: Version
    settings: tuple[str, ...] = _SETTINGS

    def with_mailmap_of(self, commit: str) -> Git:
        """The same, giving people the names that the `.mailmap` in a commit has for them."""
        return replace(self, settings=(*_SETTINGS, f"mailmap.blob={commit}:.mailmap"))

    @property
    def guards_lazy_fetch(self) -> bool:
        """Whether this git can be trusted not to fetch missing objects of a partial clone when told so."""
        return self.version >= (2, 45, 0) or self.version[2] >= _LAZY_FETCH_GUARDED.get(self.version[:2], 1 << 30)

    def fetched_at(self) -> datetime | None:
        """When the repository was last fetched into (git then writes FETCH_HEAD); None if it never was."""
        try:
            written = (self.directory / "FETCH_HEAD").stat().st_mtime
        except FileNotFoundError:
            return None
        return datetime.fromtimestamp(int(written), UTC)

    def run(self, *arguments: str, stdin: bytes = b"", accepted: Collection[int] = (0,)) -> bytes:
        """What the command prints. Raises SourceError on any exit code but the accepted ones."""
        done = self._finished(arguments, stdin)
        if done.returncode not in accepted:
            raise failure(self.path, done.returncode, text(done.stderr))
        return done.stdout

    def says(self, *arguments: str) -> bool:
        """The answer of a command that exits 0 for yes and 1 for no."""
        done = self._finished(arguments, b"")
        if done.returncode not in (0, 1):
            raise failure(self.path, done.returncode, text(done.stderr))
        return done.returncode == 0

    def stream(self, *arguments: str, stdin: bytes = b"") -> Iterator[bytes]:
        """What the command prints, in chunks. `stdin` must be read whole before the command prints (`log --stdin`).

        Raises SourceError when git does not end well, after everything that it did print. Closing the iterator
        early ends git.
        """
        with (
            tempfile.TemporaryFile() as errors,  # a pipe nobody reads would stop git once it is full
            self._started(arguments, errors) as process,
        ):
            try:
                yield from _output(process, stdin)
                code = process.wait()
            finally:
                process.kill()
            if code:
                errors.seek(0)
                raise failure(self.path, code, text(errors.read()))

    def show(self, commits: Iterable[str], *arguments: str) -> Iterator[bytes]:
        """`git log` of these very commits in this order, each against its first parent; as `stream`."""
        options = ("log", "--no-walk=unsorted", *SHOWN, *DIFF, *arguments, "--stdin")
        return self.stream(*options, stdin="".join(f"{commit}\n" for commit in commits).encode())

    def check(self, asked: str, given: str) -> None:
        """Raise SourceError when git gave another commit than was asked for."""
        if asked != given:
            raise SourceError(f"git gave commit {given[:80]} of {self.path} for {asked}: run `git fsck` there")

    def _finished(self, arguments: tuple[str, ...], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
        with self._started(arguments, subprocess.PIPE) as process:
            printed, complained = process.communicate(stdin)
        return subprocess.CompletedProcess(arguments, process.returncode, printed, complained)

    def _started(self, arguments: tuple[str, ...], errors: IO[bytes] | int) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._command(arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=self.directory,
                env=_environment(self.directory),
            )
        except OSError as error:
            raise SourceError(
                f"git could not be started in {self.path} ({error}): see that the clone is still there and git on PATH"
            ) from error

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        # --bare, and not started in the work tree: the attributes and the mailmap that happen to be checked out
        # would change counts and names.
        settings = (part for setting in self.settings for part in ("-c", setting))
        return ["git", "--no-pager", "--bare", *settings, *arguments]


def open_clone(path: Path) -> Git:
    """Git on the clone whose top folder, bare repository or `.git` is `path`.

    Raises SourceError when there is none, when git refuses to read it, and when git is missing or too old.
    """
    version = _version()
    directory, bare = _found(path)
    return Git(path, directory, bare, version)


def text(raw: bytes) -> str:
    """Foreign bytes as text; what is not UTF-8 becomes U+FFFD."""
    return raw.decode("utf-8", "replace")


def pieces(chunks: Iterator[bytes], separator: bytes, limit: int) -> Iterator[bytes]:
    """The parts between separators, streamed.

    A part longer than `limit` bytes keeps its first `limit` bytes and is longer than `limit` still, so that memory
    stays bounded and the reader can tell.
    """
    rest = b""
    for chunk in chunks:
        parts = (rest + chunk).split(separator)
        rest = parts.pop()
        if len(rest) > limit:
            rest = rest[: limit + 1]
        yield from parts
    if rest:
        yield rest


def _output(process: subprocess.Popen[bytes], stdin: bytes) -> Iterator[bytes]:
    written, printed = _piped(process)
    _widen(printed)
    # A git that dies before it has read everything says why with its exit code.
    with contextlib.suppress(BrokenPipeError), written:
        written.write(stdin)
    while chunk := printed.read(_CHUNK):
        yield chunk


def _widen(pipe: IO[bytes]) -> None:
    """Let git print ahead while what it printed is read: on two busy cores a tenth of the time."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # refused where the user's pipes take too much memory already
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def _piped(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise TypeError("the process was started without pipes")
    return process.stdin, process.stdout


def _environment(directory: Path | None = None, ceiling: Path | None = None) -> dict[str, str]:
    """The environment without anything that steers git, and with what keeps it quiet, local and deterministic."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    kept |= {
        "LC_ALL": "C",
        "LANGUAGE": "",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",  # no transport at all: holds for every git, also those that ignore the line above
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
    }
    if directory:
        kept["GIT_DIR"] = str(directory)
    if ceiling:  # a folder inside another clone is not that clone
        kept["GIT_CEILING_DIRECTORIES"] = str(ceiling)
    return kept


def _version() -> Version:
    try:
        done = subprocess.run(["git", "--version"], capture_output=True, check=True, env=_environment())
    except FileNotFoundError as error:
        raise SourceError("git is not installed or not on PATH: install git 2.31 or newer") from error
    except (OSError, subprocess.CalledProcessError) as error:
        raise SourceError(f"git on PATH does not run ({error}): install git 2.31 or newer") from error
    return _supported(text(done.stdout).strip())


def _supported(said: str) -> Version:
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", said)
    version = (int(found[1]), int(found[2]), int(found[3] or 0)) if found else (0, 0, 0)
    if version < OLDEST:
        raise SourceError(f"git is too old ({said}): install git 2.31 or newer")
    return version


def _found(path: Path) -> tuple[Path, bool]:
    """The git directory of the clone whose top folder, bare repository or `.git` is `path`, and whether it is bare."""
    if not path.exists():
        raise SourceError(f"{path} does not exist: give the top folder of a git clone")
    if not path.is_dir():
        raise SourceError(f"{path} is a file: give the top folder of a git clone")
    try:
        folder = path.resolve()
        done = subprocess.run(
            ["git", "-c", "safe.bareRepository=all", "rev-parse", "--is-bare-repository", "--absolute-git-dir"],
            capture_output=True,
            check=False,
            cwd=folder,
            env=_environment(ceiling=folder.parent),
        )
    except PermissionError as error:
        raise SourceError(f"{path} cannot be entered: let this user read it") from error
    if done.returncode:
        raise failure(path, done.returncode, text(done.stderr))
    bare, _, directory = done.stdout.removesuffix(b"\n").partition(b"\n")
    return Path(os.fsdecode(directory)), bare == b"true"
