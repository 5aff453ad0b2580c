"""The clock ticks on, whatever a tick does."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event
from time import monotonic, sleep

import pytest

from bot.clock import Clock, _Every

EVERY = 0.02


@contextmanager
def running(tick: Callable[[], None], **changes: float) -> Iterator[Clock]:
    clock = Clock(tick, **{"seconds": EVERY, **changes})
    clock.start()
    try:
        yield clock
    finally:
        assert clock.stop(5)


def wait_for(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "it never came"
        sleep(0.005)


def test_it_ticks_at_once_and_again() -> None:
    ticks: list[float] = []
    began = monotonic()
    with running(lambda: ticks.append(monotonic()), seconds=0.3) as clock:
        wait_for(lambda: len(ticks) == 2)
        wait_for(lambda: clock.last_tick is not None)
        assert clock.problem() is None
    assert ticks[0] - began < 0.25
    assert ticks[1] - ticks[0] > 0.2


def test_nothing_ticks_before_the_start_or_after_the_stop() -> None:
    ticks: list[None] = []
    clock = Clock(lambda: ticks.append(None), seconds=EVERY)
    assert (clock.last_tick, clock.problem()) == (None, None)
    sleep(3 * EVERY)
    assert ticks == []
    clock.start()
    wait_for(lambda: len(ticks) > 1)
    assert clock.stop(5)
    stood = len(ticks)
    sleep(3 * EVERY)
    assert len(ticks) == stood


def test_a_tick_that_fails_is_logged_once_and_the_next_comes(caplog: pytest.LogCaptureFixture) -> None:
    ticks: list[None] = []

    def tick() -> None:
        ticks.append(None)
        if len(ticks) < 5:
            raise OSError("the disk is full")

    with running(tick) as clock:
        wait_for(lambda: len(ticks) > 2)
        assert clock.failure() == "OSError: the disk is full"
        wait_for(lambda: len(ticks) > 6)
        assert clock.failure() is None
    assert len([one for one in caplog.records if one.levelno == logging.ERROR]) == 1


def test_ticks_never_overlap_and_a_hung_one_is_noticed() -> None:
    begun: list[None] = []
    goes_on = Event()

    def tick() -> None:
        begun.append(None)
        goes_on.wait(10)

    with running(tick, stuck_after=0.1) as clock:
        wait_for(lambda: clock.problem() is not None)
        assert "restart the bot" in (clock.problem() or "")
        assert len(begun) == 1
        assert clock.last_tick is None
        goes_on.set()
        wait_for(lambda: len(begun) > 2)
        assert clock.problem() is None


def test_stopping_waits_for_the_running_tick_as_long_as_it_is_given() -> None:
    begun, goes_on, done = Event(), Event(), Event()

    def tick() -> None:
        begun.set()
        goes_on.wait(10)
        done.set()

    clock = Clock(tick, seconds=EVERY)
    clock.start()
    assert begun.wait(5)
    assert not clock.stop(0.05)
    goes_on.set()
    assert done.wait(5)


def test_a_clock_that_was_set_back_does_not_stop_it(caplog: pytest.LogCaptureFixture) -> None:
    ticks: list[None] = []
    with running(lambda: ticks.append(None)) as clock:
        wait_for(lambda: len(ticks) > 0)
        # What it looks like from inside: the next tick is an hour away. The machine's own clock is not ours to set.
        clock._scheduler.modify_job("tick", next_run_time=datetime.now(UTC) + timedelta(hours=1))  # noqa: SLF001
        stood = len(ticks)
        wait_for(lambda: len(ticks) > stood + 1)
    assert "set back" in caplog.text


def test_a_clock_that_jumps_ahead_is_not_made_up_for() -> None:
    trigger = _Every(timedelta(seconds=30))
    now = datetime(2027, 1, 12, tzinfo=UTC)
    assert trigger.get_next_fire_time(now - timedelta(days=365), now) == now + timedelta(seconds=30)


def test_a_time_between_ticks_must_be_one() -> None:
    with pytest.raises(ValueError, match="above 0"):
        Clock(lambda: None, seconds=0)
