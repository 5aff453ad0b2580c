"""From an event that was kept to its answer: asked for, posted, and where that fails an apology."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from bot.apology import apology, log_failure
from bot.message import Message
from bot.platforms.slack.api import TIMEOUT
from bot.platforms.slack.arrival import Arrival
from bot.platforms.slack.aside import Aside
from bot.platforms.slack.firsts import Firsts
from bot.platforms.slack.hands import Hands
from bot.platforms.slack.openly import Openly
from bot.platforms.slack.response_url import ResponseUrl
from bot.platforms.slack.working import SLOW, shown_while_slow
from bot.ports import Incoming, Joined, NotSent, Refused, Reply, Respond, ThreadGone, Unsure

_log = logging.getLogger(__name__)


class Outlet(Protocol):
    """Where one answer goes."""

    def say(self, reply: Reply) -> None:
        """Post the reply."""

    def apologise(self, message: Message) -> None:
        """Say that there is no answer."""

    def working(self) -> None:
        """Show that an answer is being made."""

    def done(self) -> None:
        """Show nothing of that any more."""


class Answering:
    """Handles events. Usable from several threads; an event may be handled again, then nothing public is said twice.

    `slow` is after how many seconds it is shown that an answer is being made, `timeout` how long a call may take.
    """

    def __init__(self, hands: Hands, firsts: Firsts, *, slow: float = SLOW, timeout: int = TIMEOUT) -> None:
        self._hands = hands
        self._firsts = firsts
        self._slow = slow
        self._timeout = timeout

    def handle(self, payload: str, respond: Respond, joined: Callable[[Joined], None]) -> None:
        """Answer what was said, or tell that the bot joined a channel; `payload` is what `SlackEvents` had kept.

        Raises NotSent and Unsure where Slack is not to be reached: then it is worth handling again. What `joined`
        raises passes on; what `respond` raises becomes an apology.
        """
        arrival = Arrival.from_json(payload)
        if isinstance(arrival.what, Joined):
            joined(arrival.what)
        else:
            self._answer(arrival, arrival.what, respond)

    def apologise(self, arrival: Arrival, failure: str) -> None:
        """Tell whoever gave a command or pressed a button that it failed; the log has it as `failure`."""
        if isinstance(arrival.what, Incoming):
            self._outlet(arrival, arrival.what).apologise(apology(failure))

    def _answer(self, arrival: Arrival, incoming: Incoming, respond: Respond) -> None:
        outlet = self._outlet(arrival, incoming)
        try:
            with shown_while_slow(outlet.working, self._slow):
                reply = self._reply(incoming, respond)
            if reply is not None:
                self._say(outlet, incoming, reply)
        finally:
            outlet.done()

    def _outlet(self, arrival: Arrival, incoming: Incoming) -> Outlet:
        again = not self._firsts.use(arrival.token)
        if incoming.private:
            return Aside(arrival, incoming, self._hands, ResponseUrl(arrival.response_url, self._timeout), again=again)
        return Openly(arrival, incoming, self._hands, again=again)

    def _reply(self, incoming: Incoming, respond: Respond) -> Reply | None:
        try:
            return respond(incoming)
        except Exception:  # noqa: BLE001 - the boundary: whoever asked gets an answer, whatever went wrong
            failure = log_failure(f"no answer to {_where(incoming)}")
            return Reply(apology(failure), to_all=not incoming.private) if incoming.addressed else None

    def _say(self, outlet: Outlet, incoming: Incoming, reply: Reply) -> None:
        try:
            outlet.say(reply)
        except (NotSent, Unsure):
            raise
        except ThreadGone:
            _log.info("what was asked is deleted, so nobody waits for an answer: %s", _where(incoming))
        except Exception:  # noqa: BLE001 - the boundary: a lost answer is told, whatever went wrong
            _apologise(outlet, log_failure(f"the answer is lost to {_where(incoming)}"))


def _apologise(outlet: Outlet, failure: str) -> None:
    try:
        outlet.apologise(apology(failure))
    except (Refused, ThreadGone) as refused:
        _log.error("failure %s could not be told to the asker: %s", failure, refused)


def _where(incoming: Incoming) -> str:
    place = incoming.thread or incoming.message or "a command or button"
    return f"what {incoming.user} asked in {incoming.channel} ({place})"
