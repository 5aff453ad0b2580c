"""The connection to Slack breaks in every way: it is soon back, and what was asked meanwhile is answered once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import cli
from tests.bot_process import Bot
from tests.doubles.slack import Slack
from tests.slack_answers import answered_once
from tests.slack_faults import QUICK, Owed, owed

BACK = 10.0

pytestmark = pytest.mark.xdist_group("connection")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Owed, Bot]]:
    with owed(tmp_path_factory.mktemp("connection")) as team, team.installation.bot(before=QUICK) as bot:
        team.complete()
        yield team, bot


def announced(slack: Slack) -> None:
    """Slack warns of the end of the connection, then ends it."""
    slack.disconnect("warning", close=False)
    slack.disconnect()


def expired(slack: Slack) -> None:
    """The connection breaks off, and the next addresses have expired before they are used."""
    slack.fail("handshake", "expired_ticket", times=2)
    slack.drop()


def unavailable(slack: Slack) -> None:
    """The connection breaks off, and the next addresses answer 503."""
    slack.fail("handshake", "http_503", times=2)
    slack.drop()


@pytest.mark.parametrize("broken", [Slack.disconnect, announced, Slack.drop, expired, unavailable, Slack.freeze])
def test_a_lost_connection_is_back_and_nothing_is_lost(
    running: tuple[Owed, Bot], broken: Callable[[Slack], None]
) -> None:
    team, _ = running
    team.slack.until(lambda: lives(team.slack))
    addresses, began = len(team.slack.calls("apps.connections.open")), time.monotonic()
    broken(team.slack)
    ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
    team.slack.until(lambda: lives(team.slack), BACK)
    assert time.monotonic() - began < BACK
    answered_once(team, ts)
    assert len(team.slack.calls("apps.connections.open")) > addresses, "it is another connection"
    assert team.is_complete(), "nothing is posted again"


def test_slack_gives_no_address_for_a_while(running: tuple[Owed, Bot]) -> None:
    team, bot = running
    team.slack.until(lambda: lives(team.slack))
    for how in ("internal_error", "ratelimited", "drop_before", "link_disabled"):
        team.slack.fail("apps.connections.open", how)
    team.slack.drop()
    ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
    team.slack.until(lambda: bot.get("/readyz")[0] == 503, 10)
    assert bot.get("/healthz")[0] == 200
    team.slack.until(lambda: lives(team.slack), 40)
    answered_once(team, ts)
    assert bot.get("/readyz")[0] == 200


def test_a_start_without_slack_says_so_and_the_next_one_works(tmp_path: Path) -> None:
    with owed(tmp_path) as team:
        for how, code, says in (
            ("http_503", 1, "Slack cannot be reached"),
            ("drop_before", 1, "Slack cannot be reached"),
            ("invalid_auth", 2, "slack.app_token"),
        ):
            team.slack.fail("apps.connections.open", how, times=99)
            config, environ = team.installation.config, team.installation.environ
            done = cli.process("run", "--config", config, environ={**environ, "NO_PROXY": "*", "no_proxy": "*"})
            assert done.code == code, done.err
            assert says in done.err.splitlines()[-1]
            team.slack.heal()
        assert team.slack.by_app() == []
        with team.installation.bot(before=QUICK):
            team.complete()


def lives(slack: Slack) -> bool:
    """Whether there is a connection over which something comes."""
    return any(not one.frozen for one in slack.connections.open())
