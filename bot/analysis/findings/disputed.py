"""Argued over in review: merged while a reviewer still asked for changes, long exchanges, threads left unresolved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from bot.analysis.findings.evidence import Evidence, title
from bot.analysis.passages import sentences
from bot.analysis.rules import Rules
from bot.figures import Claim, Count, Word
from bot.models import Comment, Finding, FindingKind, PullRequest, ReviewThread, Urgency

_VERDICTS = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})
_LONG = 6
"""Comments of people in one thread that make it a long exchange."""

_ANSWERS = 2
"""… in which the author spoke so many times."""

_OPEN = 2
"""Threads between people that were left unresolved, from which on they are told."""

_RESOLVES = 0.5
"""A repository that leaves more than this share of such threads unresolved does not use the mark: it says nothing."""

_MOST = 5


@dataclass(frozen=True, slots=True)
class _Dispute:
    """What was seen in the reviews of one pull request; `passage` is what was said and whether its author said it."""

    pull_request: PullRequest
    refused: bool
    approved: bool
    long: int
    open: int
    passage: tuple[Word, bool] | None

    @property
    def weight(self) -> float:
        return 10 * self.refused + self.long + self.open / 10


def detect(evidence: Evidence) -> Iterator[Finding]:
    """One finding a pull request, at most five; nothing where the source has no reviews to give."""
    resolves = _resolves(chain(evidence.week.history, evidence.week.pull_requests))
    standing = (one for one in evidence.week.pull_requests if one.author_kind != "bot" and evidence.stands(one))
    disputes = [_dispute(one, evidence.rules, resolves=resolves) for one in standing]
    told = [one for one in disputes if one.refused or one.long or one.open]
    for dispute in sorted(told, key=lambda one: (-one.weight, one.pull_request.number))[:_MOST]:
        yield _finding(dispute)


def _dispute(one: PullRequest, rules: Rules, *, resolves: bool) -> _Dispute:
    verdicts = _last_verdicts(one)
    argued = [thread for thread in _between_people(one) if _is_argued(thread, one, rules)]
    left_open = [thread for thread in _between_people(one) if not thread.resolved]
    return _Dispute(
        pull_request=one,
        refused="CHANGES_REQUESTED" in verdicts.values(),
        approved="APPROVED" in verdicts.values(),
        long=max((len(_people(thread.comments)) for thread in argued), default=0),
        open=len(left_open) if resolves and len(left_open) >= _OPEN else 0,
        passage=_no_of_author(one, argued, rules) or _what_was_asked(one, verdicts),
    )


def _last_verdicts(one: PullRequest) -> dict[str, str]:
    """The last verdict of each reviewer before the merge."""
    last: dict[str, str] = {}
    for review in sorted(one.reviews or (), key=lambda review: review.submitted_at):
        by_other = review.author != one.author and not _is_bot(review.author)
        if by_other and review.state in _VERDICTS and review.submitted_at <= one.merged_at:
            last[review.author] = review.state
    return last


def _is_argued(thread: ReviewThread, one: PullRequest, rules: Rules) -> bool:
    """A long exchange in which the author said no to something."""
    people = _people(thread.comments)
    answers = [comment for comment in people if comment.author == one.author]
    return len(people) >= _LONG and len(answers) >= _ANSWERS and any(_pushes_back(said, rules) for said in answers)


def _between_people(one: PullRequest) -> Iterator[ReviewThread]:
    for thread in one.threads or ():
        if len({comment.author for comment in _people(thread.comments)}) > 1:
            yield thread


def _people(comments: Iterable[Comment]) -> list[Comment]:
    return [comment for comment in comments if not _is_bot(comment.author)]


def _is_bot(login: str) -> bool:
    """GitHub's apps sign so; other machine accounts cannot be told from people by their login."""
    return login.endswith("[bot]")


def _resolves(pull_requests: Iterable[PullRequest]) -> bool:
    """Whether the repository uses the mark "resolved" at all."""
    threads = [thread for one in pull_requests for thread in _between_people(one)]
    return sum(not thread.resolved for thread in threads) <= _RESOLVES * len(threads)


def _pushes_back(comment: Comment, rules: Rules) -> bool:
    return rules.words["pushes_back"].search(comment.body) is not None


def _no_of_author(one: PullRequest, argued: Sequence[ReviewThread], rules: Rules) -> tuple[Word, bool] | None:
    """The author's first no in the longest exchange."""
    by_length = sorted(argued, key=lambda thread: -len(thread.comments))
    said = [comment.body for thread in by_length for comment in thread.comments if comment.author == one.author]
    noes = (line for body in said for line in sentences(body) if rules.words["pushes_back"].search(line))
    return _quoted(one, next(noes, ""), by_author=True)


def _what_was_asked(one: PullRequest, verdicts: Mapping[str, str]) -> tuple[Word, bool] | None:
    """The first thing that a reviewer asked for who did not take it back."""
    refusing = [review for review in one.reviews or () if verdicts.get(review.author) == "CHANGES_REQUESTED"]
    asked = [review.body for review in refusing if review.state == "CHANGES_REQUESTED"]
    return _quoted(one, next((line for body in asked for line in sentences(body)), ""), by_author=False)


def _quoted(one: PullRequest, text: str, *, by_author: bool) -> tuple[Word, bool] | None:
    return (Word(text, Claim.about("quote", number=one.number)), by_author) if text else None


def _finding(dispute: _Dispute) -> Finding:
    one = dispute.pull_request
    comments = sum(len(thread.comments) for thread in one.threads or ()) + len(one.comments or ())
    unresolved = sum(not thread.resolved for thread in one.threads or ())
    values: dict[str, object] = {
        "number": one.number,
        "title": title(one),
        "refused": dispute.refused,
        "approved": dispute.approved,
        "long": dispute.long > 0,
        "comments": Count(comments, Claim.about("comments", number=one.number)),
        "open": dispute.open > 0,
        "unresolved": Count(unresolved, Claim.about("unresolved", number=one.number)),
        "passage": dispute.passage[0] if dispute.passage else None,
        "by_author": dispute.passage is not None and dispute.passage[1],
    }
    return Finding(FindingKind.DISPUTED, Urgency.KNOW, (one.number,), values=values, weight=dispute.weight)
