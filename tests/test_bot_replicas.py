"""Two bots on one PostgreSQL, also while one of them fails: one digest, each question answered once."""

from __future__ import annotations

from pathlib import Path

from tests.database import new_database
from tests.slack_answers import answered_once, answers
from tests.slack_crashes import IMPATIENT, Crash
from tests.slack_faults import QUICK, owed

SENT = "after bot.platforms.slack.send:SlackPlatform.send"


def test_two_bots_on_one_database_do_everything_once(tmp_path: Path) -> None:
    with owed(tmp_path, database=new_database()) as team:
        second = team.installation.replica()
        with team.installation.bot(before=QUICK + IMPATIENT) as one, second.bot(before=QUICK + IMPATIENT):
            team.slack.until(lambda: team.slack.connected() == 2)
            team.complete()
            asked = [team.slack.say(team.channel, team.zhang, f"hot {n}", mention=True) for n in range(1, 9)]
            for ts in asked:
                team.slack.redeliver(ts)
                team.slack.redeliver(ts)
            team.slack.until(lambda: all(answers(team, ts) for ts in asked), 30)
            one.kill()
            late = team.slack.say(team.channel, team.zhang, "risks", mention=True)
            team.slack.until(lambda: answers(team, late), 60)
            answered_once(team, *asked, late)
            assert team.is_complete()


def test_one_is_killed_between_sending_and_recording_and_the_other_goes_on(tmp_path: Path) -> None:
    crash = Crash(tmp_path / "crash", SENT, 3)
    with owed(tmp_path, database=new_database()) as team:
        second = team.installation.replica()
        with team.installation.bot(before=crash.before) as one:
            crash.kill(one)
            stood = [message.ts for message in team.shown()]
            assert len(stood) == 3
            with second.bot(before=QUICK + IMPATIENT):
                team.complete()
            assert [message.ts for message in team.shown()][:3] == stood
