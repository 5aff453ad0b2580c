"""Two bots on one PostgreSQL: one suspended or cut off, and events that come to both, again and backwards."""

from __future__ import annotations

import signal
import time
from pathlib import Path

from tests.database import new_database
from tests.slack_answers import answered_once
from tests.slack_crashes import IMPATIENT
from tests.slack_faults import QUICK, owed


def test_the_frozen_connection_of_one_costs_no_question(tmp_path: Path) -> None:
    with owed(tmp_path, database=new_database()) as team:
        second = team.installation.replica()
        with team.installation.bot(before=QUICK), second.bot(before=QUICK):
            team.slack.until(lambda: team.slack.connected() == 2)
            team.slack.connections.open()[0].frozen = True
            asked = [team.slack.say(team.channel, team.zhang, f"hot {n}", mention=True) for n in range(1, 5)]
            began = time.monotonic()
            team.slack.until(lambda: sum(not c.frozen for c in team.slack.connections.open()) == 2, 10)
            assert time.monotonic() - began < 10
            answered_once(team, *asked)
            team.complete()


def test_every_event_comes_to_both(tmp_path: Path) -> None:
    with owed(tmp_path, database=new_database()) as team:
        second = team.installation.replica()
        with team.installation.bot(before=QUICK), second.bot(before=QUICK):
            team.slack.until(lambda: team.slack.connected() == 2)
            team.slack.hold()
            asked = [team.slack.say(team.channel, team.zhang, f"hot {n}", mention=True) for n in range(1, 5)]
            for ts in asked:
                team.slack.redeliver(ts)
            team.slack.release(backwards=True)
            answered_once(team, *asked)
            used = {attempt.connection for ts in asked for one in team.slack.events_of(ts) for attempt in one.attempts}
            assert len(used) == 2
            team.complete()


def test_one_is_suspended_past_its_lease_and_its_copy_is_withdrawn(tmp_path: Path) -> None:
    waiting = tmp_path / "waiting"
    late = f"""
import os, pathlib, signal
from bot.platforms.slack.api import SlackApi
_write, _calls = SlackApi.write, []
def _suspended(self, method, body):
    _calls.append(method)
    if _calls.count("chat.postMessage") == 3 and method == "chat.postMessage":
        pathlib.Path({str(waiting)!r}).touch()
        os.kill(os.getpid(), signal.SIGSTOP)
    return _write(self, method, body)
SlackApi.write = _suspended
"""
    with owed(tmp_path, database=new_database()) as team:
        second = team.installation.replica()
        with team.installation.bot(before=QUICK + IMPATIENT + late) as one:
            team.slack.until(waiting.exists, 30)
            with second.bot(before=QUICK + IMPATIENT):
                team.complete()
                one.signal(signal.SIGCONT)  # it sends what it was about to send, and finds that its claim is lost
                one.says("was taken over", 20)
                team.slack.until(lambda: max(team.slack.keys(team.channel).values()) == 1, 10)
                assert team.is_complete()
                assert team.slack.calls("chat.delete"), "there was a copy"
