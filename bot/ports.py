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
    """Something said to the bot or where it listens: `text` is what was typed, without the mentions of the bot.

    A pressed button says its command. `thread` is the id of the root it was said under, None in the channel itself;
    `message` is its own id, of a pressed button that of the message it stands on, None for a slash command.
    `addressed`: a command, a button, a mention of the bot, or said to it alone (`direct`). `to_others`: it names
    somebody else. `private`: only the asker will see the answer. `external`: the channel is shared with another
    organisation; None: not known.
    """

    platform: str
    channel: str
    user: str
    text: str
    thread: str | None = None
    message: str | None = None
    addressed: bool = True
    to_others: bool = False
    direct: bool = False
    private: bool = False
    external: bool | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """The bot was added to a channel by `user` (None: not known)."""

    platform: str
    channel: str
    user: str | None = None
    external: bool | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer belongs that was asked for elsewhere: a digest's thread, and what there speaks of it.

    `thread` is the id of the digest's root, `beside` that of the message in the thread (the root where none does).
    """

    thread: str
    beside: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the bot says: to the asker alone, unless `to_all`; where it was asked, unless it belongs elsewhere."""

    message: Message
    to_all: bool = False
    place: Place | None = None


class Overheard(Exception):  # noqa: N818 - says what is the case
    """Something went wrong before it was clear whether anybody had asked: nobody waits for an apology."""


Respond = Callable[[Incoming], Reply | None]
"""The bot's answer to what was said; None: silence."""


class Conversations(Protocol):
    """What the local page remembers."""

    def add(
        self,
        channel: str,
        thread: int | None,
        author: str,
        *,
        is_bot: bool,
        html: str,
        text: str,
        at: datetime,
        key: str | None = None,
    ) -> Entry:
        """Keep a message and give it its id; `key` is what `keyed` will know it by."""

    def keyed(self, key: str) -> Entry | None:
        """The message that was kept under this key; None if there is none."""

    def remove(self, entry: int) -> None:
        """Forget a message, and what was said under it."""

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


class NotSent(Exception):  # noqa: N818 - says what is the case
    """Nothing was posted, and trying again later may help; `after` is how many seconds the platform asks to wait."""

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


class Refused(Exception):  # noqa: N818 - says what is the case
    """Nothing was posted, and somebody must mend something first: one English line with the fix."""


class Unsure(Exception):  # noqa: N818 - says what is the case
    """The platform may or may not have posted it: look before sending again."""


class ThreadGone(Exception):  # noqa: N818 - says what is the case
    """The root of the thread was deleted: nothing more is to be posted under it."""


class CannotLook(Exception):  # noqa: N818 - says what is the case
    """The platform does not let the bot look for what it posted: one English line with the fix."""


@dataclass(frozen=True, slots=True)
class Part:
    """One message as the platform will be sent it, frozen: `body` is the platform's own JSON.

    `cites` are the addresses of the pull requests that it names, in reading order, each once.
    """

    body: str
    cites: tuple[str, ...] = ()


class ChatPlatform(Protocol):
    """Where messages are posted. Every method may be called from several threads."""

    @property
    def name(self) -> str:
        """The platform's name in the configuration."""

    def parts(self, message: Message) -> tuple[Part, ...]:
        """The message as the platform takes it, in one part or several; nothing is lost. No network."""

    def send(self, channel: str, part: Part, key: str, thread: str | None = None, since: datetime | None = None) -> str:
        """Post one part under a key that `find` will know it by; returns its id.

        A platform that has to post it in pieces leaves out those that an earlier try has posted `since` then (None:
        there was none). Tries once. Raises NotSent, Refused, Unsure and ThreadGone.
        """

    def find(self, channel: str, key: str, since: datetime, thread: str | None = None) -> str | None:
        """The id of what was posted under this key since then; None: it was not. Raises CannotLook and NotSent."""

    def withdraw(self, channel: str, message: str) -> None:
        """Delete a message of the bot's own. Raises NotSent and Refused."""

    def post(self, channel: str, message: Message, thread: str | None = None) -> str:
        """Post a message at once, in a thread when one is named; returns the id of its first part.

        Raises NotSent, Refused, Unsure and ThreadGone.
        """

    def permalink(self, channel: str, message: str) -> str | None:
        """The address at which people find a message; None where there is none."""

    def external(self, channel: str) -> bool | None:
        """Whether another organisation reads the channel; None: not to be known (a missing permission)."""

    def shares(self, channel: str, user: str) -> bool | None:
        """Whether a user is in a channel of the bot's; None: not to be known."""


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
