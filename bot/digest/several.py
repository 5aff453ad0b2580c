"""Digests of several repositories in one delivery: one root with a line for each, and everything else in its thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.digest.build import Digest, recount_of
from bot.digest.gist import gist_of
from bot.digest.posting import thread_of
from bot.digest.sections.root import LENGTH, buttons, items, length_of, watched
from bot.digest.telling import period_label, span_words
from bot.digest.verify import check, verified
from bot.figures import Claim, Count, Word
from bot.message import Block, Heading, ListBlock, Message, Plain, Spans
from bot.models import Period, Urgency
from bot.text import Wording, term

ROWS = 10
_LINKS = 6
_UNREAD = 3
_REASON = 40
"""Characters of a reason in the root; the thread has all of it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A repository whose digest could not be made, and why, in the words of its readers."""

    repository: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Row:
    """A digest and what its place in the root goes by: counts of the period's pull requests."""

    digest: Digest
    name: str
    act: Count
    risks: Count

    @property
    def order(self) -> tuple[int, int, int, str]:
        return -self.act, -self.risks, -self.digest.figures.pull_requests, self.name


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much the root tells: repositories, of how many of them the first finding, and the span before."""

    rows: int
    links: int
    previous: bool


_DETAILS = (
    _Detail(ROWS, _LINKS, previous=True),
    _Detail(ROWS, _LINKS, previous=False),
    *(_Detail(ROWS, links, previous=False) for links in range(_LINKS - 1, -1, -1)),
    *(_Detail(rows, 0, previous=False) for rows in range(ROWS - 1, 0, -1)),
)
"""From all there is to the least; what is left out stands in the thread, and repositories left out are counted."""


def several(digests: Sequence[Digest], failures: Sequence[Failure] = ()) -> tuple[Message, ...]:
    """One root, then the charts and sections of each repository under its name; the most urgent repository is first.

    Urgent is what has most pull requests in findings that ask to act, then most with a risk. The digests are of one
    period. What could not be read is named with its reason. Raises ValueError without digests: see `unread`.
    """
    if not digests:
        raise ValueError("no digest to post: unread() tells what could not be read")
    names = _names([*(one.week.repository for one in digests), *(one.repository for one in failures)])
    rows = sorted((_row(one, names) for one in digests), key=lambda row: row.order)
    messages = [_root(rows, failures, names)]
    for row in rows:
        repository = row.digest.week.repository
        about = (Plain(row.name, claim=Claim.about("repository")),)
        messages += thread_of(row.digest, about, f"wrong {{}} repo={repository}")
    if failures:
        messages.append(_unread_message(rows[0].digest.view.wording, failures))
    return tuple(messages)


def unread(period: Period, failures: Sequence[Failure], wording: Wording) -> tuple[Message, ...]:
    """What is posted when no digest of a period could be made: that and why. An empty week is another thing."""
    names = list(_names([one.repository for one in failures]).values())
    blocks = wording.blocks("digest/unread", **_header(period), failures=failures)
    return (Message(blocks, wording.sentence("digest/unread-notification", **_header(period), names=names)),)


def _names(repositories: Sequence[str]) -> dict[str, str]:
    """Short names, the full one where two have the same short one."""
    short = Counter(_short(name).casefold() for name in repositories)
    return {name: name if short[_short(name).casefold()] > 1 else _short(name) for name in repositories}


def _short(repository: str) -> str:
    return repository.rpartition("/")[2]


def _row(digest: Digest, names: dict[str, str]) -> _Row:
    view = digest.view
    act = {number for one in view.told if one.finding.urgency is Urgency.ACT for number in one.numbers}
    asking = tuple(sorted(act & view.evidence.pull_requests.keys()))
    flagged = sum(bool(view.week.assessments[one.number].risks) for one in view.week.pull_requests)
    return _Row(
        digest,
        names[digest.week.repository],
        view.count(len(asking), numbers=asking),
        view.count(flagged, flagged=1),
    )


def _root(rows: Sequence[_Row], failures: Sequence[Failure], names: dict[str, str]) -> Message:
    view = rows[0].digest.view
    roots = (_root_blocks(rows, failures, names, detail) for detail in _DETAILS)
    blocks = min(_up_to_fitting(roots), key=length_of)
    said = view.wording.sentence(
        "digest/several-notification",
        **_header(view.week.period),
        names=[row.name for row in rows],
        unread=[names[one.repository] for one in failures],
    )
    return Message((*blocks, buttons(view.week.period)), said)


def _up_to_fitting(roots: Iterable[tuple[Block, ...]]) -> Iterator[tuple[Block, ...]]:
    for blocks in roots:
        yield blocks
        if length_of(blocks) <= LENGTH:
            return


def _root_blocks(
    rows: Sequence[_Row], failures: Sequence[Failure], names: dict[str, str], detail: _Detail
) -> tuple[Block, ...]:
    """The title, a line a repository, those that could not be read, and what the figures are."""
    first = rows[0].digest.view
    title = Message(first.wording.blocks("digest/several", **_header(first.week.period)))
    checked_title, _ = verified(title, recount_of(first))
    shown_rows = rows[: detail.rows]
    lines = [_line(row, detail, linked=place < detail.links) for place, row in enumerate(shown_rows)]
    lines += [first.wording.line("digest/several-unread", **one) for one in _told(failures[:_UNREAD], names)]
    legend = first.wording.blocks(
        "digest/several-legend",
        sorted=len(rows) > 1,
        hidden=_listed(len(rows) - len(shown_rows)),
        unread=_listed(len(failures[_UNREAD:])),
    )
    return (*checked_title.blocks, ListBlock(tuple(lines)), *legend)


def _line(row: _Row, detail: _Detail, *, linked: bool) -> Spans:
    """What a repository's week asks for; without its figures where one of them fails the check."""
    view = row.digest.view
    first = items(view, Urgency.ACT)[:1] if linked else []
    line = view.wording.line(
        "digest/several-line",
        **view.names | {"repository": Word(row.name, Claim.about("repository"))},
        act=row.act,
        risks=row.risks,
        items=first,
        watched=watched(view),
        compared=detail.previous,
    )
    if check(line, recount_of(view)).failures:
        return view.wording.line("digest/several-unchecked", repository=row.name)
    return line


def _told(failures: Sequence[Failure], names: dict[str, str]) -> list[dict[str, str]]:
    """Their names, and as much of their reasons as a root has room for."""
    cut = [one.reason if len(one.reason) <= _REASON else f"{one.reason[: _REASON - 1]}…" for one in failures]
    return [{"repository": names[one.repository], "reason": text} for one, text in zip(failures, cut, strict=True)]


def _unread_message(wording: Wording, failures: Sequence[Failure]) -> Message:
    """Every repository that could not be read, with the whole reason."""
    title = term("unread", "section")
    lines = [wording.line("digest/several-unread", repository=one.repository, reason=one.reason) for one in failures]
    message = Message((ListBlock(tuple(lines)),))
    return Message((Heading((Plain(title),)), *message.blocks), gist_of(wording, title, message))


def _header(period: Period) -> dict[str, object]:
    """What a title says of the period."""
    return {
        **span_words(period),
        "period": Word(period_label(period), Claim.about("period")),
        "timezone": Word(term(period.timezone, "timezone"), Claim.about("timezone")),
    }


def _listed(value: int) -> Count:
    """How many lines are not there: counted from what stands beside, as no fact of the week tells it."""
    return Count(value, Claim.about("listed"))
