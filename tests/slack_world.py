"""A team on the Slack double with the bot running as a process, last week's digest posted: what the matrix acts in."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.bot_process import Bot
from tests.doubles.slack import Message, Slack
from tests.installation import ChannelEntry, Installation, SlackSection, install
from tests.slack_faults import BRISK

QUIET = 1.5  # seconds in which an answer would have come: alone, it takes a few hundredths
PATIENCE = 40.0
ENGINE, SECRET = "acme/engine", "acme/secret"


@dataclass
class World:
    """`infra` is subscribed, `mentions` too but listens to mentions only, `other` is not; `open_` is Slack Connect."""

    slack: Slack
    bot: Bot
    installation: Installation
    zhang: str
    boss: str
    infra: str
    mentions: str
    other: str
    open_: str
    admins: str

    def root(self, channel: str) -> Message:
        """The digest's root in a channel, once its thread is complete."""
        found: list[Message] = self.slack.until(lambda: self._roots(channel), PATIENCE)
        self.slack.until(lambda: any("后续建议" in one.shown for one in self.thread(found[0])), PATIENCE)
        return found[0]

    def thread(self, root: Message) -> list[Message]:
        return self.slack.messages(root.channel, thread=root.ts)

    def command(self, text: str, says: str, *, channel: str | None = None, user: str | None = None) -> str:
        """Type a command; what its asker is shown for it, once that `says` so."""
        channel, user = channel or self.infra, user or self.zhang
        before = len(self.seen(channel, user))
        sent = self.slack.slash(channel, user, text)
        shown = self.says(channel, user, before, says)
        self.slack.until(lambda: sent.acked)
        return shown

    def says(self, channel: str, user: str, before: int, words: str) -> str:
        """What a user sees of the bot's beyond the first `before` messages, once these words are in it."""
        end = time.monotonic() + PATIENCE
        while words not in (shown := self._shown(channel, user, before)):
            assert time.monotonic() < end, f"not said: {words!r}, but {shown!r}"
            time.sleep(0.02)
        return shown

    def seen(self, channel: str, user: str) -> list[Message]:
        """Every message of the bot's that a user sees in a channel and its threads."""
        return [one for one in self.slack.by_app(channel) if one.to in {None, user}]

    def ask(self, text: str, channel: str | None = None, **how: Any) -> str:
        """Say something and give what the bot says in its thread, or under the root it was said under."""
        channel = channel or self.infra
        thread = how.get("thread")
        before = len(self._bots(channel, thread)) if thread else 0
        ts = self.slack.say(channel, self.zhang, text, **how)
        where = self.slack.dm(self.zhang) if how.get("direct") else channel
        if how.get("direct"):
            before = sum(one.ts < ts for one in self.slack.by_app(where))
            said: list[Message] = self.slack.until(lambda: self.slack.by_app(where)[before:], PATIENCE)
            return said[0].shown
        said = self.slack.until(lambda: self._bots(where, thread or ts)[before:], PATIENCE)
        return said[-1].shown

    def silent(self, text: str, channel: str | None = None, **how: Any) -> bool:
        """Whether nothing at all comes of saying something."""
        channel, thread = channel or self.infra, how.get("thread")
        before = len(self._bots(channel, thread)) if thread else 0
        ts = self.slack.say(channel, self.zhang, text, **how)
        self.slack.until(self.slack.deliveries.idle)
        time.sleep(QUIET)
        return len(self._bots(channel, thread or ts)) == before

    def _roots(self, channel: str) -> list[Message]:
        return [one for one in self.slack.messages(channel) if "周报（" in one.text and not one.to and one.metadata]

    def _shown(self, channel: str, user: str, before: int) -> str:
        return "\n".join(one.shown for one in self.seen(channel, user)[before:])

    def _bots(self, channel: str, thread: str) -> list[Message]:
        return [one for one in self.slack.messages(channel, thread=thread) if one.app_id]


@contextmanager
def running(
    folder: Path,
    *,
    mode: str = "socket",
    scopes: Collection[str] | None = None,
    more: dict[str, Any] | None = None,
    slack_more: dict[str, Any] | None = None,
    ready: bool = True,
) -> Iterator[World]:
    """The team, a bot from a configuration file, and last week's digest posted where it is subscribed."""
    now = datetime.now(UTC)
    with Slack(scopes=scopes) as slack:
        zhang, boss = slack.user("zhang"), slack.user("boss")
        people = [zhang, boss]
        infra, mentions = slack.channel("infra", people), slack.channel("mentions", people)
        other, open_ = slack.channel("other", people), slack.channel("open", people, external=True)
        admins = slack.channel("admins", [boss], private=True)
        due = ChannelEntry(infra).due_before(now, timedelta(minutes=5))
        section = SlackSection(
            slack.api_url,
            mode,
            slack.bot_token,
            slack.app_token,
            slack.signing_secret,
            {"admin_channel": admins, **(slack_more or {})},
        )
        listening = ChannelEntry(mentions, more={**due.more, "listen": "mention"})
        installation = install(
            folder,
            section,
            [due, listening, ChannelEntry(open_, more=due.more)],
            now=now,
            repositories=(ENGINE, SECRET),
            admins=[boss],
            more=more or {},
        )
        installation.sync()
        installation.owe(now, timedelta(minutes=30))
        with installation.bot(before=BRISK) as bot:
            if mode == "http":
                assert slack.use_http(f"{bot.url}/slack/events")
            else:
                slack.until(slack.connected)
            world = World(slack, bot, installation, zhang, boss, infra, mentions, other, open_, admins)
            if ready:
                world.root(infra), world.root(mentions)
            yield world
