"""Reports that something the bot said is wrong, and where they were passed on to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update

from bot.store.engines import Engines
from bot.store.schema import reports

_report = reports.c


@dataclass(frozen=True, slots=True)
class Said:
    """What was reported: where (`thread` is the root's id, `message` what it stands on; None: not known), who, what."""

    platform: str
    channel: str
    thread: str | None
    message: str | None
    user: str
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """A report, and the message that told the admins of it; both parts are None until they were told."""

    id: int
    said: Said
    at: datetime
    told_channel: str | None
    told_message: str | None
    corrected_at: datetime | None


class StoredReports:
    """Reports in the store. Usable from several threads and processes; every method raises StoreError."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    def add(self, said: Said, now: datetime) -> Report:
        """Keep a report."""
        with self._engines.writing() as connection:
            new = insert(reports).values(**_columns(said), at=now).returning(*_COLUMNS)
            return _to_report(connection.execute(new).one())

    def same(self, said: Said, since: datetime) -> Report | None:
        """The report of the same person about the same thing in the same words since an instant; None: none."""
        equal = (_report[name].is_not_distinct_from(value) for name, value in _columns(said).items())
        return self._first(*equal, _report.at >= since)

    def told(self, report: int, channel: str, message: str) -> None:
        """Remember which message told the admins."""
        with self._engines.writing() as connection:
            values = {"told_channel": channel, "told_message": message}
            connection.execute(update(reports).where(_report.id == report).values(values))

    def told_by(self, platform: str, channel: str, message: str) -> Report | None:
        """The report that a message told the admins of; None if it told of none."""
        return self._first(
            _report.platform == platform, _report.told_channel == channel, _report.told_message == message
        )

    def corrected(self, report: int, now: datetime) -> None:
        """Remember that a correction was posted."""
        with self._engines.writing() as connection:
            connection.execute(update(reports).where(_report.id == report).values(corrected_at=now))

    def _first(self, *conditions: Any) -> Report | None:  # noqa: ANN401 - SQLAlchemy's conditions
        statement = select(*_COLUMNS).where(*conditions).order_by(_report.id.desc()).limit(1)
        with self._engines.reading() as connection:
            row = connection.execute(statement).one_or_none()
            return row and _to_report(row)


_COLUMNS = (
    *(_report.id, _report.platform, _report.channel, _report.thread, _report.message, _report.user, _report.text),
    *(_report.at, _report.told_channel, _report.told_message, _report.corrected_at),
)


def _columns(said: Said) -> dict[str, str | None]:
    return {
        "platform": said.platform,
        "channel": said.channel,
        "thread": said.thread,
        "message": said.message,
        "user": said.user,
        "text": said.text,
    }


def _to_report(row: Any) -> Report:  # noqa: ANN401 - a row of _COLUMNS
    number, platform, channel, thread, message, user, text, *rest = row
    return Report(number, Said(platform, channel, thread, message, user, text), *rest)
