"""What an open page is sent: whatever was said, the elements are those of the templates."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation import Entry, ThreadHead
from bot.message import Message
from bot.platforms.local.render import Renderer
from bot.rendering.html import to_html
from bot.rendering.plain import to_plain
from tests.page import GENERAL, OTHER, SETTINGS
from tests.page_client import elements
from tests.test_rendering import HOSTILE, STARTS, every_block_with, shown

LATE = datetime(2026, 3, 9, 17, 5, tzinfo=UTC)  # 01:05 of the next day where the page's readers are
RENDERER = Renderer(SETTINGS, "run")


def entry(html: str, text: str, **changes: object) -> Entry:
    given: dict[str, object] = {"id": 7, "channel": GENERAL.id, "thread": 3, "author": "local", "is_bot": False}
    return Entry(**given | changes, html=html, text=text, at=LATE)  # type: ignore[arg-type]


def sent(said: Entry) -> dict[str, object]:
    root = said if said.thread is None else entry("<p>x</p>", "x", id=said.thread, thread=None)
    data: dict[str, object] = json.loads(RENDERER.event(said, ThreadHead(root, 2, LATE)))
    return data


def structure(said: Entry) -> list[tuple[str, list[str]]]:
    data = sent(said)
    parts = (str(data[name]) for name in ("divider", "html", "replies"))
    return [(tag, list(given)) for part in parts for tag, given in elements(part).found]


@given(
    st.one_of(st.text(max_size=80), st.sampled_from([*HOSTILE, *STARTS]), st.text(st.sampled_from("<>&\"'`={}%/ a")))
)
def test_typed_text_stays_text(text: str) -> None:
    line = " ".join(text.split())
    html = RENDERER.typed(line)
    assert structure(entry(html, line)) == structure(entry(RENDERER.typed("x"), "x"))
    assert shown(elements(html).text) == shown(line)
    assert shown(str(sent(entry(html, line))["announcement"])).startswith("你：")


@pytest.mark.parametrize("text", [*HOSTILE, *STARTS])
def test_what_the_bot_says_of_strangers_stays_text(text: str) -> None:
    def said(message: Message) -> Entry:
        return entry(to_html(message, level=3), to_plain(message), is_bot=True, thread=None)

    assert structure(said(every_block_with(text))) == structure(said(every_block_with("x")))


def test_an_event_is_one_line() -> None:
    said = entry(RENDERER.typed("a\nb\u2028c"), "a\nb\u2028c\r\n")
    assert "\n" not in RENDERER.event(said, ThreadHead(said))


def test_times_are_those_of_the_readers() -> None:
    data = sent(entry("<p>x</p>", "x"))
    assert data["day"] == "2026-03-10"
    assert "3月10日 星期二" in str(data["divider"])
    assert "01:05" in str(data["html"])


def test_an_announcement_is_short() -> None:
    data = sent(entry("<p>x</p>", "长" * 500, is_bot=True))
    assert len(str(data["announcement"])) < 140


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (RENDERER.address(GENERAL), "/"),
        (RENDERER.address(GENERAL, thread=7), "/?thread=7"),
        (RENDERER.address(OTHER, thread="none"), "/?channel=C+2%26x&thread=none"),
        (RENDERER.address(OTHER, before=9), "/?channel=C+2%26x&before=9"),
    ],
)
def test_addresses(address: str, expected: str) -> None:
    assert address == expected
