from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.analysis.findings import untested
from bot.models import Finding, PullRequest
from tests.factories import WEDNESDAY, make_evidence, make_file, make_pr
from tests.findings.sentences import sentence

RUNNER = "engine/layers/fused_moe/runner.py"
TESTS = "tests/kernels/moe/test_layer.py"
HISTORY = [
    make_pr(1000 + number, f"Touch step {number}", files={RUNNER: (40, 20)}, merged_at=WEDNESDAY - timedelta(days=20))
    for number in range(8)
]
"""Weeks in which the file was often changed, a little each time."""


def large(number: int = 1, title: str = "[MoE Refactor] Split the runner", **changes: Any) -> PullRequest:
    return make_pr(number, title, **({"files": {RUNNER: (868, 705)}} | changes))


def only_tests(number: int = 2, title: str = "[MoE Refactor][Test] Layer test", **changes: Any) -> PullRequest:
    return make_pr(number, title, **({"files": {TESTS: (1858, 55)}} | changes))


def found(*pull_requests: PullRequest) -> list[tuple[Finding, str]]:
    evidence = make_evidence(*pull_requests, history=HISTORY)
    return [(finding, sentence(finding, evidence.week)) for finding in untested.detect(evidence)]


def test_much_source_without_tests() -> None:
    [(finding, text)] = found(large())
    assert (finding.pull_requests, finding.files) == ((1,), (RUNNER,))
    assert text == "#1「[MoE Refactor] Split the runner」改动源码 1,573 行，本 PR 未改测试文件"


def test_tests_that_came_in_another_pull_request() -> None:
    [(finding, text)] = found(large(), only_tests())
    assert finding.pull_requests == (1, 2)
    assert text.endswith("；随后 #2 补了同一区域的测试")


def test_an_empty_line_beside_the_tests_does_not_matter() -> None:
    [(finding, _)] = found(large(), only_tests(files={TESTS: (1858, 55), RUNNER: (0, 1)}))
    assert finding.pull_requests == (1, 2)


def test_followers_that_prove_nothing() -> None:
    with_source = only_tests(files={TESTS: (1858, 55), RUNNER: (60, 4)})
    followers = [
        with_source,
        only_tests(files={TESTS: (20, 0)}),
        only_tests(title="[Scheduler][Test] Layer test"),
        only_tests(files={"tests/scheduler/test_queue.py": (1858, 55)}),
        only_tests(merged_at=WEDNESDAY - timedelta(hours=2)),
    ]
    for follower in followers:
        findings = [finding.pull_requests for finding, _ in found(large(), follower)]
        assert findings == [(1,)], follower


def test_the_same_pull_request_with_tests_is_tested() -> None:
    assert not found(large(files={RUNNER: (868, 705), TESTS: (3, 1)}))


def test_small_changes_are_left_alone() -> None:
    assert not found(large(files={RUNNER: (9, 4)}))


def test_reverts_and_what_they_took_back_are_left_out() -> None:
    assert not found(large(), replace(large(3), title='Revert "[MoE Refactor] Split the runner"'))


def test_a_new_file_that_nobody_changes_is_no_risk() -> None:
    assert not found(large(files=(make_file("engine/extra/walk.py", 900, 0, status="added"),)))
