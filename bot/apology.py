"""What a failure nobody foresaw becomes: one apology for the asker, one traceback for the operator, one id on both."""

from __future__ import annotations

import logging
import secrets

from bot.message import Message
from bot.ports import Incoming, Overheard, Reply, Respond
from bot.text import Wording

_log = logging.getLogger(__name__)


def log_failure(what: str) -> str:
    """Log the exception being handled under a new id, and return the id."""
    failure = secrets.token_hex(4)
    _log.exception("failure %s: %s", failure, what)
    return failure


def apology(failure: str) -> Message:
    """Say that something failed, under which id the log has it, and what to do."""
    wording = Wording(_without_links)
    return Message(wording.blocks("replies/apology", failure=failure))


def apologising(respond: Respond) -> Respond:
    """`respond`, with any exception turned into an apology; one that nobody waits for is only logged."""

    def answered(incoming: Incoming) -> Reply | None:
        try:
            return respond(incoming)
        except Overheard:
            log_failure(f"what was said in {incoming.platform} channel {incoming.channel} could not be judged")
            return None
        except Exception:  # noqa: BLE001 - the boundary: whoever asked gets an answer, whatever went wrong
            return Reply(apology(log_failure(f"no answer in {incoming.platform} channel {incoming.channel}")))

    return answered


def _without_links(number: int) -> str:
    raise ValueError(f"an apology names no pull request, asked for {number}")
