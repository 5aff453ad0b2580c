"""Slack fails in every way it can while a digest is posted: it is visible once and in order, or somebody is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doubles.slack import REQUIRED_SCOPES
from tests.slack_faults import PATIENT, QUICK, owed

POST = "chat.postMessage"
BLIND = """
from bot.platforms.slack.send import SlackPlatform
SlackPlatform.find = lambda *_, **__: None
"""
"""The control: a bot that does not look before it sends again."""


@pytest.mark.parametrize("place", [0, 3])
@pytest.mark.parametrize(
    ("how", "times"),
    [("ratelimited", 3), ("http_500", 2), ("internal_error", 1), ("drop_before", 2), ("drop_after", 1)],
)
def test_a_post_that_fails_is_made_once(tmp_path: Path, how: str, times: int, place: int) -> None:
    with owed(tmp_path) as team:
        team.slack.fail(POST, how, times=times, skip=place)
        with team.installation.bot(before=QUICK):
            team.complete()


def test_an_answer_that_comes_too_late_is_not_a_failure(tmp_path: Path) -> None:
    with owed(tmp_path) as team:
        team.slack.fail(POST, "late", after=11, skip=2)
        with team.installation.bot(before=QUICK):
            team.complete(90)


def test_without_looking_a_lost_answer_would_make_two(tmp_path: Path) -> None:
    with owed(tmp_path) as team:
        team.slack.fail(POST, "drop_after", skip=1)
        with team.installation.bot(before=QUICK + BLIND):
            team.slack.until(team.sent, 60)
        assert 2 in team.slack.keys(team.channel).values()


def test_slacks_own_pace_is_kept(tmp_path: Path) -> None:
    with owed(tmp_path, rate_limit=True) as team, team.installation.bot(before=PATIENT):
        team.complete()
        assert [one.status for one in team.slack.calls(POST) if one.status == 429] == []


def test_a_workspace_without_charts_gets_the_numbers(tmp_path: Path) -> None:
    with owed(tmp_path, charts=False) as team, team.installation.bot(before=QUICK):
        team.complete()
        assert "data_visualization" not in str([one.blocks for one in team.shown()])
        assert any("各周期合入的 PR" in one.shown for one in team.shown())


def test_a_refused_form_is_said_in_another(tmp_path: Path) -> None:
    with owed(tmp_path) as team:
        team.slack.fail(POST, "invalid_blocks", skip=3)
        with team.installation.bot(before=QUICK):
            team.complete()


def test_a_channel_without_the_bot_gets_its_digest_when_it_joins(tmp_path: Path) -> None:
    with owed(tmp_path) as team:
        team.slack.remove_bot(team.channel)
        with team.installation.bot(before=QUICK):
            team.slack.until(lambda: team.states() == ["parked"], 30)
            assert "invite it" in team.note()
            team.slack.add_bot(team.channel, team.boss)
            team.slack.until(team.sent, 60)
        roots = [one for one in team.slack.messages(team.channel) if "周报（" in one.text]
        assert len(roots) == 1


def test_a_deleted_root_is_not_put_up_again(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK):
        (root, *_) = team.slack.until(team.shown, 30)
        team.slack.delete(team.channel, root.ts)
        team.slack.until(lambda: team.states() == ["cancelled"], 30)
        assert [one for one in team.shown() if one.thread_ts is None] == []


def test_where_the_bot_may_not_look_it_asks_a_person(tmp_path: Path) -> None:
    with owed(tmp_path, REQUIRED_SCOPES) as team:
        team.slack.fail(POST, "drop_before", skip=2)
        with team.installation.bot(before=QUICK) as bot:
            assert "channels:history" in bot.says("channels:history")
            team.slack.until(lambda: team.states() == ["parked"], 30)
            assert len(team.shown()) == 2
            assert "release" in team.note()
            status = team.slack.slash(team.channel, team.boss, "status")
            shown = team.slack.until(lambda: [one for one in team.slack.by_app(team.channel) if one.to], 10)
            assert status.acked
            assert "release 1" in shown[-1].shown
            team.slack.slash(team.channel, team.boss, "release 1")
            team.complete()


def test_required_permissions_are_enough_for_digest_and_commands(tmp_path: Path) -> None:
    with owed(tmp_path, REQUIRED_SCOPES) as team, team.installation.bot(before=QUICK) as bot:
        team.complete()
        for words in ("channels:history", "groups:history", "im:history", "channels:read", "groups:read"):
            assert words in bot.log
        command = team.slack.slash(team.channel, team.zhang, "top 3")
        team.slack.until(lambda: [one for one in team.slack.by_app(team.channel) if one.to == team.zhang])
        assert command.acked
        ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
        team.slack.until(lambda: [one for one in team.slack.messages(team.channel, thread=ts) if one.app_id])


def test_an_answer_whose_address_is_used_up_is_shown_another_way(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK):
        team.complete()
        team.slack.fail("response_url", "used_url", times=9)
        team.slack.slash(team.channel, team.zhang, "top 3")
        (answer,) = team.slack.until(lambda: [one for one in team.slack.by_app(team.channel) if one.to == team.zhang])
        assert "重要性" in answer.shown
        assert team.slack.calls("chat.postEphemeral")
