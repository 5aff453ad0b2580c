"""A bot that ends as in a power cut at one chosen place, once: Python for the `before` of `Installation.bot`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.bot_process import Bot
from tests.slack_faults import QUICK

IMPATIENT = """
from dataclasses import replace
from datetime import timedelta
import bot.run
import bot.store.inbox
bot.run.PATIENCE = replace(bot.run.PATIENCE, lease=timedelta(seconds=4), building=timedelta(seconds=4))
bot.store.inbox.Holder.__init__.__defaults__ = (timedelta(seconds=3),)
"""
"""Leases of seconds, so that the next start soon takes over: for calls that Slack answers at once."""

_HOOK = """
import os, pathlib, signal, time
from {module} import {owner} as _Owner

_allowed, _ended = pathlib.Path({allowed!r}), pathlib.Path({ended!r})
_original, _calls = _Owner.{method}, []


def _end():
    if _ended.exists():
        return
    while not _allowed.exists():
        time.sleep(0.01)
    _ended.touch()
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def _crashing(*args, **named):
    _calls.append(1)
    here = len(_calls) == {nth}
    if here and {before}:
        _end()
    found = _original(*args, **named)
    if here and not {before}:
        _end()
    return found


_Owner.{method} = _crashing
"""


@dataclass(frozen=True)
class Crash:
    """Before or after the `nth` call of a method: `before bot.x:Class.method`. It waits until `expect` allows it."""

    folder: Path
    place: str
    nth: int = 1

    @property
    def before(self) -> str:
        """The Python, with short leases."""
        moment, _, where = self.place.partition(" ")
        module, _, name = where.partition(":")
        owner, _, method = name.partition(".")
        assert moment in {"before", "after"}
        hook = _HOOK.format(
            module=module,
            owner=owner,
            method=method,
            nth=self.nth,
            before=moment == "before",
            allowed=str(self._allowed),
            ended=str(self._ended),
        )
        return QUICK + IMPATIENT + hook

    def allow(self) -> None:
        """From now on the bot ends when it comes there."""
        self.folder.mkdir(exist_ok=True)
        self._allowed.touch()

    def kill(self, bot: Bot, seconds: float = 20.0) -> None:
        """Let the bot end there."""
        self.allow()
        assert bot.wait(seconds) == -9, bot.log
        assert self._ended.exists()

    def expect(self, bot: Bot, seconds: float = 20.0) -> None:
        """Let the bot end there, and start it again."""
        self.kill(bot, seconds)
        bot.start()

    @property
    def _allowed(self) -> Path:
        return self.folder / "crash-allowed"

    @property
    def _ended(self) -> Path:
        return self.folder / "crashed"
