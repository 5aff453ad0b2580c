"""An invented repository of any length, the same on every run: a shorter one is the newest part of a longer one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate
from pathlib import Path
from random import Random

SMALL, LARGE = 3_724, 18_593
ENDS = datetime(2026, 6, 1, tzinfo=UTC)
"""A Monday; the newest pull request was merged shortly before."""

_PER_WEEK = 250
_MODULES = 3_000
_FILES = 8  # changed by a pull request on average
_LINES = 60  # of a file when it is new
_EVEN = 20  # the hottest file is in one pull request of twelve
_PER_RELEASE = 500  # pull requests
_PARTS = ("api", "cache", "cli", "config", "core", "device", "graph", "io", "kernel", "memory", "model", "net", "ops")
_THINGS = ("allocator", "batcher", "encoder", "exporter", "planner", "registry", "router", "sampler", "scheduler")
_DONE = ("Fix the", "[Bugfix] Mend the", "Add a", "Support the", "Refactor the", "Remove the old", "Speed up the")

Lines = list[bytes]


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines of a file from `first` on (as a share of its length) that are replaced by new ones."""

    path: str
    first: float
    removed: int
    added: int


@dataclass(frozen=True, slots=True)
class Change:
    """One squashed pull request."""

    number: int
    title: str
    author: str
    merged_at: int
    edits: tuple[Edit, ...]


def write(path: Path, count: int) -> None:
    """Make a bare repository at `path` that holds the newest `count` of LARGE pull requests, and what came before."""
    settings = ("-c", "core.compression=1", "-c", "pack.compression=1")
    _git("init", "--quiet", "--bare", "--initial-branch=main", str(path))
    with subprocess.Popen(
        ["git", *settings, "-C", str(path), "fast-import", "--quiet"], stdin=subprocess.PIPE, env=_environment()
    ) as process:
        if process.stdin is None:
            raise TypeError("the process was started without a pipe")
        for part in _stream(count):
            process.stdin.write(part)
        process.stdin.close()
    if process.returncode:
        raise RuntimeError(f"git fast-import ended with {process.returncode}")


@cache
def changes() -> tuple[Change, ...]:
    """All LARGE pull requests, oldest first."""
    random = Random(18_593)
    ranks = list(accumulate(1 / (rank + _EVEN) for rank in range(_MODULES)))
    people = list(accumulate(1 / rank for rank in range(1, 301)))
    step = timedelta(weeks=1) / _PER_WEEK
    made: list[Change] = []
    for index in range(LARGE):
        title = f"{random.choice(_DONE)} {random.choice(_THINGS)} of {random.choice(_PARTS)}"
        if made and random.random() < 0.01:
            title = f'Revert "{made[-random.randint(1, min(60, len(made)))].title}"'
        author = f"Dev {random.choices(range(300), cum_weights=people)[0]}"
        merged_at = int((ENDS - step * (LARGE - index)).timestamp())
        made.append(Change(1_000 + 2 * index, title, author, merged_at, tuple(_edits(random, ranks))))
    return tuple(made)


def _edits(random: Random, ranks: list[float]) -> Iterator[Edit]:
    touched = min(60, 1 + int(random.expovariate(1 / (_FILES - 1.5))))
    modules = dict.fromkeys(random.choices(range(_MODULES), cum_weights=ranks, k=touched))
    paths = [_path(module) for module in modules]
    if random.random() < 0.4:
        paths.append(paths[0].replace("engine/", "tests/").replace("unit_", "test_unit_"))
    if random.random() < 0.03:
        paths.append("requirements.txt")
    for path in paths:
        size = 1 + int(random.expovariate(1 / 12))
        yield Edit(path, random.random(), random.randint(0, size), size)


def _path(module: int) -> str:
    part, folder = _PARTS[module % len(_PARTS)], _THINGS[module // len(_PARTS) % len(_THINGS)]
    return f"engine/{part}/{folder}/unit_{module}.py"


def _stream(count: int) -> Iterator[bytes]:
    """What `git fast-import` reads."""
    everything = changes()
    before, wanted = everything[: LARGE - count], everything[LARGE - count :]
    tree: dict[str, Lines] = {}
    for change in before:
        _apply(change, tree)
    start = wanted[0].merged_at - 60
    yield _commit(1, "Import the sources", "Dev 0", start, {path: tree[path] for path in tree})
    for mark, change in enumerate(wanted, 2):
        yield _commit(mark, f"{change.title} (#{change.number})", change.author, change.merged_at, _apply(change, tree))
        if (LARGE - count + mark) % _PER_RELEASE == 0:
            yield b"reset refs/tags/v0.%d.0\nfrom :%d\n\n" % ((LARGE - count + mark) // _PER_RELEASE, mark)


def _apply(change: Change, tree: dict[str, Lines]) -> dict[str, Lines]:
    """Edit the files of a tree, and give those that changed."""
    for edit in change.edits:
        lines = tree.setdefault(edit.path, [b"line %d of the unit" % number for number in range(_LINES)])
        first = int(edit.first * len(lines))
        # A file neither dies out nor grows without end.
        removed = edit.removed if len(lines) < 2 * _LINES else edit.added
        lines[first : first + removed] = [b"value_%d = %d" % (change.number, number) for number in range(edit.added)]
    return {edit.path: tree[edit.path] for edit in change.edits}


def _commit(mark: int, message: str, author: str, at: int, files: dict[str, Lines]) -> bytes:
    person = b"%s <%s@users.example> %d +0000" % (author.encode(), author.lower().replace(" ", ".").encode(), at)
    head = b"commit refs/heads/main\nmark :%d\nauthor %s\ncommitter %s\n%s" % (
        mark, person, person, _data(message.encode()),
    )  # fmt: skip
    return head + b"".join(_files(files.items())) + b"\n"


def _files(files: Iterable[tuple[str, Lines]]) -> Iterator[bytes]:
    for path, lines in files:
        yield b"M 100644 inline %s\n%s" % (path.encode(), _data(b"\n".join((*lines, b""))))


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, env=_environment())


def _environment() -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return clean | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
