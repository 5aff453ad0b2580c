"""kill -9 at every step of a digest and of an answer: each is visible once after the next start."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doubles.slack import REQUIRED_SCOPES
from tests.slack_answers import answered_once, answers
from tests.slack_crashes import Crash
from tests.slack_faults import owed

SEND = "bot.platforms.slack.send:SlackPlatform.send"
RECORD = "bot.store.ledger:Ledger.record"
POST = "bot.platforms.slack.hands:Hands.post_once"
TAKE = "bot.store.inbox:StoredInbox.take"
FINISH = "bot.store.inbox:StoredInbox.finish"
BLIND = "import bot.platforms.slack.looking\nbot.platforms.slack.looking.Looking.find = lambda *_, **__: None\n"
"""The control: a bot that finds nothing of what it posted."""


@pytest.mark.parametrize(
    ("place", "nth", "visible"),
    [
        ("before bot.editions:Editions.of", 1, 0),
        (f"before {SEND}", 1, 0),
        (f"after {SEND}", 1, 1),
        (f"after {RECORD}", 1, 1),
        (f"after {SEND}", 4, 4),
        ("before bot.store.ledger:Ledger.finish", 1, None),
    ],
)
def test_after_kill_9_the_digest_is_visible_once(tmp_path: Path, place: str, nth: int, visible: int | None) -> None:
    crash = Crash(tmp_path / "crash", place, nth)
    with owed(tmp_path) as team, team.installation.bot(before=crash.before) as bot:
        crash.kill(bot)
        before = [one.ts for one in team.shown()]
        assert visible is None or len(before) == visible
        bot.start()
        team.complete()
        assert [one.ts for one in team.shown()][: len(before)] == before, "what stood there is not posted anew"


@pytest.mark.parametrize(
    "place",
    [
        f"before {TAKE}",
        f"after {TAKE}",
        "before bot.platforms.slack.answering:Answering.handle",
        f"after {POST}",
        f"before {FINISH}",
        f"after {FINISH}",
    ],
)
def test_after_kill_9_a_question_is_answered_once(tmp_path: Path, place: str) -> None:
    crash = Crash(tmp_path / "crash", place)
    with owed(tmp_path) as team, team.installation.bot(before=crash.before) as bot:
        team.slack.until(team.slack.connected)
        ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
        crash.expect(bot)
        answered_once(team, ts)
        team.complete()


def test_an_answer_in_the_digests_thread_and_the_line_that_leads_there_are_each_posted_once(tmp_path: Path) -> None:
    crash = Crash(tmp_path / "crash", f"after {POST}")
    with owed(tmp_path) as team, team.installation.bot(before=crash.before) as bot:
        team.complete()
        (root, *parts) = team.shown()
        ts = team.slack.say(team.channel, team.zhang, "#22 有什么风险？", mention=True)
        crash.expect(bot)
        team.slack.until(team.slack.connected)
        answered_once(team, ts)
        assert len(answers(team, root.ts)) == len(parts) + 1


def test_a_bot_that_may_not_look_does_not_send_blindly_after_a_kill(tmp_path: Path) -> None:
    crash = Crash(tmp_path / "crash", f"after {SEND}", 2)
    with owed(tmp_path, REQUIRED_SCOPES) as team, team.installation.bot(before=crash.before) as bot:
        crash.expect(bot)
        team.slack.until(lambda: team.states() == ["parked"], 30)
        assert len(team.shown()) == 2
        assert "channels:history" in team.note()
        assert "release" in team.note()


def test_without_looking_a_killed_delivery_makes_two(tmp_path: Path) -> None:
    crash = Crash(tmp_path / "crash", f"after {SEND}", 4)
    with owed(tmp_path) as team, team.installation.bot(before=crash.before + BLIND) as bot:
        crash.expect(bot)
        team.slack.until(team.sent, 40)
        assert sorted(team.slack.keys(team.channel).values())[-2:] == [1, 2]


def test_without_looking_a_killed_answer_makes_two(tmp_path: Path) -> None:
    crash = Crash(tmp_path / "crash", f"after {POST}")
    with owed(tmp_path) as team, team.installation.bot(before=crash.before + BLIND) as bot:
        team.slack.until(team.slack.connected)
        ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
        crash.expect(bot)
        team.slack.until(lambda: len(answers(team, ts)) == 2, 30)
