"""Editions in a process of their own: no acknowledgement waits for their computing, and the bot does not die of it."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Lock
from typing import Any

from bot.catalogue import catalogue
from bot.config import Config
from bot.desks import UsageError
from bot.editions import Editions, NoDigestError
from bot.logs import log_to_stderr
from bot.message import Message
from bot.models import Period
from bot.ports import SourceError
from bot.store.errors import StoreError
from bot.store.store import Store
from bot.store.subscriptions import Subscription

_NICE = 5  # whoever waits for an answer comes first
_EXPECTED = (NoDigestError, SourceError, StoreError, UsageError)
_log = logging.getLogger(__name__)


class ApartError(Exception):
    """The process ended, or was ended for taking too long, in the middle of its work: one English line."""


@dataclass(frozen=True, slots=True)
class _Failed:
    """How an error crosses over: exceptions that take more than a text cannot be pickled."""

    kind: type[Exception]
    text: str

    def error(self) -> Exception:
        return StoreError(self.text, user_can_fix=False) if issubclass(self.kind, StoreError) else self.kind(self.text)


class EditionsApart:
    """Fulfils what `bot.editions.Editions` promises, one piece of work at a time. Usable from several threads.

    The process is started with the first piece of work, and anew after one that ended it or took longer than `limit`;
    both raise ApartError. It ends with this one, however this one ends.
    """

    def __init__(self, config: Config, now: Callable[[], datetime], limit: timedelta) -> None:
        self._config = config
        self._now = now
        self._limit = limit
        self._turn = Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._stopped = False

    def of(self, subscription: Subscription, period: Period) -> tuple[Message, ...]:
        """As `Editions.of`. Raises ApartError too."""
        messages: tuple[Message, ...] = self._ask("of", subscription, period)
        return messages

    def refresh(self, name: str, period: Period) -> None:
        """As `Editions.refresh`. Raises ApartError too."""
        self._ask("refresh", name, period)

    def stop(self) -> None:
        """End the process, whatever it is at: what it had begun is done again at the next start."""
        self._stopped = True
        self._kill()

    def _ask(self, what: str, *arguments: object) -> Any:  # noqa: ANN401 - what the method gives
        with self._turn:
            if self._stopped:
                raise ApartError("the bot is being stopped")
            pipe = self._started()
            try:
                pipe.send((self._now(), what, arguments))
                if not pipe.poll(self._limit.total_seconds()):
                    self._kill()
                    raise ApartError(f"{what} took longer than {self._limit}: its process was ended")
                answer = pipe.recv()
            except (EOFError, OSError) as error:
                raise ApartError(f"the process ended in the middle of {what} ({self._ended()})") from error
        if isinstance(answer, _Failed):
            raise answer.error()
        return answer

    def _started(self) -> Connection:
        if self._process is None or self._pipe is None or not self._process.is_alive():
            context = get_context("spawn")  # a fork would copy locks that other threads hold
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_work, args=(self._config, theirs), name="editions", daemon=True)
            self._process.start()
            theirs.close()  # so that the end of either process is seen by the other
        return self._pipe

    def _kill(self) -> None:
        process = self._process
        if process is not None and process.is_alive():
            process.kill()

    def _ended(self) -> str:
        if self._process is None:
            return "not started"
        self._process.join(1)
        return f"exit code {self._process.exitcode}"


def _work(config: Config, pipe: Connection) -> None:
    """What the process does: one piece of work after another, until the other side is gone."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the bot is told, and finishes what runs
    os.nice(_NICE)
    log_to_stderr(config.secrets())
    at = datetime.now(UTC)
    with Store.open(config.database.url.get_secret_value()) as store:
        editions = Editions(store, catalogue(config), lambda: at)
        while True:
            try:
                at, what, arguments = pipe.recv()
                pipe.send(_answer(getattr(editions, what), arguments))
            except (EOFError, OSError):
                return


def _answer(method: Callable[..., object], arguments: tuple[object, ...]) -> object:
    try:
        return method(*arguments)
    except _EXPECTED as error:
        return _Failed(type(error), str(error))
    except Exception as error:  # noqa: BLE001 - the boundary of the process: the other side tries again, or asks a person
        _log.exception("a digest could not be made")
        return _Failed(ApartError, f"{type(error).__name__}: {error}")
