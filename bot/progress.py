"""Progress on stderr, on a terminal only, for work that takes more than a moment."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class TerminalProgress:
    """A `bot.ports.Progress` that draws bars with rich; a context manager that clears them at the end."""

    def __init__(self) -> None:
        self._bars: Progress | None = None
        self._task: TaskID | None = None
        self._done = 0

    def __enter__(self) -> Self:
        if sys.stderr is not None and sys.stderr.isatty():  # None: it was closed before the start
            self._bars = _bars()
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def start(self, what: str, total: int | None) -> None:
        """Begin a piece of work of `total` steps (None: unknown); the one before is done."""
        if self._bars is None:
            return
        if self._task is not None:
            self._bars.update(self._task, total=self._done, completed=self._done)
        self._task, self._done = self._bars.add_task(what, total=total), 0

    def advance(self, steps: int = 1) -> None:
        """`steps` more are done."""
        if self._bars is not None and self._task is not None:
            self._done += steps
            self._bars.advance(self._task, steps)


def _bars() -> Progress:
    from rich.console import Console  # noqa: PLC0415 - heavy, and only a terminal needs it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
