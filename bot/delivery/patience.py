"""How long a delivery waits for what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

_SHARE = 4
_DOUBLINGS = 20  # far more than `longest` allows


@dataclass(frozen=True, slots=True)
class Patience:
    """Spans of time, and a number of tries. Raises ValueError for a lease that ends before a message has settled.

    `lease` is how long one message may take; the platform has to give up sooner, by `settle` at least. `building`:
    how long making a digest may take. `settle`: after how long whatever was posted can be found. A message is tried
    again after a quarter of the time that has passed, a digest after twice as long as before, neither sooner than
    `shortest` nor later than `longest`. `tries`: how often a digest is built in vain before a person is asked (an hour
    or so). `on_time`: a digest that is planned later than this after it was due may be there already.
    """

    lease: timedelta = timedelta(minutes=2)
    building: timedelta = timedelta(minutes=15)
    settle: timedelta = timedelta(seconds=10)
    shortest: timedelta = timedelta(minutes=1)
    longest: timedelta = timedelta(minutes=15)
    tries: int = 8
    on_time: timedelta = timedelta(minutes=2)

    def __post_init__(self) -> None:
        if self.lease <= self.settle:
            raise ValueError(f"a lease of {self.lease} ends before a message has settled ({self.settle})")

    def before_retry(self, passed: timedelta) -> timedelta:
        """How long to wait before the next try, when `passed` since the first."""
        return min(max(passed / _SHARE, self.shortest), self.longest)

    def before_rebuild(self, tries: int) -> timedelta:
        """How long to wait before a digest is built again, after so many tries in a row."""
        return min(self.shortest * (1 << min(tries - 1, _DOUBLINGS)), self.longest)

    def before_look(self, passed: timedelta) -> timedelta:
        """How long to wait before looking for what may have been posted, when `passed` since the first try."""
        return min(max(passed / _SHARE, self.settle), self.longest)
