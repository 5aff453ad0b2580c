"""Stopped or killed at any moment: the digest goes on where it ended, and the answer under way is finished."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.slack_answers import answered_once, answers, slow
from tests.slack_crashes import IMPATIENT
from tests.slack_faults import QUICK, owed


@pytest.mark.parametrize(("how", "visible"), [("stop", 1), ("stop", 4), ("kill", 1), ("kill", 5)])
def test_a_delivery_goes_on_where_it_ended(tmp_path: Path, how: str, visible: int) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK + IMPATIENT) as bot:
        team.slack.until(lambda: len(team.shown()) >= visible, 30)
        if how == "kill":
            bot.kill()
        else:
            assert bot.stop() == 0
        bot.start()
        team.complete()


def test_a_stop_finishes_the_answer_that_is_being_made(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK + slow("hot")) as bot:
        team.complete()
        team.slack.until(team.slack.connected)
        ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
        team.slack.until(lambda: all(one.acked for one in team.slack.events_of(ts)))
        assert bot.stop() == 0
        assert len(answers(team, ts)) == 1
        bot.start()
        team.slack.until(team.slack.connected)
        answered_once(team, ts)
