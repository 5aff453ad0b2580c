"""The figures of a bot in Slack: how soon it acknowledges and answers, alone and with fifty at once on a busy bot."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from tests.bench.figures import Figure
from tests.bench.inputs import REPOSITORY, ZONE, Inputs
from tests.bot_process import free_port
from tests.doubles.slack import Slack
from tests.installation import ChannelEntry, Installation, SlackSection

USERS = 50
_EACH = 12  # commands of each of the fifty
_ALONE = 40
_CHANNELS = 12  # each is owed a digest while the fifty ask
_SHIFTED = """
import datetime, bot.run
class Shifted(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.now(tz) - datetime.timedelta(seconds={seconds})
bot.run.datetime = Shifted
"""
"""A bot for which the week that is measured is the last one: the digests are as long as digests are."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """Seconds from sending a command to its acknowledgement, and to its answer."""

    acked: list[float]
    answered: list[float]


def figures(inputs: Inputs) -> Iterator[Figure]:
    """A command alone on a quiet bot, then fifty users at once while digests are built and posted."""
    with TemporaryDirectory() as name, Slack() as slack:
        users = [slack.user(f"user{number}") for number in range(USERS)]
        quiet, *channels = [slack.channel(f"channel{number}", users) for number in range(1 + _CHANNELS)]
        before = _SHIFTED.format(seconds=(datetime.now(UTC) - _today(inputs)).total_seconds())
        with _quiet(_installed(Path(name, "quiet"), slack, [quiet], inputs), slack, before):
            alone = _asked(slack, quiet, users[0], _commands(inputs, _ALONE))
            yield _slowest("a stored command in Slack, alone: answered, p95", alone.answered, 0.95, 500)
        installation = _installed(Path(name, "busy"), slack, channels, inputs)
        installation.owe(_today(inputs))
        with installation.bot(before=before, ready=60) as bot:
            slack.until(slack.connected)
            already = slack.until(lambda: _posted(slack) - {quiet}, 120)  # the repository is read: now they are built
            busy = _all_at_once(slack, channels, users, inputs)
            kept = _kept(bot.get("/metrics")[1])
            assert "could not be kept" not in bot.log, bot.log  # an apology comes fast
            meanwhile = len(_posted(slack) - already - {quiet})
        note = f"{len(busy.acked)} commands, {meanwhile} of {_CHANNELS} digests came meanwhile"
        yield _slowest("50 users at once: acknowledged, p99", busy.acked, 0.99, 1000, note)
        yield Figure("50 users at once: kept later than 100 ms", kept[1], 0, " %", f"{kept[0]} events")
        yield _slowest("50 users at once: answered, median", busy.answered, 0.5, 5000)


def _today(inputs: Inputs) -> datetime:
    """The Monday morning after the week that is measured."""
    return inputs.period.until + timedelta(hours=10)


def _posted(slack: Slack) -> set[str]:
    """The channels in which a digest stands."""
    return {message.channel for message in slack.by_app() if message.metadata and not message.thread_ts}


def _installed(folder: Path, slack: Slack, channels: list[str], inputs: Inputs) -> Installation:
    folder.mkdir()
    inputs.small.store.backup(folder / "bot.db")
    section = SlackSection(slack.api_url)
    port = free_port()
    due = ChannelEntry("", (REPOSITORY,)).due_before(_today(inputs), timedelta(minutes=30))
    values = {
        "timezone": ZONE,
        "database": {"url": "sqlite:///bot.db"},
        "repositories": [{"name": REPOSITORY, "source": "clone", "path": str(inputs.small.clone)}],
        "slack": section.section,
        "server": {"port": port},
        "channels": [  # each leaves out something else, so that each digest is made by itself
            {**due.entry, "id": channel, "exclude": {"authors": [f"nobody{place}"]}}
            for place, channel in enumerate(channels)
        ],
    }
    config = folder / "config.yaml"
    config.write_text(json.dumps(values), encoding="utf-8")
    return Installation(config, port, values, section.environ)


@contextmanager
def _quiet(installation: Installation, slack: Slack, before: str) -> Iterator[None]:
    """A bot whose subscription is new, with its first digest behind it."""
    with installation.bot(before=before, ready=60):
        slack.until(slack.connected)
        slack.until(lambda: _posted(slack), 120)
        time.sleep(15)  # the last replies of the threads
        yield


def _commands(inputs: Inputs, count: int) -> list[str]:
    year, week, _ = inputs.period.since.isocalendar()
    of_week = f"week={year}-W{week:02}"
    return list(islice(cycle((f"risks {of_week}", f"top 5 {of_week}", f"hot {of_week}", "help", "status")), count))


def _all_at_once(slack: Slack, channels: list[str], users: list[str], inputs: Inputs) -> _Measured:
    with ThreadPoolExecutor(len(users)) as pool:
        asked = [
            pool.submit(_asked, slack, channels[place % len(channels)], user, _commands(inputs, _EACH))
            for place, user in enumerate(users)
        ]
        done = [one.result() for one in asked]
    return _Measured([s for one in done for s in one.acked], [s for one in done for s in one.answered])


def _asked(slack: Slack, channel: str, user: str, commands: list[str]) -> _Measured:
    """One user's commands, each after the answer to the one before."""
    measured = _Measured([], [])
    for command in commands:
        before, began = _seen(slack, channel, user), time.monotonic()
        delivery = slack.slash(channel, user, command)
        _wait(lambda before=before: _seen(slack, channel, user) > before)  # type: ignore[misc]  # bound at once
        measured.answered.append(time.monotonic() - began)
        measured.acked.append(delivery.latency or 0.0)
    return measured


def _seen(slack: Slack, channel: str, user: str) -> int:
    return sum(message.to == user for message in slack.messages(channel, user=user))


def _kept(metrics: str) -> tuple[int, float]:
    """How many events were kept before they were acknowledged, and how many percent of them took over 100 ms."""
    counts = {
        edge: float(value)
        for edge, value in re.findall(
            r'^digest_bot_keep_seconds_bucket\{le="([^"]+)".*\} (\S+)$', metrics, re.MULTILINE
        )
    }
    return int(counts["+Inf"]), 100 * (1 - counts["0.1"] / counts["+Inf"])


def _wait(condition: Callable[[], bool], limit: float = 60.0) -> None:
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("a command was not answered")
        time.sleep(0.02)


def _slowest(name: str, seconds: list[float], share: float, bar: float, note: str = "") -> Figure:
    """A quantile in milliseconds, the slowest beside it."""
    found = quantiles(seconds, n=100, method="inclusive")[round(share * 100) - 1] * 1000
    slowest = f"slowest {max(seconds) * 1000:.0f} ms of {len(seconds)}"
    return Figure(name, found, bar, " ms", f"{slowest}; {note}" if note else slowest)
