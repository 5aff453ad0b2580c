"""`since BASELINE`: what upgrading from a release to the tip of the default branch would bring."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta

from bot.analysis.findings.evidence import Evidence
from bot.analysis.findings.find import find
from bot.analysis.releases import named
from bot.digest.telling import tell
from bot.dispatch import Context, Request, UserError, within_reach
from bot.message import Message
from bot.models import Period, Release, Urgency, Week
from handlers.asked import counted

_TOP = 10
_TOLD = 12


def handle(context: Context, request: Request) -> Message:
    """The findings that ask something of whoever upgrades, and the most important pull requests.

    Raises UserError for an unknown release, or when the history since then is not stored.
    """
    subject = request.subject
    releases = context.store.releases(subject.name)
    baseline = request.command.arguments[0]
    release = named(baseline, releases)
    if release is None:
        raise UserError("unknown_release", given=baseline, names=[one.name for one in releases[-5:]])
    week = _brought(context, request, release)
    told = tell(find(Evidence(week, subject.rules)), subject.wording, week.period)
    asking = [one for one in told if one.finding.urgency in {Urgency.ACT, Urgency.UPGRADE}]
    ranking = sorted(week.pull_requests, key=lambda one: (-week.assessments[one.number].importance, one.number))
    return Message(
        subject.wording.blocks(
            "replies/since",
            repository=subject.name,
            baseline=release.name,
            tagged=release.tagged_at.astimezone(request.period.zone).date(),
            total=counted(len(week.pull_requests)),
            findings=[{"kind": str(one.finding.kind), "text": one.text} for one in asking[:_TOLD]],
            more=counted(max(0, len(asking) - _TOLD)),
            top=[{"number": one.number, "title": one.title} for one in ranking[:_TOP]],
            rest=counted(max(0, len(ranking) - _TOP)),
        )
    )


def _brought(context: Context, request: Request, release: Release) -> Week:
    """The span since the release branched off, without what the release already holds."""
    name, period = request.subject.name, _span(request.period, release, context.now)
    covered = context.store.covered_since(name, within_reach(context, period)[1])
    if release.cut_at is None or covered is None or covered > release.cut_at:
        raise UserError("not_synced", since=period.since.date().isoformat(), repository=name)
    week = context.store.load_week(name, period, request.subject.reading)
    brought = tuple(one for one in week.pull_requests if not release.contains(one))
    if any(one.number not in week.assessments for one in brought):
        raise UserError("not_synced", since=period.since.date().isoformat(), repository=name)
    return replace(week, pull_requests=brought)


def _span(period: Period, release: Release, now: datetime) -> Period:
    first = (release.cut_at or release.tagged_at).astimezone(period.zone).date()
    last = now.astimezone(period.zone).date() + timedelta(days=1)
    since, until = (datetime.combine(day, time(), period.zone) for day in (first, last))
    return Period(since, until, period.timezone)
