"""重点PR速览: the pull requests to know by name, each with what the facts say of it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.analysis.discussion import exchanges_of
from bot.analysis.findings import evidence as said
from bot.analysis.paths import directory
from bot.digest.view import View
from bot.figures import Claim, Count, Measure, Word
from bot.message import Block
from bot.models import Assessment, PullRequest, Reason

CARDS = 6


@dataclass(frozen=True, slots=True)
class Said:
    """A passage of the review, who said it and at which file."""

    author: Word
    path: Word
    passage: Word


@dataclass(frozen=True)
class Card:
    """What is said of one pull request.

    `risks` and `reasons` are the assessment's; `reviewed` is None where the source has no reviews to give.
    """

    number: int
    title: Word
    author: Word
    is_bot: bool
    importance: Measure
    files: Count
    additions: Count
    deletions: Count
    counted: bool
    tests: bool
    area: Word | None
    risks: tuple[str, ...]
    reasons: tuple[Reason, ...]
    release: Word | None
    releases_known: bool
    reviewed: bool | None
    said: tuple[Said, ...]


def chosen(view: View) -> tuple[int, ...]:
    """The most important pull requests that stand, in the order of the ranking."""
    standing = (number for number in view.figures.ranking if view.evidence.stands(view.pull_request(number)))
    return tuple(standing)[:CARDS]


def render(view: View) -> tuple[Block, ...]:
    """The section's blocks."""
    return view.blocks("cards", cards=[card_of(view, number) for number in chosen(view)])


def card_of(view: View, number: int) -> Card:
    """The card of one pull request of the period."""
    one, assessment = view.pull_request(number), view.week.assessments[number]
    release = view.release(number)
    about = {"numbers": (number,)}
    return Card(
        number=number,
        title=said.title(one),
        author=said.author(one),
        is_bot=one.author_kind == "bot",
        importance=Measure(assessment.importance, Claim.about("importance", number=number)),
        files=Count(len({file.path for file in one.files}), Claim.about("files", **about)),
        additions=Count(one.additions, Claim.about("additions", **about)),
        deletions=Count(one.deletions, Claim.about("deletions", **about)),
        counted=one.counted,
        tests=view.evidence.touches_tests(one),
        area=_area(view, one),
        risks=tuple(risk.category for risk in assessment.risks),
        reasons=_reasons(assessment),
        release=Word(release.name, Claim.about("release", number=number)) if release else None,
        releases_known=bool(view.week.releases),
        reviewed=None if one.reviews is None else bool(one.reviews),
        said=_said(view, one),
    )


def _said(view: View, one: PullRequest) -> tuple[Said, ...]:
    quote = Claim.about("quote", number=one.number)
    return tuple(
        Said(Word(some.author, quote), Word(some.path, quote), Word(some.passage, quote))
        for some in exchanges_of(one, view.evidence.rules)
    )


def _area(view: View, one: PullRequest) -> Word | None:
    """The folder that holds most of the changed source lines."""
    lines: dict[str, int] = {}
    for file in view.evidence.source(one):
        folder = directory(file.path)
        lines[folder] = lines.get(folder, 0) + file.churn
    busiest = max(lines, key=lambda folder: (lines[folder], folder), default="")
    return said.folder(busiest, [one]) if busiest else None


def _reasons(assessment: Assessment) -> tuple[Reason, ...]:
    """The three terms that raise the score most; the kind of change is told by the tags."""
    return tuple(reason for reason in assessment.reasons if reason.points > 0 and reason.kind != "type")[:3]
