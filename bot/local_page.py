"""Puts the local page together: conversations, a way to answer and a listener become a running page."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from time import monotonic

from bot.apology import apologising
from bot.commands import COMMANDS, Command
from bot.deadline import within
from bot.platforms.local.hub import Hub
from bot.platforms.local.receive import Parts, application
from bot.platforms.local.render import Renderer
from bot.platforms.local.send import LocalPlatform
from bot.platforms.local.settings import Settings, Suggestion
from bot.ports import Conversations, Respond
from bot.server import Listener
from bot.text import term
from bot.workers import Workers

_ANSWER_SECONDS = 30.0
_NEEDS_ARGUMENT = frozenset({"numbers", "number", "baseline"})


@dataclass(frozen=True)
class LocalPage:
    """A page that listens. Post through `platform`, also before `start`; `url` is where it is."""

    platform: LocalPlatform
    url: str
    _renderer: Renderer
    _listener: Listener
    _workers: Workers

    def start(self) -> None:
        """Begin to answer requests."""
        self._renderer.compile()
        self._listener.start()

    def stop(self, deadline: float) -> bool:
        """Take no new message, finish the answers, end the pages' streams; False if that takes longer (seconds)."""
        end = monotonic() + deadline
        finished = self._workers.stop(deadline)
        return self._listener.stop(max(1.0, end - monotonic())) and finished


def open_page(
    settings: Settings,
    conversations: Conversations,
    respond: Respond,
    *,
    host: str,
    port: int,
    now: Callable[[], datetime],
    threads: int = 4,
    waiting: int = 16,
) -> LocalPage:
    """Listen on `host` and `port` (0: a free one). `respond` runs on at most `threads` threads, `waiting` more wait.

    An exception of `respond` becomes an apology, and an answer that takes longer than 30 s one that says so.
    Raises `bot.server.ListenError`.
    """
    hub = Hub()
    renderer = Renderer(settings, secrets.token_hex(4))
    platform = LocalPlatform(settings, conversations, renderer, hub, now)
    workers = Workers("local", threads=threads, waiting=waiting)
    parts = Parts(
        settings, conversations, renderer, hub, platform, workers, apologising(within(respond, _ANSWER_SECONDS))
    )
    try:
        listener = Listener("local", application(parts, host), host, port, before_stop=hub.close)
    except BaseException:
        workers.stop(0)
        raise
    platform.url = listener.url
    return LocalPage(platform, listener.url, renderer, listener, workers)


def suggestions(
    answered: Collection[str], categories: Iterable[str], command: str = "/digest"
) -> tuple[Suggestion, ...]:
    """What the composer proposes: the commands that are `answered`, and each risk category as an argument."""
    rows = [row for row in COMMANDS if row.name in answered and not row.for_admins]
    return tuple(one for row in rows for one in _of_command(row, categories, command))


def _of_command(row: Command, categories: Iterable[str], command: str) -> Iterator[Suggestion]:
    names = (row.name, *row.synonyms)
    chinese, note = next(iter(row.synonyms), row.name), term(row.name, "command")
    complete = row.kind not in _NEEDS_ARGUMENT
    text = f"{command} {row.name}"
    usage = f"{text} {row.usage}".strip()
    yield Suggestion(text if complete else f"{text} ", names, chinese, row.name, usage, note, complete=complete)
    if row.kind == "category":
        for category in categories:
            keys = (*(f"{name} {category}" for name in names), category)
            line = f"{text} {category}"
            yield Suggestion(line, keys, category, row.name, line, note, deep=True)
