"""No question waits for ever: an answer that is not there in time becomes one that says so."""

from __future__ import annotations

import logging
from queue import Empty, SimpleQueue
from threading import Thread

from bot.message import Message
from bot.ports import Incoming, Reply, Respond
from bot.text import Wording

_log = logging.getLogger(__name__)

Outcome = Reply | None | BaseException


def within(respond: Respond, seconds: float) -> Respond:
    """`respond`, given up after so many seconds; what it raises in time passes on.

    Python cannot end a thread, so the work goes on unheard; it is a daemon's, and keeps no process from ending.
    """

    def answered(incoming: Incoming) -> Reply | None:
        outcome = SimpleQueue[Outcome]()
        Thread(target=_run, args=(respond, incoming, outcome), name="answer", daemon=True).start()
        try:
            found = outcome.get(timeout=seconds)
        except Empty:
            _log.warning("no answer within %s s in %s channel %s", seconds, incoming.platform, incoming.channel)
            return Reply(_late(seconds))
        if isinstance(found, BaseException):
            raise found
        return found

    return answered


def _run(respond: Respond, incoming: Incoming, outcome: SimpleQueue[Outcome]) -> None:
    try:
        outcome.put(respond(incoming))
    except BaseException as error:  # noqa: BLE001 - raised again where the answer is awaited
        outcome.put(error)


def _late(seconds: float) -> Message:
    return Message(Wording(str).blocks("replies/late", seconds=round(seconds)))
