"""Posts into the channels of the local page: renders, remembers, wakes the open pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from threading import Lock

from bot.conversation import Entry, ThreadHead
from bot.message import Message, PullRequestRef
from bot.platforms.local.hub import Event, Hub
from bot.platforms.local.render import Renderer
from bot.platforms.local.settings import Settings
from bot.ports import Conversations, Part, Refused, ThreadGone
from bot.rendering.html import to_html
from bot.rendering.plain import to_plain

BOT = "digest-bot"
_HEADING = 3  # the page's own headings end at 2


class LocalPlatform:
    """Fulfils `bot.ports.ChatPlatform`. Ids are those of the entries, in decimal. Usable from several threads.

    `url` is where the page is, once it listens.
    """

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
        self.url: str | None = None

    def post(self, channel: str, message: Message, thread: str | None = None) -> str:
        """Post as the bot. Raises LookupError for a channel or thread that does not exist, and StoreError."""
        return self._post(channel, _body(message), thread)

    def parts(self, message: Message) -> tuple[Part, ...]:
        """The message in one part, whatever its length."""
        numbers = (one.url for one in message.spans() if isinstance(one, PullRequestRef))
        return (Part(json.dumps(_body(message), ensure_ascii=False), tuple(dict.fromkeys(numbers))),)

    def send(self, channel: str, part: Part, key: str, thread: str | None = None, since: datetime | None = None) -> str:  # noqa: ARG002 - posted whole
        """Post a part once: a key that was used already gives the message that has it."""
        known = self._conversations.keyed(key)
        if known is not None:
            return str(known.id)
        try:
            return self._post(channel, json.loads(part.body), thread, key)
        except LookupError as error:
            raise (Refused(f"{error}: name it under channels") if thread is None else ThreadGone(str(error))) from error

    def find(self, channel: str, key: str, since: datetime, thread: str | None = None) -> str | None:  # noqa: ARG002 - a key is enough here
        """The id of the message that has this key."""
        known = self._conversations.keyed(key)
        return None if known is None else str(known.id)

    def withdraw(self, channel: str, message: str) -> None:  # noqa: ARG002 - ids count over all channels
        """Delete a message; pages that are open show it until they are loaded again."""
        self._conversations.remove(int(message))

    def permalink(self, channel: str, message: str) -> str | None:
        """The address of a message's thread; None before the page listens."""
        shown = self._settings.channel(channel)
        if shown is None or self.url is None:
            return None
        return self.url.rstrip("/") + self._renderer.address(shown, thread=message)

    def external(self, channel: str) -> bool | None:  # noqa: ARG002 - of every channel
        """Never: whoever can open the page is of the house."""
        return False

    def shares(self, channel: str, user: str) -> bool | None:  # noqa: ARG002 - of every channel and user
        """Always: the page has no private conversations."""
        return True

    def _post(self, channel: str, body: Mapping[str, str], thread: str | None, key: str | None = None) -> str:
        return str(self._keep(channel, thread, BOT, body["html"], body["text"], is_bot=True, key=key).id)

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

    def _keep(
        self,
        channel: str,
        thread: str | None,
        author: str,
        html: str,
        text: str,
        *,
        is_bot: bool,
        key: str | None = None,
    ) -> Entry:
        if self._settings.channel(channel) is None:
            raise LookupError(f"the local page has no channel {channel}")
        root = None if thread is None else self._head(channel, int(thread)).root.id
        # Ids must reach the hub in the order in which they were given: a page asks for what is above the last it has.
        with self._lock:
            entry = self._conversations.add(
                channel, root, author, is_bot=is_bot, html=html, text=text, at=self._now(), key=key
            )
            event = self._renderer.event(entry, self._head(channel, root or entry.id))
            self._hub.publish(channel, Event(entry.id, event))
        return entry

    def _head(self, channel: str, root: int) -> ThreadHead:
        head = self._conversations.head(channel, root)
        if head is None:
            raise LookupError(f"channel {channel} has no thread {root}")
        return head


def _body(message: Message) -> dict[str, str]:
    return {"html": to_html(message, level=_HEADING), "text": to_plain(message)}
