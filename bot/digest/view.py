"""What every section is written from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bot.analysis.findings.evidence import Evidence
from bot.analysis.releases import first_release
from bot.digest.exclude import By, left_out_by
from bot.digest.facts import Figures
from bot.digest.telling import Told, of_kind, period_label, span_words
from bot.figures import Claim, Count, Word
from bot.message import Block
from bot.models import FindingKind, PullRequest, Release, Week
from bot.text import Wording, term


@dataclass(frozen=True)
class View:
    """A week's facts, figures and told findings, and the wording to say them in."""

    evidence: Evidence
    figures: Figures
    told: tuple[Told, ...]
    wording: Wording

    @property
    def week(self) -> Week:
        """The week."""
        return self.evidence.week

    def blocks(self, template: str, **facts: object) -> tuple[Block, ...]:
        """Render a template of `templates/digest/` with the names every one of them uses."""
        return self.wording.blocks(f"digest/{template}", **self.names, **facts)

    def of(self, *kinds: FindingKind) -> tuple[Told, ...]:
        """The told findings of these kinds, in the order of the kinds."""
        return of_kind(self.told, *kinds)

    def pull_request(self, number: int) -> PullRequest:
        """A pull request of the period or of the weeks before it."""
        return self._known[number]

    def count(self, value: int, **filters: object) -> Count:
        """A count of pull requests with its claim."""
        return Count(value, Claim.about("pull_requests", **filters))  # type: ignore[arg-type]  # filters are scalars

    def release(self, number: int) -> Release | None:
        """The first release that holds a pull request."""
        return first_release(self.pull_request(number), self.week.releases)

    def release_name(self, release: Release) -> Word:
        """The name of a release tag."""
        return Word(release.name, Claim.about("tag", name=release.name))

    def where(self, numbers: Iterable[int]) -> list[dict[str, object]]:
        """Pull requests grouped by the release that first holds them; `release` is "" for those in none yet.

        Nothing when the repository has no release tags: then nobody can tell.
        """
        if not self.week.releases:
            return []
        grouped: dict[str, list[int]] = {}
        for number in numbers:
            release = self.release(number)
            grouped.setdefault(release.name if release else "", []).append(number)
        return [
            {"release": Word(name, Claim.about("release", numbers=tuple(some))) if name else "", "numbers": some}
            for name, some in grouped.items()
        ]

    def _left_out(self) -> dict[str, object] | None:
        """How many of the period the channel does not want to read of, and by what; None: the channel reads all."""
        exclude = self.week.reading.exclude
        if not (exclude.authors or exclude.paths):
            return None
        by = [left_out_by(one, exclude) for one in self.week.left_out if self.week.period.contains(one.merged_at)]
        ways: tuple[By, ...] = ("bots", "authors", "paths")
        return {
            "count": Count(len(by), Claim.about("left_out")),
            "by": [(way, Count(by.count(way), Claim.about("left_out", by=way))) for way in ways if way in by],
            "authors": [Word(name, Claim.about("setting")) for name in exclude.authors],
            "paths": [Word(path, Claim.about("setting")) for path in exclude.paths],
        }

    def _stale(self) -> dict[str, object] | None:
        """Until when the facts are complete, where that is before the period's end; `unseen`: before its beginning."""
        if self.week.fresh_until is None:
            return None
        fresh = self.week.fresh_until.astimezone(self.week.period.zone)
        unseen = fresh <= self.week.period.since
        return {"unseen": unseen, "day": fresh.date(), "time": Word(f"{fresh:%H:%M}", Claim.about("time"))}

    @cached_property
    def _known(self) -> dict[int, PullRequest]:
        return {one.number: one for one in (*self.week.history, *self.week.pull_requests)}

    @cached_property
    def names(self) -> dict[str, object]:
        """What every template may use."""
        period = self.week.period
        zone = term(period.timezone, "timezone")
        return {
            **span_words(period),
            "figures": self.figures,
            "repository": Word(self.week.repository.partition("/")[2], Claim.about("repository")),
            "period": Word(period_label(period), Claim.about("period")),
            "timezone": Word(zone, Claim.about("timezone")),
            "role": self.week.reading.role,
            "stale": self._stale(),
            "left_out": self._left_out(),
        }
