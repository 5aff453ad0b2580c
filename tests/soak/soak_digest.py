"""A digest on a bad day, in the rarer ways: slow calls, forms refused, failing looks, a root deleted meanwhile."""

from __future__ import annotations

import re
from pathlib import Path

from tests.doubles.slack import Message
from tests.slack_faults import PATIENT, QUICK, owed

POST = "chat.postMessage"


def test_a_slow_call_is_waited_for(tmp_path: Path) -> None:
    with owed(tmp_path) as team:
        team.slack.fail(POST, "slow", after=4, times=2, skip=1)
        with team.installation.bot(before=QUICK):
            team.complete()
        assert len(team.slack.calls(POST)) == len(team.shown()), "nothing was sent again"


def test_every_form_that_slack_refuses_ends_as_text_with_the_same_words(tmp_path: Path) -> None:
    for name in ("usual", "refused"):
        (tmp_path / name).mkdir()
    with owed(tmp_path / "usual") as usual, usual.installation.bot(before=QUICK):
        usual.complete()
    with owed(tmp_path / "refused") as team:
        team.slack.fail(POST, "invalid_blocks", skip=1, times=2)  # the chart, and the table in its place
        with team.installation.bot(before=QUICK) as bot:
            team.slack.until(team.sent, 40)
            assert "sent in another form" in bot.log
        assert max(team.slack.keys(team.channel).values()) == 1
        shown, expected = numbers(team.shown()), numbers(usual.shown())
        assert expected
        assert shown >= expected


def test_a_look_that_fails_is_taken_for_no_finding(tmp_path: Path) -> None:
    with owed(tmp_path) as team:
        team.slack.fail(POST, "drop_after", skip=2)
        for how in ("http_500", "ratelimited", "drop_before"):
            team.slack.fail("conversations.replies", how)
        with team.installation.bot(before=QUICK):
            team.complete()
        assert len(team.slack.calls("conversations.replies")) >= 4


def test_a_root_that_is_deleted_while_the_bot_is_away_is_not_put_up_again(tmp_path: Path) -> None:
    with owed(tmp_path) as team, team.installation.bot(before=PATIENT) as bot:
        team.slack.until(lambda: len(team.shown()) >= 2, 30)
        (root, *_) = team.shown()
        assert bot.stop() == 0
        assert team.states() == ["sending"]
        team.slack.delete(team.channel, root.ts)
        bot.start()
        team.slack.until(lambda: team.states() == ["cancelled"], 30)
        team.slack.rest(1)
        assert [one for one in team.shown() if one.thread_ts is None] == []


def numbers(shown: list[Message]) -> set[str]:
    """The pull requests that messages name."""
    return set(re.findall(r"#\d+", "\n".join(one.shown for one in shown)))
