"""What is said, as the page shows it: entries, threads, the page itself, and what an open page is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from bot.conversation import Entry, ThreadHead
from bot.platforms.local.assets import assets
from bot.platforms.local.settings import Channel, Settings
from bot.rendering.forms import one_line
from bot.rendering.html import templates

LONGEST = 2000  # characters of one message
_ANNOUNCED = 120  # characters of a new message that a screen reader is given

View = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows: the messages of a channel and, beside them, a thread.

    `explicit` says that the thread was asked for: only then it covers the channel on a phone. `last` is an id up to
    which the page has everything, None for a page of the past. `older` says that there are messages before these.
    """

    channel: Channel
    heads: Sequence[ThreadHead]
    last: int | None
    older: bool = False
    thread: ThreadHead | None = None
    replies: Sequence[Entry] = ()
    explicit: bool = False


class Renderer:
    """Renders through `templates/local/`. `run` names this run of the server in what open pages are sent."""

    def __init__(self, settings: Settings, run: str) -> None:
        self._settings = settings
        self.run = run

    def compile(self) -> None:
        """Load every template, which takes longer than to render it, so that no visitor waits for that."""
        for file in files("templates").joinpath("local").iterdir():
            if file.is_file():
                templates().get_template(f"local/{file.name}")

    def typed(self, text: str) -> str:
        """What was typed, as markup: its lines and nothing else."""
        return self._render("typed", lines=[one_line(line) for line in text.splitlines()]).strip()

    def page(self, shown: Shown) -> str:
        """The whole page."""
        return self._render(
            "page",
            shown=shown,
            settings=self._settings,
            heads=[self._head(head) for head in shown.heads],
            thread=shown.thread and self._head(shown.thread),
            replies=[self._entry(entry) for entry in shown.replies],
            assets=assets(),
            run=self.run,
            longest=LONGEST,
        )

    def event(self, entry: Entry, head: ThreadHead) -> str:
        """A new message as an open page is sent it; `head` is the root of its thread, or the message itself."""
        view = self._entry(entry)
        return json.dumps(
            {
                "id": entry.id,
                "thread": entry.thread,
                "root": head.root.id,
                "day": view["day"],
                "divider": self._render("divider", entry=view),
                "html": self._render("entry", entry=view, head=self._head(head) if entry.thread is None else None),
                "replies": self._render("replies", head=self._head(head)),
                "announcement": self._render("announcement", entry=view, text=_clipped(entry.text)),
            },
            ensure_ascii=False,
        )

    def problem(self, code: str, **values: object) -> str:
        """Why something was not done: one sentence of `templates/local/problems.html.j2`."""
        return self._render("problems", code=code, **values).strip()

    def problem_page(self, problem: str) -> str:
        """A page that says nothing but that."""
        return self._render("problem", problem=Markup(problem), assets=assets())  # noqa: S704 - rendered above

    def address(self, channel: Channel, *, thread: int | str | None = None, before: int | None = None) -> str:
        """The address of a channel's page, with a thread open or of an earlier time."""
        asked = {"channel": None if channel == self._settings.channels[0] else channel.id}
        given = {name: value for name, value in {**asked, "thread": thread, "before": before}.items() if value}
        return f"/?{urlencode(given)}" if given else "/"

    def _head(self, head: ThreadHead) -> View:
        last = head.last_at and head.last_at.astimezone(self._settings.zone)
        return {**self._entry(head.root), "replies": head.replies, "last": last}

    def _entry(self, entry: Entry) -> View:
        local = entry.at.astimezone(self._settings.zone)
        channel = self._settings.channel(entry.channel) or self._settings.channels[0]
        return {
            "id": entry.id,
            "is_bot": entry.is_bot,
            "html": Markup(entry.html),  # noqa: S704 - finished markup, made by `to_html` or `typed`
            "at": local,
            "day": local.date().isoformat(),
            "address": self.address(channel, thread=entry.thread or entry.id),
        }

    def _render(self, template: str, **values: object) -> str:
        return templates().get_template(f"local/{template}.html.j2").render(**values, address=self.address).lstrip()


def _clipped(text: str) -> str:
    line = one_line(text).strip()
    return line if len(line) <= _ANNOUNCED else f"{line[: _ANNOUNCED - 1]}…"
