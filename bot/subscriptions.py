"""Subscriptions as the configuration lists them, and as they are told to people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot import schedule
from bot.calendars import Calendar
from bot.commands import DAY_NAMES
from bot.holidays import Country
from bot.store.subscriptions import Subscription, subscription_id
from bot.text import term

if TYPE_CHECKING:
    from bot.config import Config


def configured(config: Config, now: datetime) -> tuple[Subscription, ...]:
    """One for each entry under `channels`, for `store.subscriptions().seed`; those seen first are `added_at` now."""
    return tuple(_listed(config, now))


def calendar_of(subscription: Subscription) -> Calendar | None:
    """When its readers work; None: it names no country."""
    return None if subscription.country is None else Country(subscription.country)


def timing(subscription: Subscription, now: datetime) -> dict[str, object]:
    """When a subscription's digests come, for a template: weekday, time, zone, and the next one in that zone.

    `holidays` tells what they do to it: `moved_from` is the day that it was moved from, `skipped` are the days left
    out before it, `unarranged` is its year where the make-up working days of that are not known.
    """
    calendar = calendar_of(subscription)
    coming = schedule.coming(now, subscription, calendar)
    following = coming.at.astimezone(ZoneInfo(subscription.timezone))
    unarranged = subscription.on_holiday != "post" and calendar and not calendar.is_arranged(following.year)
    return {
        "weekday": term(DAY_NAMES[subscription.day], "day"),
        "time": f"{subscription.time:%H:%M}",
        "zone": term(subscription.timezone, "timezone"),
        "next_day": following.date(),
        "next_weekday": term(DAY_NAMES[following.weekday()], "day"),
        "next_time": f"{following:%H:%M}",
        "holidays": {
            "country": subscription.country,
            "on_holiday": subscription.on_holiday,
            "moved_from": coming.moved_from and _named(coming.moved_from, calendar),
            "skipped": [_named(day, calendar) for day in coming.skipped],
            "unarranged": following.year if unarranged else None,
        },
    }


def _named(day: date, calendar: Calendar | None) -> dict[str, object]:
    holiday = calendar and calendar.holiday(day)
    return {"day": day, "names": holiday.names if holiday else ()}


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
            country=None if channel.holidays is None else channel.holidays.country,
            on_holiday="post" if channel.holidays is None else channel.holidays.on_holiday,
        )
        seen[about()] += 1
