"""What was said on the local page is kept: in order, in its thread, across a restart."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Engine, event

from bot.conversation import Entry
from bot.ports import Conversations
from bot.store.store import Store
from tests.stores import KINDS, opened

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)


@pytest.fixture(params=KINDS)
def said(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Conversations]:
    with opened(request.param, tmp_path) as store:
        yield store.conversations()


def add(said: Conversations, text: str, thread: int | None = None, *, channel: str = "general", minute: int = 0) -> int:
    at = NOON + timedelta(minutes=minute)
    return said.add(channel, thread, "dev", is_bot=False, html=f"<p>{text}</p>", text=text, at=at).id


def test_what_is_said_comes_back_equal(said: Conversations) -> None:
    local = NOON.astimezone(ZoneInfo("Asia/Shanghai"))
    entry = said.add("一般", None, "周报", is_bot=True, html="<p>早</p>\n", text="早 👩‍💻\n", at=local)
    assert entry == Entry(1, "一般", None, "周报", is_bot=True, html="<p>早</p>\n", text="早 👩‍💻\n", at=NOON)
    assert said.entries("一般") == (entry,)
    assert said.entries("一般")[0].at.tzinfo is UTC


def test_ids_grow_over_all_channels(said: Conversations) -> None:
    assert said.last() == 0
    ids = [add(said, "a"), add(said, "b", channel="other"), add(said, "c")]
    assert ids == sorted(set(ids))
    assert said.last() == ids[-1]
    assert [entry.id for entry in said.entries("general", after=ids[0])] == [ids[2]]
    assert said.entries("nowhere") == ()


def test_heads_are_the_newest_with_their_replies_counted(said: Conversations) -> None:
    roots = [add(said, f"root {n}") for n in range(4)]
    replies = [add(said, "one", roots[1], minute=1), add(said, "two", roots[1], minute=2)]
    add(said, "elsewhere", channel="other")
    heads = said.heads("general", 3)
    assert [head.root.id for head in heads] == roots[1:]
    assert [head.replies for head in heads] == [2, 0, 0]
    assert heads[0].last_at == NOON + timedelta(minutes=2)
    assert heads[1].last_at is None
    assert [head.root.id for head in said.heads("general", 3, before=roots[1])] == roots[:1]
    assert [entry.id for entry in said.replies("general", roots[1])] == replies


def test_a_head_is_a_message_of_the_channel_itself(said: Conversations) -> None:
    root = add(said, "root")
    reply = add(said, "reply", root)
    head = said.head("general", root)
    assert head is not None
    assert (head.root.id, head.replies) == (root, 1)
    assert said.head("general", reply) is None
    assert said.head("other", root) is None
    assert said.head("general", 99) is None
    assert said.replies("other", root) == ()


def test_what_cannot_be_kept_is_refused(said: Conversations) -> None:
    with pytest.raises(ValueError, match="contradicts what is stored"):
        add(said, "reply to nothing", 99)
    with pytest.raises(ValueError, match="time zone"):
        said.add("general", None, "dev", is_bot=False, html="", text="", at=datetime(2026, 3, 9))  # noqa: DTZ001 - the point
    assert said.entries("general") == ()


def test_a_restart_forgets_nothing(address: str) -> None:
    with Store.open(address) as store:
        root = add(store.conversations(), "root")
    with Store.open(address) as store:
        said = store.conversations()
        assert add(said, "reply", root) > root
        assert [entry.text for entry in said.entries("general")] == ["root", "reply"]


def test_many_write_at_once(said: Conversations) -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda n: add(said, str(n)), range(40)))
    assert len(set(ids)) == len(ids)
    assert sorted(int(entry.text) for entry in said.entries("general")) == list(range(40))


def test_only_indexes_are_used(tmp_path: Path) -> None:
    path = tmp_path / "bot.db"
    sent: list[tuple[str, tuple[object, ...]]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: tuple[object, ...], *_: object) -> None:
        if statement.startswith("SELECT"):
            sent.append((statement, parameters))

    with Store.open(f"sqlite:///{path}") as store:
        said = store.conversations()
        root = add(said, "root")
        event.listen(Engine, "before_cursor_execute", note)
        try:
            said.heads("general", 50)
            said.heads("general", 50, before=7)
            said.head("general", root)
            said.replies("general", root)
            said.entries("general", root)
        finally:
            event.remove(Engine, "before_cursor_execute", note)
    assert len(sent) == 8
    with closing(sqlite3.connect(path)) as connection:
        for statement, parameters in sent:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
            assert not [step for step in plan if step.startswith("SCAN") or "TEMP B-TREE FOR ORDER" in step], statement
