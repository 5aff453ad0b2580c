"""Builders of facts for tests: sensible defaults, every one changeable."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bot.analysis import assess, rules
from bot.analysis.findings.evidence import Evidence
from bot.models import Assessment, ChangedFile, Period, PullRequest, Week

ZONE = "Asia/Shanghai"
PERIOD = Period(
    datetime(2026, 3, 2, tzinfo=ZoneInfo(ZONE)),
    datetime(2026, 3, 9, tzinfo=ZoneInfo(ZONE)),
    ZONE,
)
"""Monday to Monday; `make_pr` merges on its Wednesday noon UTC unless told otherwise."""

WEDNESDAY = datetime(2026, 3, 4, 12, tzinfo=UTC)


def make_file(path: str = "engine/core.py", additions: int = 30, deletions: int = 10, **changes: Any) -> ChangedFile:
    return ChangedFile(path, additions, deletions, **changes)


def make_pr(number: int = 1, title: str = "Rework the engine loop", **changes: Any) -> PullRequest:
    """`files` may be given as {path: (additions, deletions)}."""
    files = changes.pop("files", None)
    if isinstance(files, dict):
        files = tuple(make_file(path, *lines) for path, lines in files.items())
    defaults: dict[str, Any] = {
        "author": f"dev-{number % 7}",
        "merged_at": WEDNESDAY + timedelta(minutes=number),
        "commit": f"{number:040x}",
        "files": (make_file(),) if files is None else files,
    }
    return PullRequest(number, title, **(defaults | changes))


def make_assessment(number: int = 1, importance: float = 5.0, **changes: Any) -> Assessment:
    return Assessment(number, importance, **changes)


def make_week(*pull_requests: PullRequest, **changes: Any) -> Week:
    """A week of these pull requests, assessed by the default rules against `history`; fully covered for 14 weeks."""
    ordered = tuple(sorted(pull_requests, key=lambda one: (one.merged_at, one.number)))
    history = tuple(sorted(changes.pop("history", ()), key=lambda one: (one.merged_at, one.number)))
    assessed = assess.assess([*history, *ordered], rules.load(), PERIOD.before().since)
    defaults: dict[str, Any] = {
        "repository": "acme/engine",
        "period": PERIOD,
        "pull_requests": ordered,
        "history": history,
        "assessments": {one.number: one for one in assessed},
        "covered_since": PERIOD.before(14).since,
    }
    return Week(**(defaults | changes))


def make_evidence(*pull_requests: PullRequest, **changes: Any) -> Evidence:
    return Evidence(make_week(*pull_requests, **changes), rules.load())
