"""The database is locked or its disk is full: nothing is lost and nothing is said twice, and whoever waits is told."""

from __future__ import annotations

from pathlib import Path

from tests.slack_answers import answered_once, answers, aside
from tests.slack_crashes import IMPATIENT
from tests.slack_databases import full, locked
from tests.slack_faults import QUICK, owed


def test_a_delivery_whose_ledger_has_no_room_goes_on_afterwards(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK + IMPATIENT) as bot:
        team.slack.until(lambda: len(team.shown()) >= 2, 30)
        with full(team, bot):
            team.slack.until(lambda: "ledger cannot be kept" in bot.log or "have to wait" in bot.log, 20)
            visible = len(team.shown())
            team.slack.rest(2)
            assert len(team.shown()) == visible, "nothing is posted that could not be entered"
        team.complete()


def test_what_cannot_be_kept_is_not_acknowledged_and_answered_when_it_comes_again(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK) as bot:
        team.complete()
        (root, *_) = team.shown()
        for broken in (locked, full):
            before = len(aside(team))
            with broken(team, bot):
                ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
                command = team.slack.slash(team.channel, team.zhang, "top 3")
                team.slack.until(lambda command=command: command.settled, 5)  # type: ignore[misc]
                assert command.acked, "within Slack's three seconds"
                button = team.slack.press(root.ts, "风险", team.zhang)
                team.slack.until(lambda button=button: button.settled, 5)  # type: ignore[misc]
                assert button.acked
                team.slack.until(lambda before=before: len(aside(team)) == before + 2, 10)  # type: ignore[misc]
                assert all("出错了" in one.shown for one in aside(team)[before:])
                tried = team.slack.events_of(ts)
                team.slack.until(lambda tried=tried: all(len(one.attempts) == 2 for one in tried), 10)  # type: ignore[misc]
                assert [one.acked for one in tried] == [False] * len(tried)
                assert answers(team, ts) == []
            answered_once(team, ts)
        assert bot.get("/healthz")[0] == 200
