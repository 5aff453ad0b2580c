"""What several commands share: the period's assessed pull requests, and the names every reply uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bot.digest.telling import period_label, span_words
from bot.dispatch import Context, Request, UserError, week_of, within_reach
from bot.figures import Claim, Count
from bot.message import Block
from bot.models import Assessment, Period, PullRequest, Week
from bot.store.errors import Unassessed

Assessed = tuple[tuple[PullRequest, Assessment], ...]


def assessed(context: Context, request: Request) -> Assessed:
    """The period's pull requests with their assessments, most important first (ties: the lower number).

    Raises UserError when the period is not stored, or not assessed yet.
    """
    require_covered(context, request)
    with _said_to_be_unsynced(request, request.period):
        found = context.store.assessed(request.subject.name, request.period.since, request.period.until)
    return tuple(sorted(found, key=lambda pair: (-pair[1].importance, pair[0].number)))


def require_covered(context: Context, request: Request) -> None:
    """Raise UserError unless the stored history holds the period as far as there is history to be had of it."""
    since, until = within_reach(context, request.period)
    covered = context.store.covered_since(request.subject.name, until)
    if since < until and (covered is None or covered > since):
        raise UserError("not_synced", since=request.period.since.date().isoformat(), repository=request.subject.name)


def loaded(context: Context, request: Request, period: Period) -> Week:
    """Everything that is stored of a period. Raises UserError when it, or the span before, is not assessed yet."""
    with _said_to_be_unsynced(request, period):
        return week_of(context, request.subject, period)


@contextmanager
def _said_to_be_unsynced(request: Request, period: Period) -> Iterator[None]:
    try:
        yield
    except Unassessed as error:
        raise UserError("not_synced", since=period.since.date().isoformat(), repository=request.subject.name) from error


def unknown(context: Context, request: Request, number: int) -> tuple[Block, ...]:
    """That no pull request of that number is stored, and how far back the stored history reaches."""
    reached = (within_reach(context, request.period)[1], context.fresh_until or context.now)
    known = (context.store.covered_since(request.subject.name, until) for until in reached)
    since = next(filter(None, known), None)
    return request.subject.wording.blocks(
        "replies/pr-unknown", number=number, since_day=since.date().isoformat() if since else None, **names(request)
    )


def names(request: Request) -> dict[str, object]:
    """What every reply's template may use."""
    period = request.period
    return {
        **span_words(period),
        "repository": request.subject.name,
        "period": period_label(period),
    }


def counted(value: int) -> Count:
    """A number that a reply shows; it was counted from the rows it stands beside."""
    return Count(value, Claim.about("listed"))


def limit(request: Request, usual: int, available: int) -> int:
    """How many rows were asked for: the command's number, `all`, or the usual number."""
    asked = request.command.arguments[0] if request.command.arguments else str(usual)
    return available if asked == "all" else min(int(asked), available)
