"""Findings as they are told: each with its sentence, in the words of its template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from bot.figures import Claim, Word
from bot.message import Spans
from bot.models import Finding, FindingKind, Period
from bot.text import Wording, terms

WEEK_DAYS = 7


@dataclass(frozen=True, slots=True)
class Told:
    """A finding and its sentence."""

    finding: Finding
    text: Spans

    @property
    def numbers(self) -> tuple[int, ...]:
        """The pull requests that carry it."""
        return self.finding.pull_requests

    @property
    def files(self) -> tuple[Word, ...]:
        """The files it speaks of."""
        return tuple(Word(path, Claim.about("path", numbers=self.numbers)) for path in self.finding.files)

    @property
    def values(self) -> dict[str, object]:
        """The values of its template."""
        return dict(self.finding.values)


def tell(findings: Iterable[Finding], wording: Wording, period: Period) -> tuple[Told, ...]:
    """Put findings into words, in their order."""
    return tuple(Told(finding, _sentence(finding, wording, period)) for finding in findings)


def of_kind(told: Sequence[Told], *kinds: FindingKind) -> tuple[Told, ...]:
    """Those of the given kinds, in the order of the kinds."""
    return tuple(one for kind in kinds for one in told if one.finding.kind is kind)


def span_words(period: Period) -> dict[str, str]:
    """How this period, the one before and the report are called."""
    return dict(terms()["span"]["week" if period.days == WEEK_DAYS else "other"])


def period_label(period: Period) -> str:
    """First and last day, the year once where both lie in it."""
    last = period.until.date() - timedelta(days=1)
    first = period.since.date()
    return (
        f"{first.isoformat()}～{last:%m-%d}" if first.year == last.year else f"{first.isoformat()}～{last.isoformat()}"
    )


def _sentence(finding: Finding, wording: Wording, period: Period) -> Spans:
    return wording.line(
        f"findings/{finding.kind}",
        **span_words(period),
        pull_requests=finding.pull_requests,
        files=finding.files,
        **finding.values,
    )
