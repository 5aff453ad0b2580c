"""What happens at every tick: plan what is due, and wake workers for what waits."""

from __future__ import annotations

import logging
from threading import BoundedSemaphore

from bot.delivery.planning import Planner
from bot.delivery.sending import Deliverer
from bot.store.errors import StoreError
from bot.store.subscriptions import Subscription
from bot.workers import Work, Workers

_log = logging.getLogger(__name__)


class Rounds:
    """Plans in the caller's thread and delivers in at most `threads` of the workers' at once."""

    def __init__(self, planner: Planner, deliverer: Deliverer, workers: Workers, *, threads: int = 4) -> None:
        self._planner = planner
        self._deliverer = deliverer
        self._workers = workers
        self._room = BoundedSemaphore(threads)

    def tick(self) -> None:
        """Plan, and see to it that what waits is worked on. Raises StoreError and ClockAheadError."""
        self._planner.plan()
        self.wake()

    def first(self, subscription: Subscription) -> bool:
        """Post last week's digest at once; False when it is planned or posted already. Raises as `tick`."""
        entered = self._planner.first(subscription)
        self.wake()
        return entered

    def wake(self) -> None:
        """See to it that what waits is worked on; a busy pool is tried again at the next tick. Raises StoreError."""
        while self._deliverer.waiting() and self._room.acquire(blocking=False):
            if not self._workers.submit(self._prepared):
                self._room.release()
                return

    def stop(self) -> None:
        """Claim nothing more; what is being posted is finished by the workers."""
        self._deliverer.stop()

    def _prepared(self) -> Work:
        return self._deliver

    def _deliver(self) -> None:
        try:
            self._deliverer.deliver_all()
        except StoreError as error:
            _log.error("deliveries have to wait: %s", error)
        finally:
            self._room.release()
