from datetime import timedelta

from bot.analysis.findings import platforms
from bot.models import PullRequest
from tests.factories import PERIOD, WEDNESDAY, make_evidence, make_pr
from tests.findings.sentences import sentence


def on(platform: str, count: int, first: int, what: str = "Tune the loop", back: int = 0) -> list[PullRequest]:
    return [
        make_pr(number, f"[{platform}] {what} {number}", merged_at=WEDNESDAY - timedelta(weeks=back, minutes=-number))
        for number in range(first, first + count)
    ]


def test_the_spread_over_platforms() -> None:
    now = [*on("ROCm", 2, 1, "Fix step"), *on("ROCm", 1, 11, "Add kernel"), *on("XPU", 2, 21)]
    across = make_pr(31, "[ROCm][XPU] Share the allocator")
    evidence = make_evidence(*now, across, history=on("ROCm", 2, 100, back=1))
    [finding] = platforms.detect(evidence)
    assert finding.pull_requests[0] == 31
    assert set(finding.pull_requests) == {1, 2, 11, 21, 22, 31}
    assert sentence(finding, evidence.week) == (
        "按平台标签计：ROCm 4 个（上周 2，修复 2、新功能 1），XPU 3 个（上周 0，修复 0、新功能 0）"
        "；一个 PR 改到多个平台的有 #31"
    )


def test_without_a_span_before_there_is_no_comparison() -> None:
    evidence = make_evidence(*on("ROCm", 3, 1), *on("XPU", 3, 21), covered_since=None)
    [finding] = platforms.detect(evidence)
    assert "上周" not in sentence(finding, evidence.week)


def test_one_platform_is_no_spread() -> None:
    assert not list(platforms.detect(make_evidence(*on("ROCm", 4, 1), *on("XPU", 2, 21))))


def test_a_platform_with_an_unusual_week() -> None:
    history = [one for back in range(1, 14) for one in on("ROCm", 4, 100 * back, back=back)]
    evidence = make_evidence(*on("ROCm", 14, 1), history=history)
    [finding] = platforms.detect(evidence)
    assert set(finding.pull_requests) == set(range(1, 15))
    assert sentence(finding, evidence.week) == "ROCm 标签的 PR 本周有 14 个（其中修复 0），近 13 个等长周期中位数 4"


def test_a_few_more_than_usual_are_not_unusual() -> None:
    history = [one for back in range(1, 14) for one in on("ROCm", 4, 100 * back, back=back)]
    assert not list(platforms.detect(make_evidence(*on("ROCm", 8, 1), history=history)))


def test_a_platform_that_was_as_busy_twice_is_not_unusual() -> None:
    history = [one for back in range(1, 14) for one in on("ROCm", 15 if back < 3 else 4, 100 * back, back=back)]
    assert not list(platforms.detect(make_evidence(*on("ROCm", 14, 1), history=history)))


def test_too_short_a_past_has_no_usual_week() -> None:
    history = on("ROCm", 1, 100, back=1)
    evidence = make_evidence(*on("ROCm", 14, 1), history=history, covered_since=PERIOD.before(4).since)
    assert not list(platforms.detect(evidence))
