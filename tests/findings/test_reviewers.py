from datetime import timedelta
from typing import Any

from bot.analysis.findings import reviewers
from bot.models import PullRequest, Review, Week
from tests.factories import PERIOD, WEDNESDAY, make_assessment, make_evidence, make_pr, make_week
from tests.findings.sentences import sentence

CORE = "app/core/run.py"


def by(author: str, count: int, first: int, path: str = CORE, **changes: Any) -> list[PullRequest]:
    return [
        make_pr(number, f"Change {number}", author=author, files={path: (20, 5)}, **changes)
        for number in range(first, first + count)
    ]


def before(author: str, count: int, first: int, path: str = CORE, **changes: Any) -> list[PullRequest]:
    return by(author, count, first, path, merged_at=WEDNESDAY - timedelta(weeks=3), **changes)


def colliding() -> list[PullRequest]:
    return [make_pr(number, author=f"new-{number}", files={CORE: (20, 5)}) for number in range(1, 5)]


KNOWING = [*before("ann", 4, 100), *before("ben", 3, 110), *before("cyd", 2, 120)]


def test_recent_authors_of_a_collision_point() -> None:
    evidence = make_evidence(*colliding(), history=KNOWING)
    [finding] = reviewers.detect(evidence)
    assert finding.files == (CORE,)
    assert sentence(finding, evidence.week) == (
        "app/core/run.py 本周由 #1、#2、#3 等修改；近 13 周多次改过它的还有 ann、ben"
    )


def test_authors_of_the_changes_are_not_named() -> None:
    own = make_pr(9, author="ann", files={CORE: (20, 5)})
    [finding] = reviewers.detect(make_evidence(*colliding(), own, history=KNOWING))
    assert finding.values["people"] == ["ben"]


def test_bots_are_nobody_to_ask() -> None:
    bots = before("tidy[bot]", 9, 100, author_kind="bot")
    assert not list(reviewers.detect(make_evidence(*colliding(), history=bots)))


def test_who_changed_it_twice_does_not_know_it() -> None:
    assert not list(reviewers.detect(make_evidence(*colliding(), history=before("cyd", 2, 100))))


def test_a_small_folder_stands_in_for_a_file_that_nobody_knows() -> None:
    elsewhere = [one for n in range(100) for one in before(f"dev-{n}", 1, 200 + n, path=f"app/area{n}/main.py")]
    evidence = make_evidence(*colliding(), history=[*before("ann", 3, 100, "app/core/plan.py"), *elsewhere])
    [finding] = reviewers.detect(evidence)
    assert "近 13 周多次改过同目录 app/core/ 的还有 ann" in sentence(finding, evidence.week)


def test_a_folder_where_much_goes_on_does_not() -> None:
    assert not list(reviewers.detect(make_evidence(*colliding(), history=before("ann", 9, 100, "app/core/plan.py"))))


def core_week(importance: float, **changes: Any) -> Week:
    """One change of a file that was changed often, and files that were changed once."""
    once = [
        make_pr(300 + n, merged_at=WEDNESDAY - timedelta(weeks=4), files={f"app/x{n}.py": (9, 9)}) for n in range(60)
    ]
    changed = make_pr(1, author="new-1", files={CORE: (200, 50)}, **changes)
    assessments = {1: make_assessment(1, importance)}
    return make_week(changed, history=[*KNOWING, *once], assessments=assessments)


def test_an_important_change_of_the_core() -> None:
    week = core_week(7.0)
    evidence = make_evidence(*week.pull_requests, history=week.history, assessments=week.assessments)
    [finding] = reviewers.detect(evidence)
    assert finding.pull_requests == (1,)
    assert finding.values["people"] == ["ann", "ben"]


def test_an_unimportant_change_of_the_core_needs_nobody_else() -> None:
    week = core_week(5.9)
    evidence = make_evidence(*week.pull_requests, history=week.history, assessments=week.assessments)
    assert not list(reviewers.detect(evidence))


def test_who_reviewed_it_already_is_not_named() -> None:
    review = Review("ann", "APPROVED", WEDNESDAY)
    week = core_week(7.0, reviews=(review,))
    evidence = make_evidence(*week.pull_requests, history=week.history, assessments=week.assessments)
    [finding] = reviewers.detect(evidence)
    assert finding.values["people"] == ["ben"]


def test_as_many_weeks_as_are_known_are_named() -> None:
    evidence = make_evidence(*colliding(), history=KNOWING, covered_since=PERIOD.before(5).since)
    [finding] = reviewers.detect(evidence)
    assert "近 5 周" in sentence(finding, evidence.week)
    assert not list(reviewers.detect(make_evidence(*colliding(), history=KNOWING, covered_since=None)))
