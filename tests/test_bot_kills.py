"""kill -9 between what was posted and the note that it was: after the next start it stands there once."""

from __future__ import annotations

from pathlib import Path

from tests.slack_answers import answered_once, answers, aside
from tests.slack_crashes import Crash
from tests.slack_faults import owed

SENT = "after bot.platforms.slack.send:SlackPlatform.send"
ANSWERED = "after bot.platforms.slack.hands:Hands.post_once"
KEPT = "before bot.platforms.slack.answering:Answering.handle"


def test_after_kill_9_the_digest_is_visible_once(tmp_path: Path) -> None:
    """First the root was posted and not recorded, then a reply; each is looked for in another way."""
    root, reply = Crash(tmp_path / "root", SENT), Crash(tmp_path / "reply", SENT, 3)
    with owed(tmp_path) as team, team.installation.bot(before=root.before) as bot:
        for crash, visible, then in ((root, 1, reply.before), (reply, 4, reply.before)):
            crash.kill(bot)
            stood = [one.ts for one in team.shown()]
            assert len(stood) == visible
            bot.before = then
            bot.start()
        team.complete()
        assert [one.ts for one in team.shown()][: len(stood)] == stood, "what stood there is not posted anew"


def test_after_kill_9_a_command_and_a_question_are_answered_once(tmp_path: Path) -> None:
    kept, answered = Crash(tmp_path / "kept", KEPT), Crash(tmp_path / "answered", ANSWERED)
    with owed(tmp_path) as team, team.installation.bot(before=kept.before) as bot:
        team.slack.until(team.slack.connected)
        command = team.slack.slash(team.channel, team.zhang, "top 3")
        team.slack.until(lambda: command.acked)  # from then on Slack does not deliver it again
        kept.kill(bot)
        assert aside(team) == []
        bot.before = answered.before
        bot.start()
        (answer,) = team.slack.until(lambda: aside(team), 30)
        assert "重要性" in answer.shown
        team.slack.until(team.slack.connected)
        ts = team.slack.say(team.channel, team.zhang, "hot", mention=True)
        answered.kill(bot)
        assert len(answers(team, ts)) == 1, "it stands there, and nobody noted that"
        bot.start()
        team.slack.until(team.slack.connected)
        answered_once(team, ts)
        assert len(aside(team)) == 1
