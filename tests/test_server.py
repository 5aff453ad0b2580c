"""The HTTP listener and the pool of workers: what cannot be listened on, what is refused, how both end."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterator
from functools import partial
from threading import Event, current_thread
from urllib.request import urlopen

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, Router

from bot.server import Listener, ListenError
from bot.workers import Work, Workers


async def hello(_request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"hello from {current_thread().name}")


APP = Router([Route("/", hello)])


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_a_free_port_is_found_and_served_on_a_thread_of_its_own() -> None:
    listener = Listener("local", APP, "127.0.0.1", 0)
    assert listener.port > 0
    listener.start()
    with urlopen(listener.url, timeout=5) as response:  # noqa: S310 - an address of our own
        assert response.read() == b"hello from http-local"
    assert listener.stop(5.0)
    with socket.create_server(("127.0.0.1", listener.port)):
        pass  # free again


def test_a_port_in_use_is_one_line_with_the_fix(taken: int) -> None:
    with pytest.raises(ListenError, match=rf"^127\.0\.0\.1:{taken} is in use: stop .*, or choose another port$"):
        Listener("local", APP, "127.0.0.1", taken)


@pytest.mark.parametrize(
    ("host", "port", "line"),
    [
        ("192.0.2.1", 0, "is not an address of this machine: correct the host"),
        ("no-such-host.invalid", 0, "the host no-such-host.invalid is not known"),
        ("127.0.0.1", 70_000, "choose one from 0 to 65535"),
        ("127.0.0.1", -1, "choose one from 0 to 65535"),
    ],
)
def test_an_address_that_cannot_be_listened_on(host: str, port: int, line: str) -> None:
    with pytest.raises(ListenError, match=line) as caught:
        Listener("local", APP, host, port)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("host", "shown"), [("0.0.0.0", "127.0.0.1"), ("::1", "[::1]"), ("127.0.0.1", "127.0.0.1")])  # noqa: S104 - shown otherwise
def test_the_address_to_open(host: str, shown: str) -> None:
    if host == "::1" and not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    listener = Listener("local", APP, host, 0)
    listener.start()
    assert listener.url == f"http://{shown}:{listener.port}/"
    assert listener.stop(5.0)


def test_an_answer_that_does_not_end_is_cut_off_at_the_deadline(caplog: pytest.LogCaptureFixture) -> None:
    begun, forever = Event(), Event()

    def slow(_request: Request) -> PlainTextResponse:
        begun.set()
        forever.wait(20)
        return PlainTextResponse("late")

    listener = Listener("local", Router([Route("/", slow)]), "127.0.0.1", 0)
    listener.start()
    with socket.create_connection(("127.0.0.1", listener.port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert begun.wait(5)
        start = time.monotonic()
        stopped = listener.stop(1.0)
        assert time.monotonic() - start < 4
        forever.set()
    assert not stopped
    assert caplog.records


def run(work: Work) -> Callable[[], Work]:
    return lambda: work


def test_what_there_is_no_room_for_is_refused_and_not_prepared() -> None:
    free = Event()
    prepared: list[int] = []
    workers = Workers("test", threads=1, waiting=1)

    def wait() -> None:
        free.wait(5)

    def prepare(number: int) -> Callable[[], Work]:
        def prepared_work() -> Work:
            prepared.append(number)
            return wait

        return prepared_work

    assert [workers.submit(prepare(number)) for number in range(3)] == [True, True, False]
    assert prepared == [0, 1]
    free.set()
    assert workers.stop(5.0)


def test_all_that_was_taken_is_finished_before_the_end() -> None:
    done: list[int] = []
    workers = Workers("test", threads=2, waiting=20)
    for number in range(10):
        assert workers.submit(run(partial(done.append, number)))
    assert workers.stop(5.0)
    assert sorted(done) == list(range(10))
    assert not workers.submit(run(lambda: None))


def test_the_end_does_not_wait_for_ever() -> None:
    forever = Event()
    workers = Workers("test", threads=1)

    def wait() -> None:
        forever.wait(20)

    assert workers.submit(run(wait))
    start = time.monotonic()
    assert not workers.stop(0.2)
    assert time.monotonic() - start < 2
    forever.set()


def test_a_failure_is_logged_and_the_thread_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    done = Event()
    workers = Workers("test", threads=1, waiting=4)

    def broken() -> None:
        raise RuntimeError("broken")

    def unprepared() -> Work:
        raise LookupError("not even begun")

    with pytest.raises(LookupError):
        workers.submit(unprepared)
    for _ in range(8):  # no room is lost
        while not workers.submit(run(broken)):
            time.sleep(0.01)
    while not workers.submit(run(done.set)):
        time.sleep(0.01)
    assert done.wait(5)
    assert workers.stop(5.0)
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 8
