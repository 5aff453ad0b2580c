"""Subscriptions as the configuration lists them, and as they are told to people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot import schedule
from bot.commands import DAY_NAMES
from bot.store.subscriptions import Subscription, subscription_id
from bot.text import term

if TYPE_CHECKING:
    from bot.config import Config


def configured(config: Config, now: datetime) -> tuple[Subscription, ...]:
    """One for each entry under `channels`, for `store.subscriptions().seed`; those seen first are `added_at` now."""
    return tuple(_listed(config, now))


def timing(subscription: Subscription, now: datetime) -> dict[str, object]:
    """When a subscription's digests come, for a template: weekday, time, zone, and the next one in that zone."""
    following = schedule.next_at(now, subscription).astimezone(ZoneInfo(subscription.timezone))
    return {
        "weekday": term(DAY_NAMES[subscription.day], "day"),
        "time": f"{subscription.time:%H:%M}",
        "zone": term(subscription.timezone, "timezone"),
        "next_day": following.date(),
        "next_weekday": term(DAY_NAMES[following.weekday()], "day"),
        "next_time": f"{following:%H:%M}",
    }


def _listed(config: Config, now: datetime) -> Iterator[Subscription]:
    seen = Counter[str]()
    for channel in config.channels:
        about = partial(
            subscription_id,
            channel.platform,
            channel.id,
            channel.repositories,
            exclude_authors=channel.exclude.authors,
            exclude_paths=channel.exclude.paths,
        )
        yield Subscription(
            id=about(ordinal=seen[about()]),
            platform=channel.platform,
            channel=channel.id,
            repositories=channel.repositories,
            day=int(channel.day),
            time=channel.time,
            timezone=channel.timezone or config.timezone,
            added_at=now,
            name=channel.name,
            exclude_authors=channel.exclude.authors,
            exclude_paths=channel.exclude.paths,
            listen=channel.listen,
        )
        seen[about()] += 1
