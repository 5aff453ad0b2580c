"""What the fault tests share: one subscribed channel that is owed a digest, a quicker bot, and the oracle."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.store.store import Store
from tests.doubles.slack import Message, Slack
from tests.installation import ChannelEntry, Installation, SlackSection, install

PATIENCE = 60.0
BRISK = "import bot.platforms.slack.pace\nbot.platforms.slack.pace.INTERVAL = 0.1\n"
"""Posts ten a second, on a double that does not count them."""

PATIENT = """
from datetime import timedelta
import bot.run
from bot.delivery.patience import Patience
bot.run.TICK = 0.5
bot.run.PATIENCE = Patience(
    lease=timedelta(seconds=13), building=timedelta(seconds=10), settle=timedelta(seconds=1),
    shortest=timedelta(seconds=1), longest=timedelta(seconds=2), on_time=timedelta(seconds=1),
)
"""
"""Seconds where the product waits for minutes; the lease stays above what a call to Slack may take."""

QUICK = PATIENT + BRISK


@dataclass
class Owed:
    """A channel that is owed a digest, on a double whose faults are yet to be ordered."""

    slack: Slack
    installation: Installation
    channel: str
    zhang: str
    boss: str

    def shown(self) -> list[Message]:
        """What is visible of the digest, the root first; answers have a key that says so."""
        said = [one for one in self.slack.everything(self.channel) if one.app_id and one.metadata and not one.to]
        return [one for one in said if not key_of(one).startswith(("answer:", "elsewhere:"))]

    def sent(self) -> bool:
        """Whether the ledger takes the digest for sent."""
        return self.states() == ["sent"]

    def states(self) -> list[str]:
        """The states of the deliveries in the ledger."""
        with Store.open(self.installation.database) as store:
            counts = store.ledger().counts()
        return [state for state, count in counts.items() for _ in range(count)]

    def note(self) -> str:
        """Why the one delivery is parked."""
        with Store.open(self.installation.database) as store:
            (parked,) = store.ledger().of_state("parked")
        return parked.note or ""

    def recorded(self) -> list[str | None]:
        """The messages of the digest that the ledger knows, while it is being sent."""
        with Store.open(self.installation.database) as store:
            (delivery,) = store.ledger().of_state("sending")
            return [one.remote_id for one in store.ledger().parts(delivery.id) if one.state == "sent"]

    def is_complete(self) -> bool:
        """Whether every part of the ledger is visible once, in order, in one thread, and recorded as sent."""
        if not self.sent():
            return False
        with Store.open(self.installation.database) as store:
            (delivery,) = store.ledger().of_state("sent")
            parts = store.ledger().parts(delivery.id)
        shown = self.shown()
        root, *replies = shown
        assert {one.state for one in parts} == {"sent"}
        assert [one.key for one in parts] == [key_of(one) for one in shown]
        assert [one.remote_id for one in parts] == [one.ts for one in shown]
        assert {one.thread_ts for one in replies} == {root.ts}
        assert len(parts) >= 7
        return True

    def complete(self, seconds: float = PATIENCE) -> None:
        """Wait until the digest is complete; it stays so."""
        self.slack.until(self.is_complete, seconds, "the digest")


def key_of(message: Message) -> str:
    """The key under which a message was posted."""
    return str((message.metadata or {})["event_payload"]["key"])


@contextmanager
def owed(
    folder: Path, scopes: Collection[str] | None = None, *, database: str = "sqlite:///bot.db", **double: Any
) -> Iterator[Owed]:
    """A channel that has been owed a digest for some minutes; the bot is not started."""
    now = datetime.now(UTC)
    with Slack(scopes=scopes, **double) as slack:
        zhang, boss = slack.user("zhang"), slack.user("boss")
        channel = slack.channel("infra", [zhang, boss])
        entry = ChannelEntry(channel).due_before(now, timedelta(minutes=5))
        section = SlackSection(slack.api_url, "socket", slack.bot_token, slack.app_token, slack.signing_secret)
        installation = install(folder, section, [entry], now=now, admins=[boss], database=database)
        installation.sync()
        installation.owe(now, timedelta(minutes=30))
        yield Owed(slack, installation, channel, zhang, boss)
