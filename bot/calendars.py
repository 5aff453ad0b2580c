"""What is asked of a calendar: when the readers work, which holidays they have, and what these do to a digest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol

OnHoliday = Literal["post", "skip", "shift"]
"""What becomes of a digest whose day is a holiday: it comes all the same, not at all, or on the next working day."""


@dataclass(frozen=True, slots=True)
class Holiday:
    """Days off in a row, `first` to `last`, that hold a public holiday.

    `days` are those that are holidays or stand in for one; the others are weekend.
    """

    names: tuple[str, ...]
    first: date
    last: date
    days: tuple[date, ...]


class Calendar(Protocol):
    """When the readers work."""

    def is_day_off(self, day: date) -> bool:
        """Whether they are off: on a holiday or the weekend, unless they work on that day in exchange."""

    def holiday(self, day: date) -> Holiday | None:
        """The holiday in whose days off in a row the day lies; None for a working day and an ordinary weekend."""

    def is_arranged(self, year: int) -> bool:
        """Whether it is known already which weekend days of a year are worked in exchange."""
