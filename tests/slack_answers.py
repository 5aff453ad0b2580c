"""Answers in the fault tests: slow ones, those to one question, and all of Slack's repetitions behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bot_process import Bot
from tests.doubles.slack import Message, Slack
from tests.slack_faults import QUICK, Owed, owed

SLOW = """
import time
from bot.conversing.respond import Conversing
_respond = Conversing.respond
def _slowly(self, incoming):
    if {words!r} in incoming.text:
        time.sleep(2.5)
    return _respond(self, incoming)
Conversing.respond = _slowly
"""
REPEATED = 61.0  # seconds after which Slack delivers the second time what was not acknowledged


@contextmanager
def answering(folder: Path) -> Iterator[tuple[Owed, Bot]]:
    """A bot with its digest behind it, for which `top 7` is slow."""
    with owed(folder) as team, team.installation.bot(before=QUICK + slow("top 7")) as bot:
        team.complete()
        team.slack.until(team.slack.connected)
        yield team, bot


def slow(words: str) -> str:
    """For the `before` of a bot: a question with these words takes so long that Slack is told that one is made."""
    return SLOW.format(words=words)


def answers(team: Owed, ts: str) -> list[Message]:
    """What the bot says in the thread of a message."""
    return [one for one in team.slack.messages(team.channel, thread=ts) if one.app_id]


def aside(team: Owed) -> list[Message]:
    """What the bot shows to one person alone."""
    return [one for one in team.slack.by_app(team.channel) if one.to == team.zhang]


def answered_once(team: Owed, *asked: str, seconds: float = 30.0) -> None:
    """Wait for the answers to messages; each stays one when all that Slack repeats was repeated, and once more."""
    repeated(team.slack, seconds)
    team.slack.until(lambda: all(answers(team, ts) for ts in asked), seconds)
    for ts in asked:
        team.slack.redeliver(ts)
    repeated(team.slack, seconds)
    team.slack.rest(1)
    assert [len(answers(team, ts)) for ts in asked] == [1] * len(asked)


def repeated(slack: Slack, seconds: float = 30.0) -> None:
    """Move the double's clock on whenever it waits for nothing else, until everything is acknowledged or given up."""

    def idle() -> bool:
        if slack.deliveries.idle():
            return True
        if all(attempt.outcome for one in list(slack.deliveries.all) for attempt in list(one.attempts)):
            slack.advance(REPEATED)
        return False

    slack.until(idle, seconds, "the end of Slack's repetitions")
