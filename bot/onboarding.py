"""What happens when the bot is added to a channel: one welcome, and last week's digest at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.message import Message
from bot.ports import CannotLook, ChatPlatform, Joined, NotSent, Refused
from bot.store.store import Store
from bot.store.subscriptions import Subscription
from bot.subscriptions import timing
from bot.team import Team, may_show
from bot.text import Wording

_DEFAULT_COMMAND = "/digest"
_BEING_POSTED = timedelta(seconds=5)
"""A welcome claimed that shortly ago is being posted by whoever claimed it."""
_HANDLED_AGAIN = timedelta(hours=1)
"""A welcome claimed that long ago was posted, or given up."""


@dataclass(frozen=True)
class Onboarding:
    """Welcomes channels. Usable from several threads and processes.

    `first` has last week's digest delivered to a subscription; asked twice, it does so once. `commands` names the slash
    command of each platform where it is not /digest. `now` gives an aware instant.
    """

    store: Store
    platforms: Mapping[str, ChatPlatform]
    team: Team
    first: Callable[[Subscription], object]
    now: Callable[[], datetime]
    commands: Mapping[str, str] = field(default_factory=dict)

    def joined(self, joined: Joined) -> None:
        """Welcome the channel, once however often this is called, and deliver to subscriptions that had nothing yet.

        Raises StoreError, NotSent, Refused and Unsure; calling it again goes on where it stopped.
        """
        external = self._external(joined)
        subscriptions = self.store.subscriptions().of(joined.platform, joined.channel)
        self._welcome(joined, self._message(joined, subscriptions, external=external))
        ledger = self.store.ledger()
        for one in subscriptions:
            if len(self._shown(one, external=external)) == len(one.repositories) and not ledger.of_subscription(
                one.id, 1
            ):
                self.first(one)

    def _external(self, joined: Joined) -> bool | None:
        known = joined.external
        if known is None:
            known = self.platforms[joined.platform].external(joined.channel)
        if known is None:
            return self.store.channels().external(joined.platform, joined.channel)
        self.store.channels().note_external(joined.platform, joined.channel, external=known)
        return known

    def _shown(self, one: Subscription, *, external: bool | None) -> list[str]:
        visibility = self.team.repositories
        return [
            name for name in one.repositories if name in visibility and may_show(visibility[name], external=external)
        ]

    def _message(self, joined: Joined, found: Iterable[Subscription], *, external: bool | None) -> Message:
        now = self.now()
        rows = [{"repositories": self._shown(one, external=external), **timing(one, now)} for one in found]
        shown = [row for row in rows if row["repositories"]]
        blocks = Wording(_unlinked).blocks(
            "replies/welcome",
            platform=joined.platform,
            command_name=self.commands.get(joined.platform, _DEFAULT_COMMAND),
            rows=shown,
            hidden=len(rows) - len(shown),
            external=external is True,
            admins=self.team.admins_on(joined.platform),
        )
        return Message(blocks)

    def _welcome(self, joined: Joined, message: Message) -> None:
        channels, where = self.store.channels(), (joined.platform, joined.channel)
        if not channels.claim_welcome(*where, self.now()) and self._stands(joined):
            return
        platform = self.platforms[joined.platform]
        first, *rest = platform.parts(message)
        try:
            platform.send(joined.channel, first, _key(joined, 0))
        except (NotSent, Refused):
            channels.release_welcome(*where)
            raise
        for position, part in enumerate(rest, 1):
            platform.send(joined.channel, part, _key(joined, position))

    def _stands(self, joined: Joined) -> bool:
        """Whether the welcome that somebody claimed was posted, as far as can be known."""
        at = self.store.channels().welcomed_at(joined.platform, joined.channel)
        if at is None or not _BEING_POSTED <= self.now() - at <= _HANDLED_AGAIN:
            return True
        try:
            return self.platforms[joined.platform].find(joined.channel, _key(joined, 0), at) is not None
        except CannotLook:
            return True


def _key(joined: Joined, position: int) -> str:
    return hashlib.sha256(f"welcome {joined.platform} {joined.channel} {position}".encode()).hexdigest()[:40]


def _unlinked(number: int) -> str:
    raise ValueError(f"a welcome names no pull request, asked for {number}")
