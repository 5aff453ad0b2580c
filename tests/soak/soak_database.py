"""A database that is locked for long or whose server ends the connections: the digest and the answers go on."""

from __future__ import annotations

from pathlib import Path

from tests.database import new_database
from tests.slack_answers import answered_once
from tests.slack_crashes import IMPATIENT
from tests.slack_databases import cut_off, locked
from tests.slack_faults import QUICK, owed


def test_a_delivery_whose_ledger_is_locked_goes_on_afterwards(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK + IMPATIENT) as bot:
        team.slack.until(lambda: len(team.shown()) >= 2, 30)
        with locked(team, bot):
            team.slack.until(lambda: "ledger cannot be kept" in bot.log or "have to wait" in bot.log, 20)
            visible = len(team.shown())
            team.slack.rest(2)
            assert len(team.shown()) == visible, "nothing is posted that could not be entered"
        team.complete()


def test_a_delivery_outlasts_the_loss_of_the_servers_connections(tmp_path: Path) -> None:
    address = new_database()
    with owed(tmp_path, database=address) as team, team.installation.bot(before=QUICK + IMPATIENT) as bot:
        for visible in (1, 3, 5):
            team.slack.until(lambda least=visible: len(team.shown()) >= least, 40)  # type: ignore[misc]
            cut_off(address)
        team.complete()
        cut_off(address)
        ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
        answered_once(team, ts)
        assert bot.get("/healthz")[0] == 200
