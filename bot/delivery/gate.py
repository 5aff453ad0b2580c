"""Whether a delivery may go on: its platform, its subscription, its age, and who reads the channel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bot.ports import ChatPlatform
from bot.store.deliveries import Delivery, State
from bot.store.subscriptions import Subscription

SubscriptionsOf = Callable[[str, str], Iterable[Subscription]]
"""Those in force of a platform's channel."""

Allowed = Callable[[Subscription], str | None]
"""Why a subscription's digest must not be posted in its channel, one English line with the fix; None: it may.

It may raise NotSent where that cannot be known for now.
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a delivery instead, and why, in one English line."""

    state: State
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """Who and what a delivery is for."""

    platform: ChatPlatform
    subscription: Subscription


class Gate:
    """Asked before a digest is built and again before anything of it is posted."""

    def __init__(self, platforms: Mapping[str, ChatPlatform], subscriptions: SubscriptionsOf, allowed: Allowed) -> None:
        self._platforms = platforms
        self._subscriptions = subscriptions
        self._allowed = allowed

    def ask(self, delivery: Delivery) -> Pass | Verdict:
        """Whether it may go on as things stand. Raises what `allowed` raises."""
        of_channel = self._subscriptions(delivery.platform, delivery.channel)
        subscription = next((one for one in of_channel if one.id == delivery.subscription), None)
        if subscription is None:
            return Verdict("cancelled", "the subscription was removed")
        platform = self.platform(delivery)
        if platform is None:
            name = delivery.platform
            return Verdict("parked", f"{name} is not configured: add its section, or remove the subscription")
        refusal = self._allowed(subscription)
        if refusal is not None:
            return Verdict("parked", refusal)
        return Pass(platform, subscription)

    def platform(self, delivery: Delivery) -> ChatPlatform | None:
        """Where it is posted; None: the platform is not configured."""
        return self._platforms.get(delivery.platform)
