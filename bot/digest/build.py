"""A week becomes a digest: figures, findings, words, and the check of every one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.analysis.findings.evidence import Evidence
from bot.analysis.findings.find import find
from bot.analysis.rules import Rules
from bot.digest.exclude import excluding
from bot.digest.facts import Figures, figures_of
from bot.digest.incomplete import Gap, gaps_of
from bot.digest.recount import Recount
from bot.digest.sections import advice, cards, changes, risks, root, summary, trends
from bot.digest.telling import Told, tell
from bot.digest.verify import Verification, verified
from bot.digest.view import View
from bot.figures import Claim, Count
from bot.message import Block, Buttons, Heading, Message, Plain, PullRequestRef
from bot.models import Week
from bot.text import Wording, term

SECTIONS: tuple[tuple[str, Callable[[View], tuple[Block, ...]]], ...] = (
    ("summary", summary.render),
    ("changes", changes.render),
    ("trends", trends.render),
    ("risks", risks.render),
    ("cards", cards.render),
    ("advice", advice.render),
)
"""The six sections in their order; their titles stand in `templates/terms.yaml`."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section: which of `SECTIONS` it is, and its blocks, without the heading."""

    name: str
    message: Message

    @property
    def title(self) -> str:
        """Its title."""
        return term(self.name, "section")


@dataclass(frozen=True)
class Digest:
    """A finished digest. What failed the check is not in `root` and `sections` but in `verification`."""

    view: View
    root: Message
    sections: tuple[Section, ...]
    verification: Verification
    gaps: tuple[Gap, ...]
    cards: tuple[cards.Card, ...]

    @property
    def week(self) -> Week:
        """The facts."""
        return self.view.week

    @property
    def figures(self) -> Figures:
        """The figures."""
        return self.view.figures

    @property
    def told(self) -> tuple[Told, ...]:
        """The findings with their sentences."""
        return self.view.told


def view_of(week: Week, rules: Rules, wording: Wording) -> View:
    """The figures and told findings of a week, without what its reading excludes."""
    evidence = Evidence(excluding(week), rules)
    return View(evidence, figures_of(evidence), tell(find(evidence), wording, week.period), wording)


def build(week: Week, rules: Rules, wording: Wording) -> Digest:
    """Make the digest of a week. Every pull request of the period and of the span before must be assessed."""
    view = view_of(week, rules, wording)
    recount = recount_of(view)
    root_message, result = verified(root.render(view), recount)
    sections = []
    for name, render in SECTIONS:
        message, checked = verified(Message(_blocks(view, render)), recount)
        result += checked
        sections.append(Section(name, message))
    gaps = gaps_of(view)
    sections[-1] = _with_footer(view, sections, result, gaps)
    return Digest(
        view, root_message, tuple(sections), result, gaps, tuple(cards.card_of(view, n) for n in cards.chosen(view))
    )


def recount_of(view: View) -> Recount:
    """What checks the words that are made from a view."""
    return Recount(view.week, view.evidence.rules, view.evidence.measured)


def _blocks(view: View, render: Callable[[View], tuple[Block, ...]]) -> tuple[Block, ...]:
    """A section; where the source ends within the period it says so, and where before it, nothing else."""
    week = view.week
    if week.fresh_until is None:
        return render(view)
    if not (week.pull_requests or week.left_out):
        return view.blocks("no-data")
    return (*view.blocks("partial"), *render(view))


def mentioned(sections: Sequence[Section], week: Week) -> frozenset[int]:
    """The pull requests of the period that the sections name."""
    numbers = {span.number for one in sections for span in one.message.spans() if isinstance(span, PullRequestRef)}
    return frozenset(numbers & {one.number for one in week.pull_requests})


def _with_footer(view: View, sections: Sequence[Section], result: Verification, gaps: Sequence[Gap]) -> Section:
    named = len(mentioned(sections, view.week))
    footer = view.blocks(
        "footer",
        named=Count(named, Claim.about("mentioned")),
        rest=Count(len(view.week.pull_requests) - named, Claim.about("unmentioned")),
        checked=Count(result.checked, Claim.about("checked")),
        failed=Count(len(result.failures), Claim.about("failed")),
        gaps=[gap.spans for gap in gaps],
    )
    last = sections[-1]
    return replace(last, message=Message((*last.message.blocks, *footer)))


def whole(digest: Digest) -> Message:
    """The digest as one message: the root without its buttons, then every section under its title."""
    blocks: list[Block] = [block for block in digest.root.blocks if not isinstance(block, Buttons)]
    for section in digest.sections:
        blocks += [Heading((Plain(section.title),)), *section.message.blocks]
    return Message(tuple(blocks), digest.root.summary)
