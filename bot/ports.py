"""What the core asks of the world: Protocols that sources, models and chat platforms fulfil."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from bot.conversation import Entry, ThreadHead
from bot.message import Message
from bot.models import DirectCommit, Patch, PullRequest, Release

SourceKind = Literal["github", "clone", "sample"]


class SourceError(Exception):
    """A source cannot give what was asked, and the user can mend it: one English line with the fix."""


class PullRequestSource(Protocol):
    """One repository's history."""

    @property
    def kind(self) -> SourceKind:
        """Which kind of source this is."""

    def begins_at(self) -> datetime:
        """The instant (UTC) from which history is within reach. Raises SourceError."""

    def fresh_until(self) -> datetime:
        """The instant (UTC) up to which nothing that was merged can be missing. Raises SourceError."""

    def count(self, since: datetime, until: datetime) -> int:
        """How many items `history` will give, cheaply, for a progress bar; an estimate is fine. Raises SourceError."""

    def history(self, since: datetime, until: datetime) -> Iterator[PullRequest | DirectCommit]:
        """What was merged in [since, until), newest first, each pull request once. Raises SourceError."""

    def releases(self) -> tuple[Release, ...]:
        """The release tags, oldest first. Raises SourceError."""

    def patches(self, since: datetime, until: datetime) -> Iterator[Patch] | None:
        """The changed lines of the pull requests merged in [since, until), oldest first; None: not to be had here."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """Something said to the bot: `text` is what was typed, or the command of a pressed button.

    `thread` is the id of the root it was said under, None in the channel itself.
    """

    platform: str
    channel: str
    user: str
    text: str
    thread: str | None = None


Respond = Callable[[Incoming], Message | None]
"""The bot's answer to what was said; None: silence."""


class Conversations(Protocol):
    """What the local page remembers."""

    def add(
        self, channel: str, thread: int | None, author: str, *, is_bot: bool, html: str, text: str, at: datetime
    ) -> Entry:
        """Keep a message and give it its id."""

    def entries(self, channel: str, after: int = 0) -> tuple[Entry, ...]:
        """The messages of a channel with an id above `after`, oldest first."""

    def last(self) -> int:
        """The highest id given so far; 0 before the first."""

    def heads(self, channel: str, newest: int, before: int | None = None) -> tuple[ThreadHead, ...]:
        """The `newest` messages that stand in the channel itself (with an id below `before`), oldest first."""

    def head(self, channel: str, root: int) -> ThreadHead | None:
        """The message with this id that stands in the channel itself; None if there is none."""

    def replies(self, channel: str, root: int) -> tuple[Entry, ...]:
        """What was said under a message, oldest first."""


class ChatPlatform(Protocol):
    """Where messages are posted."""

    @property
    def name(self) -> str:
        """The platform's name in the configuration."""

    def post(self, channel: str, message: Message, thread: str | None = None) -> str:
        """Post a message, in a thread when one is named; returns its id on the platform."""


class Progress(Protocol):
    """Shows how far a long piece of work has come."""

    def start(self, what: str, total: int | None) -> None:
        """Begin a piece of work of `total` steps (None: unknown)."""

    def advance(self, steps: int = 1) -> None:
        """`steps` more are done."""


class Silent:
    """A Progress that shows nothing."""

    def start(self, what: str, total: int | None) -> None:
        """Begin, unseen."""

    def advance(self, steps: int = 1) -> None:
        """Go on, unseen."""
