"""Which repositories may be spoken of where, and why none may: pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.store.subscriptions import Subscription
from bot.team import Visibility, may_show

Reason = Literal["no_subscription", "no_shared_channel", "unknown_membership", "only_public", "maybe_shared"]
"""Why nothing may be spoken of: a template of `templates/replies/problem/`."""


@dataclass(frozen=True, slots=True)
class Audience:
    """The repositories that may be spoken of, and the subscriptions they come from, in their order.

    `reason` says why there are none; `withheld` that some are not shown because of who reads along.
    """

    repositories: tuple[str, ...] = ()
    subscriptions: tuple[Subscription, ...] = ()
    withheld: bool = False
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Membership:
    """A channel with subscriptions, as a user in a direct message relates to it.

    `shared`: the user is in it; `external`: another organisation reads it. None: not known.
    """

    subscriptions: tuple[Subscription, ...]
    shared: bool | None
    external: bool | None


def of_channel(
    subscriptions: Sequence[Subscription], visibility: Mapping[str, Visibility | None], *, external: bool | None
) -> Audience:
    """What a channel sees: the repositories of its subscriptions that are still configured and may be shown there."""
    configured = _configured(subscriptions, visibility)
    shown = tuple(name for name in configured if may_show(visibility[name], external=external))
    return _audience(shown, subscriptions, configured, "no_subscription", external=external)


def of_direct(
    memberships: Sequence[Membership], visibility: Mapping[str, Visibility | None], *, external: bool | None
) -> Audience:
    """What a user sees in a direct message: what the channels see that user and bot share.

    `external`: the user is of another organisation. A channel of which it is not known whether the user is in it counts
    as one where the user is not.
    """
    shared = [one for one in memberships if one.shared]
    reason: Reason = "no_shared_channel" if all(one.shared is False for one in memberships) else "unknown_membership"
    subscriptions = tuple(one for membership in shared for one in membership.subscriptions)
    visible = [of_channel(one.subscriptions, visibility, external=one.external).repositories for one in shared]
    shown = dict.fromkeys(name for names in visible for name in names)
    if external:
        shown = {name: None for name in shown if may_show(visibility[name], external=True)}
    known = external or any(one.external for one in shared) or None
    return _audience(tuple(shown), subscriptions, _configured(subscriptions, visibility), reason, external=known)


def _configured(subscriptions: Iterable[Subscription], visibility: Mapping[str, Visibility | None]) -> tuple[str, ...]:
    named = dict.fromkeys(name for one in subscriptions for name in one.repositories)
    return tuple(name for name in named if name in visibility)


def _audience(
    shown: tuple[str, ...],
    subscriptions: Sequence[Subscription],
    configured: tuple[str, ...],
    none_at_all: Reason,
    *,
    external: bool | None,
) -> Audience:
    withheld = len(shown) < len(configured)
    hidden: Reason = "only_public" if external else "maybe_shared"
    reason = None if shown else hidden if withheld else none_at_all
    seen = tuple(one for one in subscriptions if set(one.repositories) & set(shown))
    return Audience(shown, seen, withheld, reason)
