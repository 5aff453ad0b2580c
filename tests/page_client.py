"""A client of the local page over real sockets: requests with any headers, and the event stream."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

from bot.local_page import LocalPage

TIMEOUT = 10.0


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def port_of(page: LocalPage) -> int:
    port = urlsplit(page.url).port
    assert port is not None
    return port


def ask(page: LocalPage, path: str = "/", method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
    """One request; header names are given with _ for -."""
    connection = HTTPConnection("127.0.0.1", port_of(page), timeout=TIMEOUT)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return Answer(response.status, dict(response.headers.items()), response.read().decode())
    finally:
        connection.close()


def origin_of(page: LocalPage) -> str:
    return page.url.rstrip("/")


def say(page: LocalPage, text: str, thread: int | str = "", channel: str = "general", **headers: str) -> Answer:
    """Post a message as the page's script does."""
    body = urlencode({"channel": channel, "thread": thread, "text": text}).encode()
    given = {"Origin": origin_of(page), "Accept": "application/json"} | headers
    return ask(page, "/messages", "POST", body, **given)


@dataclass
class Event:
    name: str = ""
    id: str = ""
    data: Any = None


@dataclass
class Stream:
    """An open page's event stream."""

    page: LocalPage
    after: str
    channel: str = "general"
    headers: Mapping[str, str] = field(default_factory=dict)

    def __enter__(self) -> Self:
        self._connection = HTTPConnection("127.0.0.1", port_of(self.page), timeout=TIMEOUT)
        path = f"/events?{urlencode({'channel': self.channel, 'after': self.after})}"
        self._connection.request("GET", path, headers=dict(self.headers))
        self.response = self._connection.getresponse()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.response.close()  # the connection alone would keep its socket for the response
        self._connection.close()

    def events(self) -> Iterator[Event]:
        event = Event()
        for raw in self.response:
            line = raw.decode().rstrip("\n")
            if not line:
                if event.name:
                    yield event
                event = Event()
                continue
            name, _, value = line.partition(": ")
            match name:
                case "event":
                    event.name = value
                case "id":
                    event.id = value
                case "data":
                    event.data = json.loads(value)

    def entries(self, count: int) -> list[Event]:
        """The next so many messages."""
        found: list[Event] = []
        for event in self.events():
            if event.name == "entry":
                found.append(event)
            if len(found) == count:
                break
        return found

    def until_idle(self) -> list[Event]:
        """Everything up to the moment when, after something was going on, nothing is any more."""
        found: list[Event] = []
        begun = False
        for event in self.events():
            found.append(event)
            if event.name == "status":
                begun = begun or bool(event.data["busy"])
                if begun and not event.data["busy"]:
                    return found
        return found


def run_of(page: LocalPage) -> str:
    """The name of this run of the server, as the page says it."""
    return attributes(ask(page).body, "body")["data-run"]


def position(page: LocalPage, last: int | None = None) -> str:
    """Where a page that was just loaded (or has everything up to `last`) begins to listen."""
    body = attributes(ask(page).body, "body")
    return f"{body['data-run']}.{body['data-last'] if last is None else last}"


class Elements(HTMLParser):
    """The elements of a page in order, each with its attributes, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data


def elements(html: str) -> Elements:
    parser = Elements()
    parser.feed(html)
    parser.close()
    return parser


def attributes(html: str, tag: str) -> dict[str, str]:
    """The attributes of the first element of that name."""
    return next(found for name, found in elements(html).found if name == tag)


def answered(page: LocalPage, thread: int, count: int = 2) -> str:
    """The page of a thread once it has so many messages."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        html = ask(page, f"/?thread={thread}").body
        panel = html[html.index('<aside id="thread"') :]
        if panel.count("data-message=") >= count:
            return panel
        time.sleep(0.01)
    raise AssertionError(f"thread {thread} never had {count} messages")
