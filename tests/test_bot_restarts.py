"""The bot is stopped, killed and run twice while it posts and answers: nothing is lost, nothing is said twice."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.database import new_database
from tests.doubles.slack import Message
from tests.slack_faults import QUICK, Owed, owed


@pytest.mark.parametrize(("how", "visible"), [("stop", 1), ("stop", 4), ("kill", 1), ("kill", 5)])
def test_a_delivery_goes_on_where_it_ended(tmp_path: Path, how: str, visible: int) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK) as bot:
        team.slack.until(lambda: len(team.shown()) >= visible, 30)
        if how == "kill":
            bot.kill()
        else:
            assert bot.stop() == 0
        bot.start()
        team.complete()


def test_what_was_asked_before_a_power_cut_is_answered_after_it(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK) as bot:
        team.complete()
        asked = [team.slack.say(team.channel, team.zhang, f"hot {n}", mention=True) for n in range(1, 9)]
        team.slack.until(lambda: sum(any(d.acked for d in team.slack.events_of(ts)) for ts in asked) >= 3)
        bot.kill()
        bot.start()
        team.slack.until(team.slack.connected)
        for ts in asked:
            if not any(d.acked for d in team.slack.events_of(ts)):
                team.slack.redeliver(ts)
        team.slack.until(lambda: all(answers(team, ts) for ts in asked), 60)
        time.sleep(2)
        assert [len(answers(team, ts)) for ts in asked] == [1] * len(asked)


def test_an_old_thread_is_known_after_a_restart(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK) as bot:
        team.complete()
        root = team.shown()[0]
        assert bot.stop() == 0
        bot.start()
        team.slack.until(team.slack.connected)
        before = len(answers(team, root.ts))
        team.slack.say(team.channel, team.zhang, "#22 有什么风险？", thread=root.ts)
        team.slack.until(lambda: len(answers(team, root.ts)) == before + 1, 15)


def test_an_event_seen_before_a_restart_is_known_after_it(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK) as bot:
        team.complete()
        ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
        team.slack.until(lambda: answers(team, ts))
        assert bot.stop() == 0
        bot.start()
        team.slack.until(team.slack.connected)
        team.slack.redeliver(ts)
        team.slack.until(team.slack.deliveries.idle)
        time.sleep(2)
        assert len(answers(team, ts)) == 1


def test_two_bots_on_one_database_do_everything_once(tmp_path: Path) -> None:
    with owed(tmp_path, database=new_database()) as team:
        second = team.installation.replica()
        with team.installation.bot(before=QUICK) as one, second.bot(before=QUICK):
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
            time.sleep(2)
            assert [len(answers(team, ts)) for ts in (*asked, late)] == [1] * 9
            assert team.is_complete()


# The connection


@pytest.mark.parametrize("how", ["disconnect", "drop", "freeze", "expired"])
def test_a_lost_connection_is_back_and_nothing_is_lost(tmp_path: Path, how: str) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK):
        team.complete()
        if how == "expired":
            team.slack.fail("handshake", "expired_ticket", times=2)
        {"disconnect": team.slack.disconnect, "freeze": team.slack.freeze}.get(how, team.slack.drop)()
        ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
        began = time.monotonic()
        if how == "freeze":
            time.sleep(1)
            team.slack.thaw()
        team.slack.until(team.slack.connected, 10)
        assert time.monotonic() - began < 10
        team.slack.advance(61)  # Slack tries again about a minute later
        team.slack.until(lambda: answers(team, ts), 15)
        team.slack.advance(301)
        team.slack.until(team.slack.deliveries.idle)
        time.sleep(1)
        assert len(answers(team, ts)) == 1


def test_slack_out_of_reach_is_said_and_survived(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK) as bot:
        team.complete()
        team.slack.fail("apps.connections.open", "internal_error", times=3)
        team.slack.drop()
        team.slack.until(lambda: bot.get("/readyz")[0] == 503, 10)
        assert bot.get("/healthz")[0] == 200
        team.slack.until(team.slack.connected, 40)
        team.slack.until(lambda: bot.get("/readyz")[0] == 200, 10)


def answers(team: Owed, ts: str) -> list[Message]:
    return [one for one in team.slack.messages(team.channel, thread=ts) if one.app_id]
