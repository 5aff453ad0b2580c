from collections.abc import Sequence
from datetime import timedelta

from bot.analysis.findings import unusual
from bot.models import PullRequest
from tests.factories import PERIOD, WEDNESDAY, make_evidence, make_pr
from tests.findings.sentences import sentence


def merged(count: int, back: int = 0, path: str = "app/core/run.py", first: int = 1) -> list[PullRequest]:
    """So many in the period or in the span so far back; numbers go on from `first` in the span's own thousand."""
    return [
        make_pr(
            1000 * back + first + number,
            f"Change number {number}",
            merged_at=WEDNESDAY - timedelta(weeks=back, minutes=-number),
            files={path: (9, 3)},
        )
        for number in range(count)
    ]


def past(counts: Sequence[int], path: str = "app/core/run.py", first: int = 1) -> list[PullRequest]:
    return [one for back, count in enumerate(counts, 1) for one in merged(count, back, path, first)]


STEADY = [20, 22, 19, 21, 20, 18, 23, 20, 21, 19, 20, 22, 20]


def test_a_usual_week_is_nothing_to_tell() -> None:
    assert not list(unusual.detect(make_evidence(*merged(21), history=past(STEADY))))


def test_a_quiet_week() -> None:
    evidence = make_evidence(*merged(5), history=past(STEADY))
    [finding] = unusual.detect(evidence)
    assert sentence(finding, evidence.week) == "本周合入 5 个 PR，近 13 个等长周期中位数 20，比这些周期都少"


def test_a_loud_week() -> None:
    evidence = make_evidence(*merged(45), history=past(STEADY))
    [finding] = unusual.detect(evidence)
    assert "本周合入 45 个 PR" in sentence(finding, evidence.week)
    assert "比这些周期都多" in sentence(finding, evidence.week)


def test_a_week_without_any_is_told_too() -> None:
    evidence = make_evidence(history=past(STEADY))
    [finding] = unusual.detect(evidence)
    assert finding.pull_requests == ()
    assert sentence(finding, evidence.week).startswith("本周合入 0 个 PR")


def test_a_few_less_is_not_unusual_however_steady_the_past() -> None:
    assert not list(unusual.detect(make_evidence(*merged(6), history=past([10] * 13))))


def test_falling_three_times_in_a_row_is_told() -> None:
    falling = [22, 25, 30, *[24, 30, 20] * 3, 24]
    evidence = make_evidence(*merged(19), history=past(falling))
    [finding] = unusual.detect(evidence)
    assert sentence(finding, evidence.week).endswith("；连续下降：30 → 25 → 22 → 19")
    assert not list(unusual.detect(make_evidence(*merged(19), history=past([18, *falling[1:]]))))


def test_fewer_than_six_covered_spans_say_nothing() -> None:
    history = past(STEADY)
    assert not list(unusual.detect(make_evidence(*merged(1), history=history, covered_since=PERIOD.before(5).since)))
    assert list(unusual.detect(make_evidence(*merged(1), history=history, covered_since=PERIOD.before(6).since)))


def busy_and_quiet(now: int, before: Sequence[int]) -> tuple[list[PullRequest], list[PullRequest]]:
    """A steady core of twenty a span, and a small module beside it."""
    module = "app/web/page.py"
    return [*merged(20), *merged(now, path=module, first=500)], [*past([20] * 13), *past(before, module, 500)]


def test_a_module_that_is_suddenly_busy() -> None:
    now, before = busy_and_quiet(9, [1, 2, 1, 0, 1, 1, 2, 1, 1, 0, 1, 1, 1])
    evidence = make_evidence(*now, history=before)
    found = [finding for finding in unusual.detect(evidence) if "folder" in finding.values]
    [finding] = found
    assert set(finding.pull_requests) == set(range(500, 509))
    assert sentence(finding, evidence.week) == (
        "触及 app/web/ 源码的 PR 本周有 9 个，近 13 个等长周期中位数 1，比这些周期都多；其中有 #500、#501、#502"
    )


def test_a_module_that_has_been_busy_before_is_nothing_new() -> None:
    now, before = busy_and_quiet(9, [9, 10, 1, 0, 1, 1, 2, 1, 1, 0, 1, 1, 1])
    assert not [one for one in unusual.detect(make_evidence(*now, history=before)) if "folder" in one.values]


def test_a_module_that_has_gone_quiet() -> None:
    now, before = busy_and_quiet(0, [14] * 13)
    evidence = make_evidence(*now, history=before)
    [finding] = [one for one in unusual.detect(evidence) if "folder" in one.values]
    assert sentence(finding, evidence.week) == (
        "触及 app/web/ 源码的 PR 本周有 0 个，近 13 个等长周期中位数 14，比这些周期都少"
    )
