from datetime import timedelta

from bot.analysis.findings import long_open
from bot.models import PullRequest
from tests.factories import WEDNESDAY, make_evidence, make_pr
from tests.findings.sentences import sentence


def open_for(days: int, number: int = 1, **changes: object) -> PullRequest:
    merged_at = WEDNESDAY + timedelta(minutes=number)
    return make_pr(number, f"Change {number}", created_at=merged_at - timedelta(days=days, hours=3), **changes)


def past(days: list[int]) -> list[PullRequest]:
    merged_at = WEDNESDAY - timedelta(weeks=2)
    return [make_pr(100 + n, merged_at=merged_at, created_at=merged_at - timedelta(days=d)) for n, d in enumerate(days)]


def test_one_that_was_open_for_long() -> None:
    evidence = make_evidence(open_for(75), open_for(3, 2))
    [finding] = long_open.detect(evidence)
    assert finding.pull_requests == (1,)
    assert sentence(finding, evidence.week) == "#1「Change 1」开了 75 天才合入"


def test_several_are_one_finding_that_names_the_oldest() -> None:
    evidence = make_evidence(open_for(75), open_for(210, 2), open_for(60, 3))
    [finding] = long_open.detect(evidence)
    assert finding.pull_requests == (2, 1, 3)
    assert sentence(finding, evidence.week) == (
        "3 个 PR 开了至少 60 天才合入，最久的是 #2「Change 2」，210 天；另有 #1、#3"
    )


def test_less_than_sixty_days_is_not_long() -> None:
    assert not list(long_open.detect(make_evidence(open_for(59))))


def test_long_is_longer_than_nearly_all_of_the_repositorys_own() -> None:
    slow = past([90] * 38 + [200, 200])
    assert not list(long_open.detect(make_evidence(open_for(85), history=slow)))
    assert list(long_open.detect(make_evidence(open_for(201), history=slow)))
    assert list(long_open.detect(make_evidence(open_for(85), history=slow[:19])))


def test_without_creation_dates_there_is_nothing_to_say_whatever_the_number() -> None:
    assert not list(long_open.detect(make_evidence(make_pr(7), make_pr(99_000))))


def test_bots_and_what_was_taken_back_are_not_told() -> None:
    bot = open_for(90, 3, author="tidy[bot]", author_kind="bot")
    gone = open_for(90, 4)
    revert = make_pr(5, 'Revert "Change 4"')
    assert not list(long_open.detect(make_evidence(bot, gone, revert)))
