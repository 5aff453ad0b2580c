"""Posts into the channels of the local page: renders, remembers, wakes the open pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from threading import Lock

from bot.conversation import Entry, ThreadHead
from bot.message import Message
from bot.platforms.local.hub import Event, Hub
from bot.platforms.local.render import Renderer
from bot.platforms.local.settings import Settings
from bot.ports import Conversations
from bot.rendering.html import to_html
from bot.rendering.plain import to_plain

BOT = "digest-bot"
_HEADING = 3  # the page's own headings end at 2


class LocalPlatform:
    """Fulfils `bot.ports.ChatPlatform`. Ids are those of the entries, in decimal. Usable from several threads."""

    name = "local"

    def __init__(
        self,
        settings: Settings,
        conversations: Conversations,
        renderer: Renderer,
        hub: Hub,
        now: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._conversations = conversations
        self._renderer = renderer
        self._hub = hub
        self._now = now
        self._lock = Lock()

    def post(self, channel: str, message: Message, thread: str | None = None) -> str:
        """Post as the bot. Raises LookupError for a channel or thread that does not exist, and StoreError."""
        html = to_html(message, level=_HEADING)
        return str(self._keep(channel, thread, BOT, html, to_plain(message), is_bot=True).id)

    def say(self, channel: str, text: str, user: str, thread: str | None = None) -> Entry:
        """Post as the person at the page. Raises as `post` does."""
        return self._keep(channel, thread, user, self._renderer.typed(text), text, is_bot=False)

    def missed(self, channel: str, after: int) -> tuple[Event, ...]:
        """What a page is sent that has everything up to the id `after`, read from what was stored."""
        heads: dict[int, ThreadHead] = {}
        events = []
        for entry in self._conversations.entries(channel, after):
            root = entry.thread or entry.id
            if root not in heads:
                heads[root] = self._head(channel, root)
            events.append(Event(entry.id, self._renderer.event(entry, heads[root])))
        return tuple(events)

    def _keep(self, channel: str, thread: str | None, author: str, html: str, text: str, *, is_bot: bool) -> Entry:
        if self._settings.channel(channel) is None:
            raise LookupError(f"the local page has no channel {channel}")
        root = None if thread is None else self._head(channel, int(thread)).root.id
        # Ids must reach the hub in the order in which they were given: a page asks for what is above the last it has.
        with self._lock:
            entry = self._conversations.add(channel, root, author, is_bot=is_bot, html=html, text=text, at=self._now())
            event = self._renderer.event(entry, self._head(channel, root or entry.id))
            self._hub.publish(channel, Event(entry.id, event))
        return entry

    def _head(self, channel: str, root: int) -> ThreadHead:
        head = self._conversations.head(channel, root)
        if head is None:
            raise LookupError(f"channel {channel} has no thread {root}")
        return head
