"""What is measured on: a clone and a store of each size, invented or named by the environment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from bot import jobs
from bot.analysis import rules
from bot.models import Period
from bot.periods import last_week
from bot.ports import Silent
from bot.sources.clone import CloneSource
from bot.store.store import Store
from tests.bench import repository

REPOSITORY = "acme/engine"
ZONE = "Asia/Shanghai"
_NAMED = {"small": "DIGEST_BOT_BENCH_SMALL", "large": "DIGEST_BOT_BENCH_LARGE"}
_SIZES = {"small": repository.SMALL, "large": repository.LARGE}


@dataclass(frozen=True, slots=True)
class Input:
    """A clone, and a store that holds all of it, assessed."""

    clone: Path
    store: Store
    pull_requests: int


@dataclass(frozen=True, slots=True)
class Inputs:
    """Both sizes, and the week that is measured: the newest whole one of the smaller, which the larger has too."""

    small: Input
    large: Input
    period: Period


@contextmanager
def prepared() -> Iterator[Inputs]:
    """Everything in a temporary folder, gone afterwards. Takes a minute or two and says so on stderr."""
    with TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        clones = {size: _clone(size, folder) for size in _SIZES}
        small, large = (_filled(size, clone, folder, stack) for size, clone in clones.items())
        yield Inputs(small, large, last_week(_newest(small.clone), ZONE))


def _clone(size: str, folder: Path) -> Path:
    if named := os.environ.get(_NAMED[size]):
        return Path(named)
    _say(f"inventing a repository of {_SIZES[size]} pull requests")
    path = folder / f"{size}.git"
    repository.write(path, _SIZES[size])
    return path


def _filled(size: str, clone: Path, folder: Path, stack: ExitStack) -> Input:
    _say(f"syncing the {size} one")
    store = stack.enter_context(Store.open(f"sqlite:///{folder / size}.db"))
    source, until = CloneSource(clone), _newest(clone) + timedelta(seconds=1)
    target = jobs.Target(REPOSITORY, source, store, rules.load())
    since = source.begins_at()
    jobs.sync(target, since, until, now=until, progress=Silent())
    week = last_week(until, ZONE)
    jobs.read_diffs(target, week.since, week.until, Silent())
    return Input(clone, store, len(store.pull_requests(REPOSITORY, since, until, with_files=False)))


def _newest(clone: Path) -> datetime:
    command = ["git", "-C", str(clone), "log", "-1", "--format=%cI"]
    return datetime.fromisoformat(subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip())


def _say(line: str) -> None:
    print(f"… {line}", file=sys.stderr, flush=True)  # noqa: T201 - the bench talks to whoever started it
