"""Slack is out of reach for long: what was asked meanwhile is answered once it is back."""

from __future__ import annotations

from pathlib import Path

from tests.slack_answers import answered_once
from tests.slack_faults import QUICK, owed


def test_slack_is_out_of_reach_and_comes_back(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK) as bot:
        team.slack.until(team.slack.connected)
        team.slack.fail("apps.connections.open", "http_503", times=99)
        team.slack.fail("handshake", "http_503", times=99)
        team.slack.drop()
        ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
        team.slack.until(lambda: bot.get("/readyz")[0] == 503, 10)
        team.slack.rest(12)
        team.slack.heal()
        team.slack.until(team.slack.connected, 10)
        answered_once(team, ts)
        team.complete()
