"""What git says when it fails, as one line with the fix."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from bot.ports import SourceError

_LONGEST = 300
_TRUSTED = re.compile(r"--add safe\.directory (\S.*)")
_ABSENT = re.compile(r"^fatal: (?:unable to read|could not fetch) [0-9a-f]{40,64}\b", re.MULTILINE)
_DAMAGED = re.compile(r"^error: .*(?:inflate|unpack|corrupt|garbage|delta base|packed object)", re.MULTILINE)
_FORMS = (  # what git says, and what to tell: {said} is git's own line, {where} the path for a shell
    (
        r"dubious ownership|unsafe repository",
        "{path} belongs to another user: to let git read it, run `git config --global --add safe.directory {trusted}`",
    ),
    (r"not a git repository", "{path} is not a git repository: give the top folder of a git clone"),
    (r"Permission denied", "{path} cannot be read ({said}): let this user read it"),
    (
        r"unknown repository extension|Expected git repo version|unknown repository version",
        "{path} was made by a newer git ({said}): upgrade git",
    ),
    (
        r"bad config|bad \w+ config value|error occurred while reading the configuration",
        "git cannot read its configuration for {path} ({said}): mend that file",
    ),
    (
        r"(?m)^fatal: unable to read tree\b",
        "{path} lacks folders of its own history ({said}): run `git -C {where} fsck`, or clone again without --filter",
    ),
)
_OTHER = "git failed on {path} ({said}): run `git -C {where} fsck`, and clone again if it complains"
_NO_CONTENT = (
    "{path} lacks files of its own history ({said}): run `git -C {where} fsck`, or clone again without --filter"
)


class MissingContentError(SourceError):
    """The clone does not hold the content of a file that its history names."""


def failure(path: Path, code: int, stderr: str) -> SourceError:
    """The error to raise for a git that ended with `code` on the clone at `path` and said `stderr`."""
    if code < 0:
        return SourceError(f"git was ended by signal {-code} while it read {path}: see that it has memory enough")
    where = shlex.quote(str(path))
    trusted = _TRUSTED.search(stderr)
    told = {"path": path, "where": where, "said": _essence(stderr), "trusted": trusted[1].strip() if trusted else where}
    for pattern, line in _FORMS:
        if re.search(pattern, stderr):
            return SourceError(line.format(**told))
    if _ABSENT.search(stderr) and not _DAMAGED.search(stderr):
        return MissingContentError(_NO_CONTENT.format(**told))
    return SourceError(_OTHER.format(**told))


def _essence(stderr: str) -> str:
    """The line of git's complaint that says most: its last fatal or error line, cut to a readable length."""
    lines = [" ".join(line.split()) for line in stderr.splitlines() if line.strip()]
    grave = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return (grave or lines or ["it said nothing"])[-1][:_LONGEST]
