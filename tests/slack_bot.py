"""A bot on the Slack double: the real connection, an inbox in memory, and whatever way to answer a test gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from bot.config import Slack as Settings
from bot.message import Message, Plain, Text
from bot.platforms.slack.connection import SlackConnection
from bot.ports import Incoming, Joined, Reply, Respond
from bot.server import Listener
from bot.web import application
from bot.workers import Workers
from tests.doubles.slack import Slack


def said(text: str, *more: str) -> Message:
    """A message of plain paragraphs."""
    return Message(tuple(Text((Plain(line),)) for line in (text, *more)), summary=text)


def echo(incoming: Incoming) -> Reply:
    """Says what was said."""
    return Reply(said(f"echo: {incoming.text}"), to_all=not incoming.private)


def settings(slack: Slack, mode: str = "socket", **changes: Any) -> Settings:
    given = {
        "mode": mode,
        "bot_token": slack.bot_token,
        "app_token": slack.app_token,
        "signing_secret": slack.signing_secret,
        "api_url": slack.api_url,
    }
    return Settings.model_validate(given | changes)


@dataclass
class Memory:
    """An inbox that forgets when the process ends: each key once, what was taken goes to the workers."""

    handle: Callable[[str], None]
    workers: Workers = field(default_factory=lambda: Workers("slack-test", threads=4, waiting=200))
    payloads: list[str] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    broken: Exception | None = None
    _keys: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def take(self, keys: tuple[str, ...], payload: str) -> None:
        if self.broken is not None:
            raise self.broken
        with self._lock:
            if self._keys & set(keys):
                return
            self._keys |= set(keys)
            self.payloads.append(payload)
        assert self.workers.submit(lambda: lambda: self.run(payload))

    def run(self, payload: str) -> None:
        try:
            self.handle(payload)
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self.errors.append(error)


@dataclass
class Bot:
    """A running bot; `heard` is what `respond` was asked, `joins` what it was told of channels."""

    connection: SlackConnection
    inbox: Memory
    heard: list[Incoming]
    joins: list[Joined]


@contextmanager
def running(
    slack: Slack, respond: Respond = echo, *, mode: str = "socket", command: str = "/digest", **options: Any
) -> Iterator[Bot]:
    """A bot that is connected to the double, or served to it over HTTP."""
    heard: list[Incoming] = []
    joins: list[Joined] = []

    def noted(incoming: Incoming) -> Reply | None:
        heard.append(incoming)
        return respond(incoming)

    connection = SlackConnection(settings(slack, mode, command=command), **options)
    inbox = Memory(lambda payload: connection.handle(payload, noted, joins.append))
    routes = connection.start(inbox.take)
    listener = None
    if mode == "http":
        listener = Listener("slack-test", application({}, {}, lambda: b"", routes), "127.0.0.1", 0)
        listener.start()
        assert slack.use_http(f"{listener.url}slack/events")
    else:
        slack.until(slack.connected)
    try:
        yield Bot(connection, inbox, heard, joins)
    finally:
        connection.stop()
        if listener is not None:
            listener.stop(5)
        assert inbox.workers.stop(10)
