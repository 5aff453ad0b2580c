"""Claims deliveries one by one and brings each as far as it goes: built, posted part by part, or put off."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Event

from bot import schedule
from bot.apology import log_failure
from bot.delivery.gate import Gate, Pass, Verdict
from bot.delivery.parts import frozen, notice
from bot.delivery.patience import Patience
from bot.delivery.posting import Poster
from bot.message import Message
from bot.models import Period
from bot.ports import CannotLook, ChatPlatform, NotSent, Refused, ThreadGone, Unsure
from bot.rendering.forms import one_line
from bot.store.deliveries import NOTICE, ROOT, Delivery, StoredPart
from bot.store.ledger import LeaseLost, Ledger
from bot.store.subscriptions import Subscription

DigestOf = Callable[[Subscription, Period], tuple[Message, ...]]
"""A subscription's digest of a period as messages, the root first; whatever it raises is tried again."""

_log = logging.getLogger(__name__)


class Deliverer:
    """Works on deliveries, in several threads at once if need be; each has one worker at a time."""

    def __init__(
        self, ledger: Ledger, gate: Gate, digest_of: DigestOf, now: Callable[[], datetime], patience: Patience
    ) -> None:
        self._ledger = ledger
        self._gate = gate
        self._digest_of = digest_of
        self._now = now
        self._patience = patience
        self._poster = Poster(ledger, patience, now)
        self._owner = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._began = now()
        self._stopping = Event()

    def waiting(self) -> bool:
        """Whether there is anything to do now. Raises StoreError."""
        return not self._stopping.is_set() and self._ledger.claimable(self._now())

    def deliver_all(self) -> None:
        """Work until nothing waits any more, or `stop`. Raises StoreError when the ledger cannot be kept."""
        while self.waiting():
            claim = self._ledger.claim(self._owner, self._now(), self._patience.lease, self._patience.building)
            if claim is not None:
                self._work_on(claim)

    def stop(self) -> None:
        """Claim nothing more, and give back what is being worked on after the part that is being posted."""
        self._stopping.set()

    def _work_on(self, claim: Delivery) -> None:
        try:
            self._end(claim, self._deliver(claim))
        except LeaseLost as error:
            _log.warning("%s", error)

    def _deliver(self, claim: Delivery) -> Verdict | None:
        """What becomes of it; None: it was given back, to be gone on with."""
        try:
            return self._advance(claim)
        except LeaseLost:
            raise
        except NotSent as error:
            asked = None if error.after is None else timedelta(seconds=error.after)
            self._put_off(claim, asked or self._patience.before_retry(self._passed(claim)), str(error))
        except Unsure as error:
            self._put_off(claim, self._patience.before_look(self._passed(claim)), str(error))
        except Refused as error:
            return Verdict("parked", str(error))
        except CannotLook as error:
            look = "a message may have been posted already: look in the channel and delete it if it is there"
            return Verdict("parked", f"{look} ({error})")
        except ThreadGone as error:
            return Verdict("cancelled", f"its root was deleted ({error})")
        except Exception as error:  # noqa: BLE001 - the job boundary: the delivery is tried again, or a person asked
            return self._failed(claim, error)
        return None

    def _advance(self, claim: Delivery) -> Verdict | None:
        parts = self._ledger.parts(claim.id)
        told = next((part for part in parts if part.position == NOTICE and part.state in ("planned", "sending")), None)
        digest = _digest(parts)
        if self._is_too_late(claim) and all(part.state == "planned" for part in digest):
            return _expired(claim)
        passed = self._gate.ask(claim)
        if isinstance(passed, Verdict):
            return passed
        if told is not None:
            return self._tell(claim, passed, told)
        if not digest:
            digest = self._build(claim, passed)
            passed = self._gate.ask(claim)  # building takes a while
        return passed if isinstance(passed, Verdict) else self._post(claim, passed.platform, digest)

    def _build(self, claim: Delivery, passed: Pass) -> tuple[StoredPart, ...]:
        if claim.tries > self._patience.tries:
            raise RuntimeError(f"building the digest ended the process {claim.tries - 1} times")
        messages = self._digest_of(passed.subscription, claim.period)
        now = self._now()
        self._ledger.freeze(claim, frozen(claim, messages, passed.platform, now), now, self._patience.lease)
        return _digest(self._ledger.parts(claim.id))

    def _post(self, claim: Delivery, platform: ChatPlatform, parts: tuple[StoredPart, ...]) -> Verdict | None:
        root = parts[ROOT].remote_id
        if root is None and self._is_too_late(claim) and self._poster.look(claim, platform, parts[ROOT], None) is None:
            return _expired(claim)
        careful = self._may_be_there(claim)
        for part in parts:
            if part.remote_id is not None:
                continue
            if self._stopping.is_set():
                self._ledger.give_back(claim)
                return None
            posted = self._poster.post(claim, platform, part, root, careful=careful)
            careful = careful and not posted.fresh  # what follows a part that was not there is not there either
            root = root or posted.remote_id
        return Verdict("sent")

    def _tell(self, claim: Delivery, passed: Pass, told: StoredPart) -> Verdict:
        """Say in the channel that the digest failed, and leave it to a person."""
        reason = claim.note or "the digest could not be built: see the log"
        try:
            self._poster.post(claim, passed.platform, told, None, careful=False)
        except (Refused, CannotLook) as error:
            reason = f"{reason}; the channel does not know ({error})"
        return Verdict("parked", reason)

    def _failed(self, claim: Delivery, error: Exception) -> Verdict | None:
        failure = log_failure(f"delivery {claim.id}, try {claim.tries}")
        reason = f"failure {failure}: {one_line(str(error)) or type(error).__name__}"
        if claim.tries < self._patience.tries:
            self._put_off(claim, self._patience.before_rebuild(claim.tries), reason, counted=True)
            return None
        platform = self._gate.platform(claim)
        told = any(part.position == NOTICE or part.state != "planned" for part in self._ledger.parts(claim.id))
        if platform is None or told:
            return Verdict("parked", reason)
        # Frozen, and posted by the next claim: so the channel is told even when this process ends here.
        now = self._now()
        self._ledger.freeze(claim, [notice(claim, platform, failure)], now, self._patience.lease)
        self._put_off(claim, timedelta(0), reason)
        return None

    def _put_off(self, claim: Delivery, wait: timedelta, reason: str, *, counted: bool = False) -> None:
        where = f"{claim.platform} channel {claim.channel}"
        _log.warning("delivery %s (%s) is tried again in %s: %s", claim.id, where, wait, reason)
        self._ledger.postpone(claim, self._now() + wait, reason, counted=counted)

    def _end(self, claim: Delivery, verdict: Verdict | None) -> None:
        if verdict is None:
            return
        note = verdict.note
        if verdict.state == "parked":
            note = f"{note}; then release delivery {claim.id}"
        self._ledger.finish(claim, verdict.state, self._now(), note)
        where = f"{claim.platform} channel {claim.channel}"
        level = logging.INFO if verdict.state == "sent" else logging.ERROR
        _log.log(level, "delivery %s (%s) is %s%s", claim.id, where, verdict.state, f": {note}" if note else "")

    def _passed(self, claim: Delivery) -> timedelta:
        return self._now() - max(claim.due_at, claim.planned_at)

    def _is_too_late(self, claim: Delivery) -> bool:
        return schedule.is_too_late(claim.due_at, claim.planned_at, self._now())

    def _may_be_there(self, claim: Delivery) -> bool:
        """Whether it may have been posted though the ledger does not say so: a copy of an older state was restored."""
        return claim.planned_at - claim.due_at > self._patience.on_time or claim.planned_at < self._began


def _digest(parts: tuple[StoredPart, ...]) -> tuple[StoredPart, ...]:
    return tuple(part for part in parts if part.position >= ROOT)


def _expired(claim: Delivery) -> Verdict:
    return Verdict("expired", f"could not be posted in time ({claim.note or 'the bot was not running'})")
