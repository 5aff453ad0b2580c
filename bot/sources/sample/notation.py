"""The notation in which the sample's weeks are written: one block of lines for a pull request.

    3112 Mon 17:30 2d wei-ling lin-qiao,sasha-t | A title
      windlass/scheduler/policy.py +19 -3
      A tests/scheduler/test_policy.py +44
      base release-0.11
      > One line of the body.
      review noor-a CHANGES_REQUESTED -20h | Why.
      thread open windlass/scheduler/policy.py
        noor-a -20h | A remark on that file.
      comment noor-a +3h | A remark on the whole.

The first line has the number, local day and time of merging, how long it was open, author, who approved without a word
("-": nobody) and the title. A and D mark added and deleted files. Times of remarks count from merging.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from bot.models import ChangedFile, FileStatus

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_HEAD = re.compile(r"(\d+) ([A-Z][a-z]{2} \d\d:\d\d) (\d+[mhd]) (\S+) (\S+) \| (.+)")
_FILE = re.compile(r"(?:([AD]) )?(\S+)(?: \+(\d+))?(?: -(\d+))?")
_REMARK = re.compile(r"(\S+)(?: ([A-Z_]+))? ([-+]\d+[mhd])(?: \| (.+))?")
_THREAD = re.compile(r"(open|resolved) (\S+)")
_ESCAPE = re.compile(r"\\u\{([0-9a-f]+)\}")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_STATUS: dict[str | None, FileStatus] = {None: "modified", "A": "added", "D": "removed"}


@dataclass(frozen=True, slots=True)
class Remark:
    """What somebody said, `after` the merge (negative: before it). `state` is that of a review."""

    author: str
    after: timedelta
    text: str
    state: str = ""


@dataclass(frozen=True, slots=True)
class Thread:
    path: str
    resolved: bool
    remarks: list[Remark] = field(default_factory=list)


@dataclass(slots=True)
class Entry:
    """A pull request as written. `merged` is the time since Monday 00:00 by the local clock."""

    number: int
    merged: timedelta
    opened: timedelta
    author: str
    approvers: tuple[str, ...]
    title: str
    base: str | None = None
    body: list[str] = field(default_factory=list)
    files: list[ChangedFile] = field(default_factory=list)
    reviews: list[Remark] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    comments: list[Remark] = field(default_factory=list)


def read_entries(text: str) -> Iterator[Entry]:
    """The pull requests of a text in its order. Raises ValueError for a line that the notation does not know."""
    entry: Entry | None = None
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if not line.startswith(" "):
            if entry is not None:
                yield entry
            entry = _head(line)
        elif entry is None:
            raise ValueError(f"belongs to no pull request: {line!r}")
        else:
            _add(line, entry)
    if entry is not None:
        yield entry


def since_monday(text: str) -> timedelta:
    """The time by the clock since Monday 00:00 of "Wed 18:00". Raises ValueError."""
    day, _, clock = text.partition(" ")
    hours, minutes = clock.split(":")
    return timedelta(days=DAYS.index(day), hours=int(hours), minutes=int(minutes))


def _head(line: str) -> Entry:
    number, merged, opened, author, approvers, title = _parts(_HEAD, line)
    return Entry(
        int(number),
        since_monday(merged),
        _duration(opened),
        author,
        () if approvers == "-" else tuple(approvers.split(",")),
        _ESCAPE.sub(lambda found: chr(int(found[1], 16)), title),
    )


def _add(line: str, entry: Entry) -> None:
    """Take one indented line into the entry."""
    text = line.strip()
    if line.startswith("    "):
        if not entry.threads:
            raise ValueError(f"belongs to no thread: {line!r}")
        entry.threads[-1].remarks.append(_remark(text))
        return
    word, _, rest = text.partition(" ")
    match word:
        case ">":
            entry.body.append(rest)
        case "base":
            entry.base = rest
        case "review":
            entry.reviews.append(_remark(rest))
        case "comment":
            entry.comments.append(_remark(rest))
        case "thread":
            state, path = _parts(_THREAD, rest)
            entry.threads.append(Thread(path, state == "resolved"))
        case _:
            entry.files.append(_file(text))


def _file(text: str) -> ChangedFile:
    mark, path, additions, deletions = _parts(_FILE, text)
    return ChangedFile(path, int(additions or 0), int(deletions or 0), _STATUS[mark])


def _remark(text: str) -> Remark:
    author, state, after, said = _parts(_REMARK, text)
    return Remark(author, _duration(after), said or "", state or "")


def _duration(text: str) -> timedelta:
    """The duration of "3d", "-20h", "+45m"."""
    return timedelta(**{_UNITS[text[-1]]: int(text[:-1])})


def _parts(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(f"not in the sample's notation: {text!r}")
    return found.groups()
