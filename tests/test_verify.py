"""Every figure of a digest is counted again; a wrong one does not get through."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.analysis import rules
from bot.digest.recount import Recount
from bot.digest.verify import check, verified
from bot.figures import Claim, Scalar
from bot.message import Code, Heading, ListBlock, Message, Plain, PullRequestRef, Span, Table, Text
from bot.models import DiffFact, Release
from tests.factories import PERIOD, WEDNESDAY, make_assessment, make_file, make_pr, make_week

LAST_WEEK = WEDNESDAY - timedelta(days=7)
PULLS = (
    make_pr(1, "Fix a hang in the scheduler", author="ann", files={"engine/core.py": (30, 10), "docs/a.md": (5, 0)}),
    make_pr(2, "Add an exporter", author="ben", files=(make_file("engine/export.py", 200, 0, status="added"),)),
    make_pr(3, "Bump a tool", author="bot", author_kind="bot", files={"pyproject.toml": (1, 1)}),
)
HISTORY = (make_pr(90, "Older work", merged_at=LAST_WEEK), make_pr(91, "More", merged_at=LAST_WEEK))
WEEK = make_week(
    *PULLS,
    history=HISTORY,
    releases=(Release("v1.0", WEDNESDAY, WEDNESDAY + timedelta(minutes=1)),),
    diff_facts=(DiffFact(2, "default", "engine/export.py", "batch", "1", "2"),),
)
RECOUNT = Recount(WEEK, rules.load())


def says(value: str, of: str, **where: Scalar) -> bool:
    return not check([Plain(value, claim=Claim.about(of, **where))], RECOUNT).failures


@pytest.mark.parametrize(
    ("value", "of", "where"),
    [
        ("3", "pull_requests", {}),
        ("2", "pull_requests", {"span": 1}),
        ("1", "pull_requests", {"tag": "bugfix"}),
        ("1", "pull_requests", {"fault": "挂起"}),
        ("1", "pull_requests", {"bots": 1}),
        ("1", "pull_requests", {"path": "engine/core.py"}),
        ("2", "pull_requests", {"folder": "engine/", "source": 1}),
        ("1", "pull_requests", {"new": 1}),
        ("2", "authors", {"folder": "engine/"}),
        ("40", "churn", {"numbers": (1,), "source": 1}),
        ("35", "additions", {"numbers": (1,)}),
        ("10", "deletions", {"numbers": (1,)}),
        ("2", "files", {"numbers": (1,)}),
        ("0", "usual", {"first": 2, "spans": 4}),
        ("0", "median", {"tag": "rocm"}),
        ("0", "hours", {"first": 1, "then": 2}),
        ("Fix a hang in the scheduler", "title", {"number": 1}),
        ("ann", "author", {"number": 1}),
        ("engine/core.py", "path", {"numbers": (1, 2)}),
        ("engine/", "folder", {"numbers": (1,)}),
        ("batch", "diff", {"number": 2, "kind": "default", "name": "batch"}),
        ("v1.0", "release", {"numbers": (1,)}),
        ("engine", "repository", {}),
        ("北京时间", "timezone", {}),
    ],
)
def test_what_the_facts_bear_out_holds(value: str, of: str, where: dict[str, Scalar]) -> None:
    assert says(value, of, **where)


@pytest.mark.parametrize(
    ("value", "of", "where"),
    [
        ("4", "pull_requests", {}),
        ("3", "pull_requests", {"span": 1}),
        ("0", "pull_requests", {"span": 20}),
        ("41", "churn", {"numbers": (1,), "source": 1}),
        ("3.0", "pull_requests", {}),
        ("0.5", "importance", {"number": 1}),
        ("Fix a hang in the allocator", "title", {"number": 1}),
        ("zoe", "author", {"number": 1}),
        ("engine/other.py", "path", {"numbers": (1, 2)}),
        ("4", "diff", {"number": 2, "kind": "default", "name": "batch"}),
        ("v1.0", "release", {"numbers": (3,)}),
        ("v2.0", "release", {"numbers": (1,)}),
    ],
)
def test_what_the_facts_do_not_bear_out_fails(value: str, of: str, where: dict[str, Scalar]) -> None:
    assert not says(value, of, **where)


def test_a_digit_without_a_claim_fails() -> None:
    assert check([Plain("约 3 个")], RECOUNT).failures
    assert not check([Plain("约三个")], RECOUNT).failures


def test_a_reference_must_be_known() -> None:
    assert not check([PullRequestRef(1, "u"), PullRequestRef(90, "u")], RECOUNT).failures
    assert check([PullRequestRef(77, "u")], RECOUNT).failures


def test_an_unknown_kind_of_claim_is_our_bug() -> None:
    with pytest.raises(KeyError):
        says("3", "unheard-of")


TRUE: tuple[Span, ...] = (Plain("真"), Plain("3", claim=Claim.about("pull_requests")))
FALSE: tuple[Span, ...] = (Plain("假"), Plain("4", claim=Claim.about("pull_requests")))


def test_what_fails_is_left_out_and_counted() -> None:
    message = Message(
        (
            Heading((Plain("标题"),)),
            Text(TRUE),
            Text(FALSE),
            ListBlock((TRUE, FALSE)),
            ListBlock((FALSE,)),
            Table(((Plain("甲"),), (Plain("乙"),)), ((TRUE, TRUE), (TRUE, FALSE))),
            Text((Code("x1", claim=None),)),
        )
    )
    kept, result = verified(message, RECOUNT)
    assert kept.blocks == (
        Heading((Plain("标题"),)),
        Text(TRUE),
        ListBlock((TRUE,)),
        Table(((Plain("甲"),), (Plain("乙"),)), ((TRUE, TRUE),)),
    )
    assert (result.checked, len(result.failures)) == (10, 5)


def test_a_span_that_is_not_fully_covered_gives_no_figure() -> None:
    recount = Recount(replace(WEEK, covered_since=PERIOD.since), rules.load())
    assert recount.value(Claim.about("pull_requests", span=1)) is None
    assert check([Plain("2", claim=Claim.about("pull_requests", span=1))], recount).failures


def test_importance_is_the_assessments() -> None:
    week = replace(WEEK, assessments={**WEEK.assessments, 1: make_assessment(1, 6.0)})
    recount = Recount(week, rules.load())
    assert not check([Plain("6.0", claim=Claim.about("importance", number=1))], recount).failures
    assert check([Plain("6.1", claim=Claim.about("importance", number=1))], recount).failures
