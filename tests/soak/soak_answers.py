"""Slack fails while the bot answers, in the rarer ways: slow posts, addresses of commands, statuses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.bot_process import Bot
from tests.slack_answers import answered_once, answering, answers, aside
from tests.slack_faults import Owed

POST, STATUS = "chat.postMessage", "assistant.threads.setStatus"

pytestmark = pytest.mark.xdist_group("answers")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Owed, Bot]]:
    with answering(tmp_path_factory.mktemp("answers")) as both:
        yield both


@pytest.fixture
def team(running: tuple[Owed, Bot]) -> Iterator[Owed]:
    yield running[0]
    running[0].slack.heal()


def test_a_slow_post_is_made_once(team: Owed) -> None:
    team.slack.fail(POST, "slow")
    ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
    answered_once(team, ts)


@pytest.mark.parametrize("how", ["ratelimited", "http_500", "drop_before", "used_url", "expired_url"])
def test_a_command_is_answered_once_whatever_becomes_of_its_address(team: Owed, how: str) -> None:
    before = len(aside(team))
    team.slack.fail("response_url", how)
    command = team.slack.slash(team.channel, team.zhang, "top 3")
    team.slack.until(lambda: len(aside(team)) > before, 15)
    team.slack.rest(2)
    assert command.acked
    (answer,) = aside(team)[before:]
    assert "重要性" in answer.shown


def test_a_slow_answer_comes_though_statuses_fail_and_then_are_refused(team: Owed, running: tuple[Owed, Bot]) -> None:
    for how, calls in (("http_500", 1), ("drop_before", 2), ("unknown_method", 3), ("unknown_method", 3)):
        team.slack.heal()
        team.slack.fail(STATUS, how)
        ts = team.slack.say(team.channel, team.zhang, "top 7", mention=True)
        team.slack.until(lambda ts=ts: answers(team, ts), 15)  # type: ignore[misc]
        assert "重要性" in answers(team, ts)[0].shown
        shown = [call for call in team.slack.calls(STATUS) if call.arguments.get("status")]
        assert len(shown) == calls, "a workspace that refuses them is not asked again"
    running[1].says("no status is shown")
