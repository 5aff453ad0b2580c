"""The bot is stopped or killed while it posts and answers: nothing is lost, nothing is said twice."""

from __future__ import annotations

import time
from pathlib import Path

from tests.slack_answers import answered_once, answers, slow
from tests.slack_crashes import IMPATIENT
from tests.slack_faults import QUICK, owed

POST = "chat.postMessage"
HURRIED = "import bot.run\nbot.run._DEADLINE = 3.0\n"


def test_what_was_asked_before_a_power_cut_is_answered_after_it(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK + IMPATIENT) as bot:
        team.complete()
        asked = [team.slack.say(team.channel, team.zhang, f"hot {n}", mention=True) for n in range(1, 9)]
        team.slack.until(lambda: sum(any(d.acked for d in team.slack.events_of(ts)) for ts in asked) >= 3)
        bot.kill()
        bot.start()
        team.slack.until(team.slack.connected)
        for ts in asked:
            if not any(d.acked for d in team.slack.events_of(ts)):
                team.slack.redeliver(ts)
        answered_once(team, *asked, seconds=60)


def test_an_old_thread_and_an_old_question_are_known_after_a_restart(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK) as bot:
        team.complete()
        root = team.shown()[0]
        ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
        team.slack.until(lambda: answers(team, ts))
        assert bot.stop() == 0
        bot.start()
        team.slack.until(team.slack.connected)
        before = len(answers(team, root.ts))
        team.slack.say(team.channel, team.zhang, "#22 有什么风险？", thread=root.ts)
        team.slack.until(lambda: len(answers(team, root.ts)) == before + 1, 15)
        answered_once(team, ts)


# SIGTERM in the middle of work


def test_a_stop_waits_for_the_post_that_is_under_way(tmp_path: Path) -> None:
    with owed(tmp_path) as team:
        team.slack.fail(POST, "late", after=3, skip=2)
        with team.installation.bot(before=QUICK) as bot:
            team.slack.until(lambda: len(team.shown()) == 3, 30)
            assert bot.stop() == 0
            assert len(team.slack.calls(POST)) == 3, "nothing more is begun"
            assert team.recorded() == [one.ts for one in team.shown()], "its answer was waited for and noted"
            bot.start()
            team.complete()
            assert len(team.slack.calls(POST)) == len(team.shown()), "what was answered late is not sent again"


def test_a_stop_does_not_wait_for_what_slack_has_put_off(tmp_path: Path) -> None:
    with owed(tmp_path) as team:
        team.slack.fail(POST, "ratelimited", after=60, skip=2)
        with team.installation.bot(before=QUICK) as bot:
            bot.says("is tried again", 30)
            began = time.monotonic()
            assert bot.stop() == 0
            assert time.monotonic() - began < 8
            assert team.states() == ["sending"]
        assert len(team.shown()) == 2


def test_what_a_stop_has_no_time_for_is_answered_after_the_next_start(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK + slow("hot") + HURRIED) as bot:
        team.complete()
        asked = [team.slack.say(team.channel, team.zhang, f"hot {n}", mention=True) for n in range(1, 5)]
        team.slack.until(lambda: all(one.acked for ts in asked for one in team.slack.events_of(ts)))
        assert bot.stop() == 0
        assert "left for the next start" in bot.log
        left = [ts for ts in asked if not answers(team, ts)]
        assert 0 < len(left) < len(asked), "the one that was being made is finished"
        bot.before = QUICK + IMPATIENT
        bot.start()
        team.slack.until(team.slack.connected)
        answered_once(team, *asked)
