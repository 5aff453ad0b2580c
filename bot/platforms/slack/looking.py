"""What the bot can see of its channels: what it posted there, who is there, and who reads along."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from threading import Lock
from time import monotonic
from typing import Generic, TypeVar

from bot.platforms.slack.api import Answer, SlackApi
from bot.platforms.slack.failures import Denied
from bot.platforms.slack.posting import EVENT_TYPE
from bot.ports import CannotLook, NotSent, Refused, ThreadGone, Unsure

_SKEW = timedelta(minutes=2)
"""How far Slack's clock may be behind ours."""

_FRESH = 60.0  # seconds for which it is believed who is in a channel and who reads it
_Found = TypeVar("_Found")
_log = logging.getLogger(__name__)


class Looking:
    """Reads channels. Usable from several threads."""

    def __init__(self, api: SlackApi, clock: Callable[[], float] = monotonic) -> None:
        self._api = api
        self._external = _Kept[bool](clock)
        self._members = _Kept[frozenset[str]](clock)

    def find(self, channel: str, key: str, since: datetime, thread: str | None = None) -> str | None:
        """As `bot.ports.ChatPlatform.find`."""
        window = {"channel": channel, "oldest": f"{(since - _SKEW).timestamp():.6f}", "include_all_metadata": True}
        asked = (
            ("conversations.history", window) if thread is None else ("conversations.replies", window | {"ts": thread})
        )
        try:
            me = self._api.identity().bot
            pages = self._api.pages(*asked)
            return next((one["ts"] for page in pages for one in _messages(page) if _is_ours(one, key, me)), None)
        except ThreadGone:
            return None  # with its root went what stood under it
        except Refused as refused:
            raise CannotLook(f"{refused}: until then the bot cannot see what it posted") from refused
        except Unsure as unsure:
            raise NotSent(str(unsure)) from unsure

    def external(self, channel: str) -> bool | None:
        """As `bot.ports.ChatPlatform.external`; what cannot be asked for now is not known either."""
        return self._external.get(channel, lambda: self._ask_external(channel))

    def shares(self, channel: str, user: str) -> bool | None:
        """As `bot.ports.ChatPlatform.shares`; what cannot be asked for now is not known either."""
        members = self._members.get(channel, lambda: self._ask_members(channel))
        return None if members is None else user in members

    def permalink(self, channel: str, message: str) -> str | None:
        """As `bot.ports.ChatPlatform.permalink`; None too where Slack does not answer, a link being no more."""
        try:
            link = self._api.read("chat.getPermalink", {"channel": channel, "message_ts": message}).get("permalink")
        except (Refused, NotSent, Unsure, ThreadGone) as error:
            _log.warning("no link to message %s: %s", message, error)
            return None
        return str(link) if link else None

    def _ask_external(self, channel: str) -> bool:
        found = self._api.read("conversations.info", {"channel": channel}).get("channel") or {}
        return bool(found.get("is_ext_shared") or found.get("is_pending_ext_shared"))

    def _ask_members(self, channel: str) -> frozenset[str]:
        pages = self._api.pages("conversations.members", {"channel": channel})
        return frozenset(str(member) for page in pages for member in page.get("members") or ())


class _Kept(Generic[_Found]):
    """Answers that are believed for a minute; one that could not be had is None, and is asked for again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = Lock()
        self._answers: dict[str, tuple[float, _Found]] = {}

    def get(self, channel: str, ask: Callable[[], _Found]) -> _Found | None:
        with self._lock:
            kept = self._answers.get(channel)
        if kept is not None and self._clock() - kept[0] < _FRESH:
            return kept[1]
        found = _asked(channel, ask)
        if found is not None:
            with self._lock:
                self._answers[channel] = (self._clock(), found)
        return found


def _asked(channel: str, ask: Callable[[], _Found]) -> _Found | None:
    try:
        return ask()
    except Denied as denied:
        if denied.code != "missing_scope":  # said once, at the start
            _log.warning("the channel %s cannot be read: %s", channel, denied)
    except (Refused, NotSent, Unsure, ThreadGone) as error:
        _log.warning("the channel %s cannot be read: %s", channel, error)
    return None


def _messages(page: Answer) -> Iterator[Answer]:
    yield from (one for one in page.get("messages") or () if isinstance(one, dict))


def _is_ours(message: Answer, key: str, bot: str) -> bool:
    metadata = message.get("metadata") or {}
    payload = metadata.get("event_payload") or {}
    return metadata.get("event_type") == EVENT_TYPE and payload.get("key") == key and message.get("bot_id") == bot
