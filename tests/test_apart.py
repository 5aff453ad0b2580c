"""Digests are made in a process of their own: what ends it ends nothing else, and it outlives nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Timer

import pytest

from bot.apart import ApartError, EditionsApart
from bot.catalogue import catalogue
from bot.config import Config, load
from bot.desks import UsageError
from bot.editions import Editions, NoDigestError
from bot.models import Period
from bot.periods import last_week
from bot.ports import SourceError
from bot.store.store import Store
from bot.store.subscriptions import Subscription
from bot.subscriptions import configured
from tests.bot_process import until
from tests.factories import ZONE
from tests.installation import ChannelEntry, Installation, SlackSection, install

NOW = datetime.now(UTC).replace(microsecond=0)
WEEK = last_week(NOW, ZONE)
LONG = timedelta(seconds=60)
PARENT = """
import os, sys, time
from datetime import UTC, datetime, timedelta
from multiprocessing import active_children
from pathlib import Path
from bot.apart import EditionsApart
from bot.config import load
from bot.periods import last_week
apart = EditionsApart(load(Path(sys.argv[1]), os.environ), lambda: datetime.now(UTC), timedelta(seconds=60))
apart.refresh("acme/engine", last_week(datetime.now(UTC), "Asia/Shanghai"))
print(active_children()[0].pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def installed(tmp_path: Path) -> Installation:
    return install(tmp_path, SlackSection("http://127.0.0.1:9/"), [ChannelEntry("C1")], now=NOW)


def config_of(installed: Installation) -> Config:
    return load(installed.config, os.environ | dict(installed.environ))


@contextmanager
def apart(config: Config, limit: timedelta = LONG) -> Iterator[EditionsApart]:
    made = EditionsApart(config, lambda: NOW, limit)
    try:
        yield made
    finally:
        made.stop()


def subscription(config: Config) -> Subscription:
    with Store.open(config.database.url.get_secret_value()) as store:
        subscriptions = store.subscriptions()
        subscriptions.seed(configured(config, NOW), NOW)
        (one,) = subscriptions.all()
    return one


def process() -> BaseProcess:
    (found,) = active_children()
    return found


def is_running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_digest_is_the_same_as_made_here(installed: Installation) -> None:
    config = config_of(installed)
    asked = subscription(config)
    with apart(config) as there, Store.open(config.database.url.get_secret_value()) as store:
        assert there.of(asked, WEEK) == Editions(store, catalogue(config), lambda: NOW).of(asked, WEEK)
        assert there.of(replace(asked, exclude_paths=("engine/",)), WEEK) != there.of(asked, WEEK)


def test_what_cannot_be_read_is_said_as_here(installed: Installation) -> None:
    config = config_of(installed)
    asked = replace(subscription(config), repositories=("acme/gone",))
    with apart(config) as there:
        with pytest.raises(NoDigestError, match="acme/gone: not in the configuration any more"):
            there.of(asked, WEEK)
        (installed.config.parent / "engine.git").rename(installed.config.parent / "moved.git")
        with pytest.raises((SourceError, UsageError), match=r"engine\.git"):
            there.refresh("acme/engine", WEEK)


def test_a_process_that_dies_is_replaced(installed: Installation) -> None:
    config = config_of(installed)
    asked = subscription(config)
    with apart(config) as there:
        first = there.of(asked, WEEK)
        os.kill(process().pid or 0, signal.SIGSTOP)
        Timer(0.3, process().kill).start()
        with pytest.raises(ApartError, match=r"ended in the middle of of \(exit code -9\)"):
            there.of(asked, WEEK)
        assert there.of(asked, WEEK) == first


def test_a_process_that_hangs_is_ended(installed: Installation) -> None:
    config = config_of(installed)
    asked = subscription(config)
    with apart(config, timedelta(seconds=8)) as there:
        first = there.of(asked, WEEK)
        hung = process()
        os.kill(hung.pid or 0, signal.SIGSTOP)
        with pytest.raises(ApartError, match="took longer than 0:00:08"):
            there.of(asked, WEEK)
        hung.join(5)
        assert hung.exitcode == -signal.SIGKILL
        assert there.of(asked, WEEK) == first


def test_what_is_stopped_does_nothing_more(installed: Installation) -> None:
    config = config_of(installed)
    with apart(config) as there:
        there.refresh("acme/engine", WEEK)
        running = process()
        there.stop()
        running.join(5)
        assert not running.is_alive()
        with pytest.raises(ApartError, match="being stopped"):
            there.refresh("acme/engine", WEEK)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_it_ends_with_the_process_that_began_it(installed: Installation) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, installed.config],
        env=os.environ | dict(installed.environ),
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
    until(lambda: not is_running(pid), 10, "the process ended")


def test_a_digest_is_made_once_for_all_that_read_the_same(installed: Installation) -> None:
    config = config_of(installed)
    asked = subscription(config)
    with Store.open(config.database.url.get_secret_value()) as store:
        editions = Editions(store, catalogue(config), lambda: NOW)
        (first, *_), (second, *_) = (editions.of(replace(asked, channel=channel), WEEK) for channel in ("C1", "C2"))
        assert first is second
        (other, *_) = editions.of(asked, Period(WEEK.since - timedelta(weeks=1), WEEK.since, ZONE))
        assert other != first
