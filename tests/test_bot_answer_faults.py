"""Slack fails while the bot answers: everybody sees a public answer once, and whoever asked aside gets theirs."""

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


@pytest.mark.parametrize(("how", "times"), [("ratelimited", 2), ("http_500", 1), ("drop_after", 1)])
def test_a_question_is_answered_once(team: Owed, how: str, times: int) -> None:
    team.slack.fail(POST, how, times=times)
    ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
    answered_once(team, ts)


def test_an_answer_whose_form_is_refused_is_said_as_text(team: Owed) -> None:
    team.slack.fail(POST, "invalid_blocks")
    ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
    answered_once(team, ts)
    (answer,) = answers(team, ts)
    assert answer.blocks == []
    assert "engine/core.py" in answer.shown


@pytest.mark.parametrize("refused", ["response_url", "chat.postEphemeral"])
def test_a_command_whose_answers_form_is_refused_is_answered_as_text(team: Owed, refused: str) -> None:
    before = len(aside(team))
    if refused == "chat.postEphemeral":
        team.slack.fail("response_url", "used_url", times=9)
    team.slack.fail(refused, "invalid_blocks")
    team.slack.slash(team.channel, team.zhang, "top 3")
    (answer,) = team.slack.until(lambda: aside(team)[before:], 15)
    assert answer.blocks == []
    assert "重要性" in answer.shown


def test_an_answer_for_a_channel_that_the_bot_was_taken_out_of_is_given_up(running: tuple[Owed, Bot]) -> None:
    team, bot = running
    other = team.slack.channel("other", [team.zhang])
    team.slack.say(other, team.zhang, "top 7", mention=True)
    team.slack.until(lambda: any(call.arguments.get("status") for call in team.slack.calls(STATUS)), 10)
    team.slack.remove_bot(other)
    assert "invite it there" in bot.says("could not be told to the asker")
    ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
    answered_once(team, ts)
    assert team.slack.by_app(other) == []


def test_a_command_whose_answer_may_have_been_lost_is_answered_at_most_twice(team: Owed) -> None:
    before = len(aside(team))
    team.slack.fail("response_url", "drop_after")
    command = team.slack.slash(team.channel, team.zhang, "top 3")
    team.slack.until(lambda: len(aside(team)) > before + 1, 15)
    team.slack.rest(2)
    assert command.acked
    shown = aside(team)[before:]
    assert all("重要性" in one.shown for one in shown)
    assert len(shown) == 2, "nobody can look for what one person sees"


def test_a_slow_command_is_answered_though_its_address_was_used_for_the_word_that_it_is_slow(team: Owed) -> None:
    before = len(aside(team))
    team.slack.slash(team.channel, team.zhang, "top 7")
    team.slack.until(lambda: len(aside(team)) == before + 1, 10)
    team.slack.fail("response_url", "used_url", times=9)
    team.slack.until(lambda: len(aside(team)) == before + 2, 10)
    assert "重要性" in aside(team)[-1].shown
