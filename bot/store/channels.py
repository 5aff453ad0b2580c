"""What is known of a channel: whether it was welcomed, and whether another organisation reads it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, select, update

from bot.store.engines import Engines
from bot.store.schema import channels
from bot.store.writing import dialect_insert

_channel = channels.c


class StoredChannels:
    """Channels in the store. Usable from several threads and processes; every method raises StoreError."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    def claim_welcome(self, platform: str, channel: str, now: datetime) -> bool:
        """Whether the caller is the one to welcome the channel: True once, for one caller."""
        with self._engines.writing() as connection:
            new = dialect_insert(channels, connection.dialect.name).values(
                platform=platform, channel=channel, welcomed_at=now
            )
            new = new.on_conflict_do_update(
                index_elements=["platform", "channel"],
                set_={"welcomed_at": new.excluded.welcomed_at},
                where=_channel.welcomed_at.is_(None),
            )
            return connection.execute(new.returning(_channel.channel)).one_or_none() is not None

    def release_welcome(self, platform: str, channel: str) -> None:
        """The welcome was not posted: the next one to claim it gets it."""
        with self._engines.writing() as connection:
            connection.execute(update(channels).where(_is(platform, channel)).values(welcomed_at=None))

    def welcomed_at(self, platform: str, channel: str) -> datetime | None:
        """When somebody claimed to welcome the channel; None: nobody did."""
        with self._engines.reading() as connection:
            at: datetime | None = connection.scalar(select(_channel.welcomed_at).where(_is(platform, channel)))
            return at

    def note_external(self, platform: str, channel: str, *, external: bool) -> None:
        """Remember whether another organisation reads the channel."""
        if self.external(platform, channel) == external:  # comes with every event, and hardly ever changes
            return
        with self._engines.writing() as connection:
            new = dialect_insert(channels, connection.dialect.name).values(
                platform=platform, channel=channel, external=external
            )
            connection.execute(
                new.on_conflict_do_update(index_elements=["platform", "channel"], set_={"external": external})
            )

    def external(self, platform: str, channel: str) -> bool | None:
        """Whether another organisation reads the channel, as far as was noted; None: nothing was."""
        with self._engines.reading() as connection:
            known: bool | None = connection.scalar(select(_channel.external).where(_is(platform, channel)))
            return known


def _is(platform: str, channel: str) -> ColumnElement[bool]:
    return (_channel.platform == platform) & (_channel.channel == channel)
