"""The clock that ticks; what is due at a tick is decided elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Event, Lock, Thread
from time import monotonic

from apscheduler.executors.pool import ThreadPoolExecutor  # type: ignore[import-untyped]
from apscheduler.jobstores.base import JobLookupError  # type: ignore[import-untyped]
from apscheduler.schedulers.background import BackgroundScheduler  # type: ignore[import-untyped]
from apscheduler.triggers.base import BaseTrigger  # type: ignore[import-untyped]

_TICK = "tick"
_MISSED = 10  # ticks until the clock counts as stuck
_log = logging.getLogger(__name__)


class Clock:
    """Calls `tick` at once and then every `seconds`, one at a time; a tick that raises is logged, and the next comes.

    `stuck_after` is for how many seconds no tick may end before the clock counts as stuck (default: ten ticks, and
    five minutes at least). Raises ValueError for a time between ticks that is none.
    """

    def __init__(self, tick: Callable[[], None], *, seconds: float = 30.0, stuck_after: float | None = None) -> None:
        if seconds <= 0:
            raise ValueError(f"the time between two ticks must be above 0 s: {seconds}")
        self._tick = tick
        self._every = timedelta(seconds=seconds)
        self._stuck_after = max(300.0, _MISSED * seconds) if stuck_after is None else stuck_after
        self._lock = Lock()
        self._last_tick: datetime | None = None
        self._ended = monotonic()
        self._failure: str | None = None
        self._stopped = Event()
        self._guard = Thread(target=self._watch, name="clock-guard", daemon=True)
        self._scheduler = BackgroundScheduler(
            executors={"default": ThreadPoolExecutor(1, {"thread_name_prefix": "clock"})},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
            timezone=UTC,
        )

    def start(self) -> None:
        """Begin to tick."""
        # A slow tick makes APScheduler warn at every one that is skipped meanwhile; `problem` tells of it once.
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        self._ended = monotonic()
        self._scheduler.add_job(self._ticked, _Every(self._every), id=_TICK, next_run_time=datetime.now(UTC))
        self._scheduler.start()
        self._guard.start()

    def stop(self, deadline: float) -> bool:
        """Tick no more, and wait for the running tick; False when that takes longer than `deadline` seconds."""
        self._stopped.set()
        self._scheduler.shutdown(wait=False)
        running = self._lock.acquire(timeout=deadline)
        if running:
            self._lock.release()
        return running

    @property
    def last_tick(self) -> datetime | None:
        """When a tick last ended (UTC); None before the first."""
        return self._last_tick

    def problem(self) -> str | None:
        """Whether the clock stands still, in one English line: then only a restart helps."""
        silent = monotonic() - self._ended
        if silent < self._stuck_after:
            return None
        return f"no tick has ended for {silent:.0f} s: restart the bot, and look in the log for what it last began"

    def failure(self) -> str | None:
        """Why the last tick failed, in one line; None: it did not."""
        return self._failure

    def _ticked(self) -> None:
        with self._lock:
            if self._stopped.is_set():
                return
            try:
                self._tick()
            except Exception as error:  # noqa: BLE001 - the job boundary: whatever went wrong, the clock goes on
                self._note(f"{type(error).__name__}: {error}")
            else:
                self._failure = None
            finally:
                self._ended = monotonic()
                self._last_tick = datetime.now(UTC)

    def _note(self, failure: str) -> None:
        """Log the exception being handled, once for as long as it stays the same."""
        if failure != self._failure:
            _log.exception("a tick failed, and is tried again every %g s", self._every.total_seconds())
        self._failure = failure

    def _watch(self) -> None:
        """Wake the scheduler when the machine's clock was set back: it would sleep until the old time comes round."""
        while not self._stopped.wait(self._every.total_seconds()):
            job = self._scheduler.get_job(_TICK)
            if job is not None and job.next_run_time - datetime.now(UTC) > 2 * self._every:
                _log.warning("the machine's clock was set back")
                with suppress(JobLookupError):  # stopped meanwhile
                    self._scheduler.modify_job(_TICK, next_run_time=datetime.now(UTC))


class _Every(BaseTrigger):  # type: ignore[misc]  # APScheduler has no types
    """Fires again some time after now; after a jump of the clock not once for each time that was jumped over."""

    def __init__(self, every: timedelta) -> None:
        self._every = every

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:  # noqa: ARG002 - APScheduler's signature
        return now + self._every
