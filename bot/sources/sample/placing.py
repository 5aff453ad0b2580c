"""Puts the sample's entries into the calendar: their clock times become instants of given weeks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.models import AuthorKind, Comment, PullRequest, Review, ReviewThread
from bot.sources.sample.notation import Entry, Remark, Thread

_GHOST = "ghost"
"""The login that stands for a deleted account."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """Where the sample lies: the Monday of its last week, and the zone whose clock its times are read from."""

    monday: date
    zone: ZoneInfo

    def instant(self, weeks_back: int, clock: timedelta) -> datetime:
        """The instant (UTC) at which the local clock has gone `clock` from Monday 00:00, `weeks_back` weeks back.

        A time that summer time skips is the one an hour later; of one that comes twice it is the first.
        """
        local = datetime.combine(self.monday - timedelta(weeks=weeks_back), time()) + clock
        return local.replace(tzinfo=self.zone).astimezone(UTC)


def placed(entry: Entry, weeks_back: int, calendar: Calendar) -> PullRequest:
    """The pull request of an entry, merged in the week that lies `weeks_back` before the sample's last."""
    merged_at = calendar.instant(weeks_back, entry.merged)
    return PullRequest(
        number=entry.number,
        title=entry.title,
        author=entry.author,
        merged_at=merged_at,
        body="\n".join(entry.body),
        author_kind=_kind(entry.author),
        created_at=merged_at - entry.opened,
        base=entry.base,
        commit=hashlib.sha256(f"{entry.number} {entry.title}".encode()).hexdigest()[:40],
        files=tuple(entry.files),
        reviews=_reviews(entry, merged_at),
        threads=tuple(_thread(one, merged_at) for one in entry.threads),
        comments=_comments(entry.comments, merged_at),
    )


def _kind(author: str) -> AuthorKind:
    if author == _GHOST:
        return "ghost"
    return "bot" if author.endswith("[bot]") else "human"


def _reviews(entry: Entry, merged_at: datetime) -> tuple[Review, ...]:
    """What was said in reviews, and the silent approvals, spread over the last third of the time it was open."""
    said = [Review(one.author, one.state, merged_at + one.after, one.text) for one in entry.reviews]
    silent = [
        Review(author, "APPROVED", merged_at - entry.opened / (3 + place))
        for place, author in enumerate(entry.approvers)
    ]
    return tuple(sorted([*said, *silent], key=lambda review: review.submitted_at))


def _thread(thread: Thread, merged_at: datetime) -> ReviewThread:
    return ReviewThread(thread.path, thread.resolved, _comments(thread.remarks, merged_at))


def _comments(remarks: Iterable[Remark], merged_at: datetime) -> tuple[Comment, ...]:
    return tuple(Comment(one.author, merged_at + one.after, one.text) for one in remarks)
