"""The digest as the JSON object of the command line; its keys are a contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.digest.build import Digest
from bot.digest.facts import HotFile
from bot.digest.reasons import reason_texts
from bot.message import Message
from bot.models import Finding, Period, PullRequest

Url = Callable[[int], str]
Plain = Callable[[Message], str]


def as_json(digest: Digest, url: Url, plain: Plain) -> dict[str, Any]:
    """The object; `plain` turns a section's message into plain text. Averages to 0.01, instants with their offset."""
    week, figures = digest.week, digest.figures
    return {
        "repository": week.repository,
        "period": _period(week.period),
        "pull_requests": int(figures.pull_requests),
        "high_importance": int(figures.high_importance),
        "average_importance": float(figures.average_importance),
        "tags": [{"tag": tag, "count": int(count)} for tag, count in figures.tags.items()],
        "hot_files": [_hot(file) for file in figures.hot_files],
        "hot_files_apart": [_hot(file) for file in figures.hot_files_apart],
        "risks": [{"category": name, "pull_requests": list(some)} for name, some in figures.risks.items()],
        "key_pull_requests": _key_pull_requests(digest, url, plain),
        "ranking": [{"number": n, "importance": week.assessments[n].importance} for n in figures.ranking],
        "reverts": [{"number": one.number, "reverts": one.target} for one in figures.reverts],
        "findings": [{**_finding(one.finding), "text": "".join(span.text for span in one.text)} for one in digest.told],
        "previous": _previous(digest),
        "sections": [{"title": one.title, "text": plain(one.message)} for one in digest.sections],
        "other_branches": [_other(one, url) for one in week.other_branches],
        "verification": {"checked": digest.verification.checked, "failed": len(digest.verification.failures)},
        "incomplete": [
            {"kind": gap.kind, "text": gap.text, "pull_requests": list(gap.pull_requests)} for gap in digest.gaps
        ],
    }


def _period(period: Period) -> dict[str, str]:
    return {
        "since": period.since.isoformat(),
        "until": period.until.isoformat(),
        "timezone": period.timezone,
    }


def _hot(file: HotFile) -> dict[str, Any]:
    return {"path": file.path, "pull_requests": list(file.pull_requests), "lines": file.lines}


def _previous(digest: Digest) -> dict[str, int] | None:
    figures = digest.figures
    if figures.previous is None or figures.previous_high is None:
        return None
    return {"pull_requests": int(figures.previous), "high_importance": int(figures.previous_high)}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": str(finding.kind),
        "urgency": str(finding.urgency),
        "pull_requests": list(finding.pull_requests),
        "files": list(finding.files),
    }


def _key_pull_requests(digest: Digest, url: Url, plain: Plain) -> list[dict[str, Any]]:
    return [
        {
            "number": card.number,
            "title": str(card.title),
            "url": url(card.number),
            "author": str(card.author),
            "importance": float(card.importance),
            "reasons": reason_texts(digest.week.assessments[card.number], digest.view.wording),
            "tags": list(digest.week.assessments[card.number].tags),
            "risks": list(card.risks),
            "summary": plain(Message(digest.view.blocks("card-summary", card=card))),
        }
        for card in digest.cards
    ]


def _other(one: PullRequest, url: Url) -> dict[str, Any]:
    return {"number": one.number, "title": one.title, "url": url(one.number), "base": one.base}
