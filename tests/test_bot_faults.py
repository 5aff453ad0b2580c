"""Slack fails in every way it can while a digest is posted: it is visible once and in order, or somebody is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import cli
from tests.doubles.slack import REQUIRED_SCOPES, Message
from tests.slack_faults import PATIENT, QUICK, Owed, key_of, owed

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


def test_a_limited_channel_waits_as_long_as_slack_says_and_holds_up_no_other(tmp_path: Path) -> None:
    with owed(tmp_path) as team:
        other = team.slack.channel("other", [team.zhang])
        team.slack.fail(POST, "ratelimited", after=5, skip=2, channel=team.channel)
        with team.installation.bot(before=QUICK):
            team.slack.until(lambda: any(call.status == 429 for call in team.slack.calls(POST)), 30)
            ts = team.slack.say(other, team.zhang, "help", mention=True)
            team.slack.until(lambda: [one for one in team.slack.messages(other, thread=ts) if one.app_id], 3)
            assert not team.sent()
            team.complete()
        calls = [call for call in team.slack.calls(POST) if call.arguments.get("channel") == team.channel]
        (limited,) = [place for place, call in enumerate(calls) if call.status == 429]
        assert calls[limited + 1].at - calls[limited].at >= 5


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


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def of_key(team: Owed, key: str) -> list[Message]:
    """What stands there under a key, in pieces or not."""
    keyed = [one for one in team.slack.everything(team.channel) if one.app_id and one.metadata]
    return [one for one in keyed if re.fullmatch(re.escape(key) + r"([/.]\d+)*", key_of(one))]


def told(messages: list[Message]) -> list[str]:
    """The lines of a digest in reading order, whatever messages they stand in."""
    return [line for one in messages for line in lines(one.shown)]


def test_a_part_that_is_sent_in_pieces_is_seen_once(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK):
        team.complete()
        undisturbed = told(team.shown())
    for how, skip in (("drop_after", 4), ("drop_after", 5), ("ratelimited", 5)):
        folder = tmp_path / f"{how}-{skip}"
        folder.mkdir()
        with owed(folder) as team:
            team.slack.fail(POST, "msg_blocks_too_long", skip=4)
            team.slack.fail(POST, how, skip=skip)
            with team.installation.bot(before=QUICK):
                team.slack.until(team.sent, 60)
            assert len([key for key in team.slack.keys(team.channel) if key.endswith("/1")]) == 1
            assert told(team.shown()) == undisturbed


@pytest.mark.parametrize(("how", "skip"), [("drop_after", 0), ("drop_after", 1), ("ratelimited", 1)])
def test_an_answer_that_is_sent_in_pieces_is_seen_once(tmp_path: Path, how: str, skip: int) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=QUICK):
        team.complete()
        key = f"answer:message:{team.channel}:{{}}".format
        first = team.slack.say(team.channel, team.zhang, "top 10", mention=True)
        (undisturbed,) = team.slack.until(lambda: of_key(team, key(first)), 30)
        team.slack.fail(POST, "msg_blocks_too_long")
        team.slack.fail(POST, how, skip=skip)
        second = team.slack.say(team.channel, team.zhang, "top 10", mention=True)
        team.slack.until(lambda: key(second) in team.slack.keys(team.channel), 30)
        pieces = of_key(team, key(second))
        assert len(pieces) == 2
        assert told(pieces) == told([undisturbed])


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


def test_the_bot_is_taken_out_of_the_channel_half_way(tmp_path: Path) -> None:
    with owed(tmp_path) as team:
        team.slack.fail(POST, "slow", after=1.5, skip=2)
        with team.installation.bot(before=QUICK) as bot:
            team.slack.until(lambda: len(team.slack.calls(POST)) == 2, 30)
            team.slack.remove_bot(team.channel)
            team.slack.until(lambda: team.states() == ["parked"], 30)
            assert "invite it" in bot.says("is parked")
            stood = [one.ts for one in team.shown()]
            assert len(stood) == 2
            team.slack.add_bot(team.channel, team.boss)
            team.slack.until(team.sent, 40)
        assert [one.ts for one in team.shown()][:2] == stood
        assert len(team.shown()) >= 7
        assert max(team.slack.keys(team.channel).values()) == 1


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
            told = cli.process("status", "--config", team.installation.config, environ=team.installation.environ)
            assert (told.code, told.err) == (0, "")
            assert f"slack {team.channel} · acme/engine" in told.out
            assert "channels:history" in told.out
            assert "release 1" in told.out
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
