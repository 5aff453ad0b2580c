import pytest

from bot.analysis import rules
from bot.analysis.features import fault_of
from bot.analysis.findings import serious_fix
from bot.models import Urgency
from tests.factories import make_evidence, make_pr
from tests.findings.sentences import sentence


@pytest.mark.parametrize(
    ("title", "fault"),
    [
        ("[Bugfix] Fix a hang when the queue is full", "挂起"),
        ("[BugFix] --limit=-1 causes large requests to hang and starve the rest", "挂起"),
        ("fix: avoid a deadlock between writers", "挂起"),
        ("[Cache] Fix accuracy issue with two decoders", "结果错误"),
        ("Fix parser precision for long rows", "结果错误"),
        ("[Bugfix] Fix streaming tool call corruption for split numbers", "结果错误"),
        ("[Bugfix] Fix invalid JSON in streamed rows", "结果错误"),
        ("[Bugfix] Fix dry run writing NaN to the null block", "结果错误"),
        ("[Bugfix] Loader crashes, missing finalize", "崩溃"),
        ("fix: prevent KeyError when a plugin is gone", "崩溃"),
        ("Fix OOB read in the grouped kernel", "越界"),
        ("[BugFix][V2] Fix event reuse race", "竞态"),
        ("[Bugfix] Fix a connection leak in the pool", "泄漏"),
        ("[Bugfix] Fix 5% decode regression: prefer two streams", "性能回退"),
        ("Fix import regression for explicit backends", "回归"),
        ("fix(upload): prevent path traversal in file names", "安全"),
        ("fix: enforce ownership when reading sessions", "安全"),
        ("Fix index corruption after a failed merge", "数据损坏"),
        ("修复多线程写入时的死锁", "挂起"),
    ],
)
def test_titles_that_name_a_fault(title: str, fault: str) -> None:
    named = fault_of(title, rules.load())
    assert named is not None
    assert named.name == fault


@pytest.mark.parametrize(
    "title",
    [
        "Add a regression test for the loader",
        "Fix typo in error message",
        "Fix the wording of the crash report",
        "Fix links in the crash course",
        "Fix the trace viewer",
        "Fix lap times of the race track",
        "Detect hangs and report them",
        "[CI] Fix a hang of the nightly job",
        "Fix memory cleanup in tests to avoid OOM",
        "fix: wrap long reasons to prevent overflow",
        "fix: plugin archive name mismatch",
        "Support mixed precision rotary kernels",
        "Fix mixed-precision configuration",
        "Handle corrupt images with an error of their own",
        "fix: support empty string values",
        "Fix cpu-offload assertion with other block sizes",
        "Fix code duplication in the parser",
        "Remove false-positive shape warnings",
        "Fix the loader without perf regression",
        "修复图片回退逻辑",
    ],
)
def test_titles_that_do_not(title: str) -> None:
    assert fault_of(title, rules.load()) is None


def test_one_finding_a_fault_with_titles() -> None:
    evidence = make_evidence(
        make_pr(1, "[Bugfix] Fix a hang when the queue is full"),
        make_pr(2, "[Bugfix][Router] Fix a deadlock between writers"),
        make_pr(3, "[Bugfix] Loader crashes on empty rows"),
    )
    hangs, crashes = sorted(serious_fix.detect(evidence), key=lambda finding: -finding.weight)
    assert (set(hangs.pull_requests), crashes.pull_requests) == ({1, 2}, (3,))
    assert (hangs.values["fault"], hangs.values["count"], hangs.urgency) == ("挂起", 2, Urgency.ACT)
    text = sentence(hangs, evidence.week)
    assert "挂起类问题修复 2 个：" in text
    assert "「Fix a hang when the queue is full」" in text
    assert "「[Router] Fix a deadlock between writers」" in text


def test_of_many_three_are_told_and_the_rest_numbered() -> None:
    many = [make_pr(number, f"Fix crash number {number} of the loader") for number in range(1, 6)]
    evidence = make_evidence(*many)
    [finding] = serious_fix.detect(evidence)
    assert set(finding.pull_requests) == {1, 2, 3, 4, 5}
    assert sentence(finding, evidence.week).count("「") == 3


def test_a_change_in_the_files_of_one_platform_says_so_where_the_title_does_not() -> None:
    quiet = make_pr(1, "Fix crash on empty rows", files={"engine/rocm/loader.py": (9, 3)})
    named = make_pr(2, "[ROCm] Fix a leak of handles", files={"engine/rocm/loader.py": (9, 3)})
    evidence = make_evidence(quiet, named)
    crash, leak = sorted(serious_fix.detect(evidence), key=lambda finding: -finding.weight)
    assert "只改了 ROCm 的文件" in sentence(crash, evidence.week)
    assert "只改了" not in sentence(leak, evidence.week)


def test_only_product_source_counts() -> None:
    in_tests = make_pr(1, "Fix crash on empty rows", files={"tests/test_loader.py": (9, 3)})
    in_ci = make_pr(2, "Fix crash on empty rows", files={".github/workflows/ci.yml": (9, 3)})
    assert not list(serious_fix.detect(make_evidence(in_tests, in_ci)))


def test_a_fix_that_was_taken_back_fixes_nothing() -> None:
    fix = make_pr(1, "Fix crash on empty rows")
    assert not list(serious_fix.detect(make_evidence(fix, make_pr(2, 'Revert "Fix crash on empty rows"'))))
