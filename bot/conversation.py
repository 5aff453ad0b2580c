"""What is said in a channel of the local page: entries, and the threads under those that stand in the channel."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of a conversation as the local page shows it. `id` grows with time; `html` is finished markup.

    `thread` is the id of the entry that it was said under, None for one that stands in the channel itself.
    """

    id: int
    channel: str
    thread: int | None
    author: str
    is_bot: bool
    html: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ThreadHead:
    """An entry that stands in the channel itself, how many replies it has, and when the last one came (UTC)."""

    root: Entry
    replies: int = 0
    last_at: datetime | None = None
