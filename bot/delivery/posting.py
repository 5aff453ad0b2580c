"""Posts one part so that it is seen once: looked for where it may be there, recorded, a second copy withdrawn."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import sleep

from bot.apology import log_failure
from bot.delivery.patience import Patience
from bot.ports import CannotLook, ChatPlatform, NotSent, Part, Refused, ThreadGone, Unsure
from bot.store.deliveries import Delivery, StoredPart
from bot.store.ledger import LeaseLost, Ledger

_SKEW = timedelta(hours=2)
"""How much earlier than it was attempted a part is looked for: clocks disagree, and are set."""

_WITHDRAWALS = 3
_LONGEST_PAUSE = 30.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Posted:
    """The id that stands for a part; `fresh`: it was posted just now, not found."""

    remote_id: str
    fresh: bool


class Poster:
    """Posts parts of claimed deliveries."""

    def __init__(self, ledger: Ledger, patience: Patience, now: Callable[[], datetime]) -> None:
        self._ledger = ledger
        self._patience = patience
        self._now = now

    def post(
        self, claim: Delivery, platform: ChatPlatform, part: StoredPart, thread: str | None, *, careful: bool
    ) -> Posted:
        """Post a part, unless it is there already; a `careful` one looks even where nothing says that it may be.

        Raises what `ChatPlatform.send` and `find` raise, LeaseLost and StoreError.
        """
        if careful or part.state != "planned":
            found = self.look(claim, platform, part, thread)
            if found is not None:
                return Posted(found, fresh=False)
        since = self._since(claim, part) if careful or part.attempted_at is not None else None
        return Posted(self._record(claim, platform, part, self._send(claim, platform, part, thread, since)), fresh=True)

    def look(self, claim: Delivery, platform: ChatPlatform, part: StoredPart, thread: str | None) -> str | None:
        """The id that stands for a part that was posted before, now recorded; None: it was not.

        Raises what `ChatPlatform.find` raises, LeaseLost and StoreError.
        """
        found = self._find(claim, platform, part, thread)
        return None if found is None else self._record(claim, platform, part, found)

    def _find(self, claim: Delivery, platform: ChatPlatform, part: StoredPart, thread: str | None) -> str | None:
        try:
            return platform.find(claim.channel, part.key, self._since(claim, part), thread)
        except CannotLook:
            if part.state == "sending":
                raise
            return None  # nothing says that it was posted, or a person has looked

    def _send(
        self, claim: Delivery, platform: ChatPlatform, part: StoredPart, thread: str | None, since: datetime | None
    ) -> str:
        self._ledger.begin(claim, part.position, self._now(), self._patience.lease)
        try:
            return platform.send(claim.channel, Part(part.body, part.cites), part.key, thread, since)
        except (NotSent, Refused, ThreadGone):
            self._ledger.not_posted(claim, part.position)
            raise
        except Unsure:
            raise
        except Exception as error:  # a fault of ours: nobody knows how far it came
            failure = log_failure(f"delivery {claim.id}, part {part.position}")
            raise Unsure(f"failure {failure}: {error}") from error

    def _since(self, claim: Delivery, part: StoredPart) -> datetime:
        """From when on the part may have been posted."""
        return min(part.attempted_at or claim.due_at, self._now()) - _SKEW

    def _record(self, claim: Delivery, platform: ChatPlatform, part: StoredPart, remote: str) -> str:
        recorded = self._ledger.record(claim, part.position, remote, self._now(), self._patience.lease)
        if recorded.remote_id != remote:
            self._withdraw(claim, platform, remote)
        if recorded.remote_id is None or not recorded.held:
            raise LeaseLost(f"delivery {claim.id} was taken over by another process")
        return recorded.remote_id

    def _withdraw(self, claim: Delivery, platform: ChatPlatform, remote: str) -> None:
        """Delete the own copy of what another process has posted too."""
        problem = ""
        for _ in range(_WITHDRAWALS):
            try:
                platform.withdraw(claim.channel, remote)
            except Refused as error:
                problem = str(error)
                break
            except NotSent as error:
                problem = str(error)
                sleep(min(error.after or 1.0, _LONGEST_PAUSE))
            else:
                return
        where = platform.permalink(claim.channel, remote) or f"message {remote} of channel {claim.channel}"
        _log.error("delivery %s has a second copy of a message (%s): delete %s", claim.id, problem, where)
