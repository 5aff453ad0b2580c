"""The event stream of an open page: nothing lost, nothing twice, nobody held up by somebody slow."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import pytest

from bot.local_page import LocalPage
from bot.platforms.local.hub import Event, Hub
from bot.ports import Incoming, Reply
from tests.page import GENERAL, OTHER, digest_charts, post_digest, running_page, text
from tests.page_client import Stream, ask, elements, port_of, position, run_of, say

TABS = 60
SOON = 0.3  # seconds in which a command's answer is seen


@pytest.fixture
def page(tmp_path: Path) -> Iterator[LocalPage]:
    with running_page(tmp_path) as page:
        yield page


def said(stream: Stream, count: int) -> list[str]:
    return [elements(event.data["html"]).text for event in stream.entries(count)]


def test_an_open_page_is_sent_all_that_an_answer_takes(tmp_path: Path) -> None:
    def respond(incoming: Incoming) -> Reply:
        time.sleep(0.1)
        return Reply(text("答", incoming.text))

    with running_page(tmp_path, respond) as page, Stream(page, position(page)) as stream:
        events = [next(stream.events())]  # what a page is told at once; what is said before it would be in it
        thread = say(page, "问").json["thread"]
        events += stream.until_idle()
    assert stream.response.headers["content-type"].startswith("text/event-stream")
    states = [event.data for event in events if event.name == "status"]
    assert states == [{"busy": [], "failed": []}, {"busy": [thread], "failed": []}, {"busy": [], "failed": []}]
    typed, answer = [event for event in events if event.name == "entry"]
    assert (typed.data["thread"], answer.data["thread"]) == (None, thread)
    assert typed.data["root"] == answer.data["root"] == thread
    assert "1 条回复" in answer.data["replies"]
    assert answer.data["announcement"] == "PR 周报：答问"
    names = [event.name for event in events]
    assert names[-1] == "status"
    assert names.index("entry") < len(names) - 1 - names[::-1].index("entry")


def test_it_goes_on_after_the_last_id_without_loss_or_repetition(page: LocalPage) -> None:
    begin = position(page)
    with Stream(page, begin) as stream:
        for number in range(5):
            page.platform.post(GENERAL.id, text(f"number {number}"))
        first = stream.entries(3)
    page.platform.post(GENERAL.id, text("number 5"))
    with Stream(page, begin, headers={"Last-Event-ID": first[-1].id}) as stream:
        rest = stream.entries(3)
    ids = [event.data["id"] for event in (*first, *rest)]
    assert ids == sorted(set(ids))
    texts = [elements(event.data["html"]).text for event in (*first, *rest)]
    assert [f"number {number}" in shown for number, shown in enumerate(texts)] == [True] * 6


def test_who_is_far_behind_is_sent_what_was_stored(page: LocalPage) -> None:
    total = 300  # more than are kept in memory
    for number in range(total):
        page.platform.post(GENERAL.id, text(f"number {number}."))
    with Stream(page, position(page, 0)) as stream:
        texts = said(stream, total)
    assert [f"number {number}." in shown for number, shown in enumerate(texts)] == [True] * total


def test_while_others_write_nothing_is_lost(page: LocalPage) -> None:
    writers = [Thread(target=lambda: [page.platform.post(GENERAL.id, text("x")) for _ in range(25)]) for _ in range(4)]
    with Stream(page, position(page)) as stream:
        for writer in writers:
            writer.start()
        ids = [event.data["id"] for event in stream.entries(100)]
        for writer in writers:
            writer.join()
    assert ids == sorted(set(ids))
    assert len(ids) == 100


def test_a_page_of_another_run_is_told_to_load_itself_anew(page: LocalPage) -> None:
    for after in ("", "0", "another.1", f"{run_of(page)}.", f"{run_of(page)}.x", f"{run_of(page)}.99999999999"):
        with Stream(page, after) as stream:
            assert [event.name for event in stream.events()] == ["reload"]


def test_channels_are_streams_of_their_own(page: LocalPage) -> None:
    begin = position(page)
    with Stream(page, begin) as general, Stream(page, begin, OTHER.id) as other:
        page.platform.post(OTHER.id, text("there"))
        page.platform.post(GENERAL.id, text("here"))
        assert "here" in said(general, 1)[0]
        assert "there" in said(other, 1)[0]
    with Stream(page, begin, "nowhere") as nowhere:
        assert nowhere.response.status == 404


def test_sixty_open_tabs_do_not_slow_a_command(page: LocalPage) -> None:
    begin = position(page)
    threads = threading.active_count()
    with ExitStack() as stack:
        tabs = [stack.enter_context(Stream(page, begin)) for _ in range(TABS)]
        assert threading.active_count() <= threads + 5
        seconds = []
        for number in range(3):
            start = time.perf_counter()
            say(page, f"number {number}")
            tabs[0].entries(2)
            seconds.append(time.perf_counter() - start)
        for tab in tabs[1:]:
            assert len(tab.entries(6)) == 6
    assert min(seconds) < SOON


def test_a_tab_that_never_reads_holds_up_nobody(page: LocalPage) -> None:
    begin = position(page)
    with socket.create_connection(("127.0.0.1", port_of(page))) as dead, Stream(page, begin) as stream:
        dead.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = f"GET /events?channel=general&after={begin} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        dead.sendall(request.encode())
        root = post_digest(page)
        for _ in range(150):  # some megabytes, more than any socket takes
            page.platform.post(GENERAL.id, digest_charts(), root)
        assert len(stream.entries(150)) == 150
        assert ask(page, "/?thread=none").status == 200


def test_streams_end_when_the_page_stops(tmp_path: Path) -> None:
    with running_page(tmp_path) as page, Stream(page, position(page)) as stream:
        page.platform.post(GENERAL.id, text("the last words"))
        begin = time.monotonic()
        assert page.stop(5.0)
        assert time.monotonic() - begin < 3
        assert [event.name for event in stream.events()].count("entry") == 1


def test_the_hub_knows_what_it_has_forgotten() -> None:
    hub = Hub()
    assert hub.after("c", 0) is None
    hub.publish("c", Event(10, "ten"))
    assert hub.after("c", 9) == (Event(10, "ten"),)
    assert hub.after("c", 8) is None
    assert hub.after("c", 10) == ()
    for number in range(11, 400):
        hub.publish("c", Event(number, ""))
    known = hub.after("c", 399 - 256)
    assert known is not None
    assert [event.id for event in known] == list(range(144, 400))
    assert hub.after("c", 142) is None
    assert hub.after("other", 399) is None


def test_the_hub_counts_those_who_wait() -> None:
    hub = Hub()
    for thread in (7, 3, 7):
        hub.begin("c", thread)
    assert hub.status("c") == {"busy": [3, 7], "failed": []}
    hub.finish("c", 7, failed=True)
    hub.finish("c", 3)
    assert hub.status("c") == {"busy": [7], "failed": [7]}
    hub.finish("c", 7)
    hub.begin("c", 7)
    hub.finish("c", 7)
    assert hub.status("c") == {"busy": [], "failed": []}
    assert json.dumps(hub.status("other")) == '{"busy": [], "failed": []}'
