"""The chat platforms of a configuration: only here are their clients built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from starlette.routing import BaseRoute

from bot.analysis import rules
from bot.config import Config
from bot.desks import UsageError
from bot.local_page import LocalPage, open_page, suggestions
from bot.platforms.local.settings import Channel, Settings
from bot.ports import ChatPlatform, Joined, Respond
from bot.store.store import Store
from handlers import HANDLERS
from handlers.ask import categories_of


class Chat(Protocol):
    """A chat platform whose events are kept and then handled."""

    @property
    def platform(self) -> ChatPlatform:
        """Where messages are posted."""

    def start(self, take: Callable[[tuple[str, ...], str], None]) -> Sequence[BaseRoute]:
        """Begin to receive; `take` keeps an event before it is acknowledged.

        Returns what the server has to serve for it.
        """

    def handle(self, payload: str, respond: Respond, joined: Callable[[Joined], None]) -> None:
        """Answer an event that was kept."""

    def ready(self) -> str | None:
        """Why nothing is received, in one English line; None: it is."""

    def alive(self) -> str | None:
        """What only a restart may mend; None: nothing."""

    def stop(self) -> None:
        """Receive nothing more; what was received can still be answered."""


def chats_of(config: Config) -> dict[str, Chat]:
    """The configured chat platforms. Their SDKs are loaded only when configured."""
    chats: dict[str, Chat] = {}
    if config.slack is not None:
        from bot.platforms.slack.connection import SlackConnection  # noqa: PLC0415 - the SDK costs time and memory

        chats["slack"] = SlackConnection(config.slack)
    return chats


def page_of(config: Config, store: Store, respond: Respond, now: Callable[[], datetime]) -> LocalPage | None:
    """The chat page of the configuration, which listens but does not answer yet."""
    if config.local is None:
        return None
    channels = tuple(
        Channel(one.id, one.name or one.id, one.repositories) for one in config.channels if one.platform == "local"
    )
    if not channels:
        raise UsageError("local: no channel of the page is configured: list one with platform: local under channels")
    categories = dict.fromkeys(name for one in config.repositories for name in categories_of(rules.load(one.rules)))
    settings = Settings(channels, ZoneInfo(config.timezone), suggestions(set(HANDLERS), categories))
    return open_page(settings, store.conversations(), respond, host=config.local.host, port=config.local.port, now=now)
