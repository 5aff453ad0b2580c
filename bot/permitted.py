"""Whether a subscription's digest may be posted: nothing that is not public where another organisation reads along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.ports import ChatPlatform
from bot.store.channels import StoredChannels
from bot.store.subscriptions import Subscription
from bot.team import Team, may_show


@dataclass(frozen=True)
class Permitted:
    """Asks the platform who reads a channel, and the store where the platform may not say."""

    platforms: Mapping[str, ChatPlatform]
    channels: StoredChannels
    team: Team

    def __call__(self, subscription: Subscription) -> str | None:
        """Why it may not, in one English line with the fix; None: it may. Raises NotSent and StoreError."""
        external = self._external(subscription)
        for name in subscription.repositories:
            visibility = self.team.repositories.get(name)
            if may_show(visibility, external=external):
                continue
            if external:
                return (
                    f"another organisation reads {subscription.channel}, and {name} is not said to be public: "
                    f"set its visibility to public, or unsubscribe the channel from it"
                )
            return (
                f"{name} is private, and whether another organisation reads {subscription.channel} cannot be seen: "
                f"give the app the permissions channels:read and groups:read"
            )
        return None

    def _external(self, subscription: Subscription) -> bool | None:
        platform = self.platforms.get(subscription.platform)
        known = None if platform is None else platform.external(subscription.channel)
        return self.channels.external(subscription.platform, subscription.channel) if known is None else known
