"""What was said on the local page, in the store's database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select

from bot.conversation import Entry, ThreadHead
from bot.store.engines import Engines
from bot.store.schema import messages
from bot.store.writing import lock_table

_said = messages.c
_ENTRY = select(
    *(_said.id, _said.channel, _said.thread, _said.author),
    *(_said.is_bot, _said.html, _said.text, _said.at),
)


class StoredConversations:
    """Fulfils `bot.ports.Conversations`. Usable from several threads; every method raises StoreError."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

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
        """Keep a message and give it its id.

        Raises ValueError for a naive `at`, a thread that does not exist and a key that was used before.
        """
        said = {"author": author, "is_bot": is_bot, "html": html, "text": text, "at": at, "key": key}
        statement = insert(messages).values(channel=channel, thread=thread, **said).returning(*_ENTRY.selected_columns)
        with self._engines.writing() as connection:
            lock_table(connection, messages)  # ids must appear in their order: who reads on after one misses none
            return Entry(*connection.execute(statement).one())

    def keyed(self, key: str) -> Entry | None:
        """The message that was kept under this key; None if there is none."""
        with self._engines.reading() as connection:
            return next(iter(_entries(connection, _ENTRY.where(_said.key == key))), None)

    def remove(self, entry: int) -> None:
        """Forget a message, and what was said under it."""
        with self._engines.writing() as connection:
            connection.execute(delete(messages).where(_said.id == entry))

    def entries(self, channel: str, after: int = 0) -> tuple[Entry, ...]:
        """The messages of a channel with an id above `after`, oldest first."""
        newer = _ENTRY.where(_said.id > after, _said.channel == channel).order_by(_said.id)
        with self._engines.reading() as connection:
            return _entries(connection, newer)

    def last(self) -> int:
        """The highest id given so far; 0 before the first."""
        with self._engines.reading() as connection:
            return connection.scalar(select(func.max(_said.id))) or 0

    def heads(self, channel: str, newest: int, before: int | None = None) -> tuple[ThreadHead, ...]:
        """The `newest` messages that stand in the channel itself (with an id below `before`), oldest first."""
        roots = _ENTRY.where(_said.channel == channel, _said.thread.is_(None))
        if before is not None:
            roots = roots.where(_said.id < before)
        with self._engines.reading() as connection:
            found = _entries(connection, roots.order_by(_said.id.desc()).limit(newest))
            return _with_replies(connection, channel, found[::-1])

    def head(self, channel: str, root: int) -> ThreadHead | None:
        """The message with this id that stands in the channel itself; None if there is none."""
        wanted = _ENTRY.where(_said.id == root, _said.channel == channel, _said.thread.is_(None))
        with self._engines.reading() as connection:
            found = _with_replies(connection, channel, _entries(connection, wanted))
            return found[0] if found else None

    def replies(self, channel: str, root: int) -> tuple[Entry, ...]:
        """What was said under a message, oldest first."""
        below = _ENTRY.where(_said.channel == channel, _said.thread == root).order_by(_said.id)
        with self._engines.reading() as connection:
            return _entries(connection, below)


def _entries(connection: Connection, statement: Select[Any]) -> tuple[Entry, ...]:
    return tuple(Entry(*row) for row in connection.execute(statement))


def _with_replies(connection: Connection, channel: str, roots: Sequence[Entry]) -> tuple[ThreadHead, ...]:
    counts = (
        select(_said.thread, func.count(), func.max(_said.at))
        .where(_said.channel == channel, _said.thread.in_([root.id for root in roots]))
        .group_by(_said.thread)
    )
    replies = {thread: (count, last_at) for thread, count, last_at in connection.execute(counts)}
    return tuple(ThreadHead(root, *replies.get(root.id, ())) for root in roots)
