from typing import Any

import pytest

from bot.analysis.findings import changed_default
from bot.models import DiffFact, Finding, Urgency
from tests.factories import make_evidence, make_file, make_pr
from tests.findings.sentences import sentence


def by_diff(*facts: DiffFact, **changes: Any) -> list[Finding]:
    return list(changed_default.detect(make_evidence(make_pr(1, **changes), diff_facts=facts, diffs_read=True)))


DEFAULT = DiffFact(1, "default", "engine/config.py", "batch_size", "16", "32")


def test_a_default_with_its_old_and_new_value() -> None:
    evidence = make_evidence(make_pr(1, "Tune batching"), diff_facts=(DEFAULT,), diffs_read=True)
    [finding] = changed_default.detect(evidence)
    assert (finding.pull_requests, finding.urgency) == ((1,), Urgency.UPGRADE)
    assert sentence(finding, evidence.week) == "#1「Tune batching」：batch_size 默认值 16 → 32"


def test_a_name_that_alone_says_little_comes_with_its_file() -> None:
    fact = DiffFact(1, "default", "engine/config.py", "enable", "False", "True")
    evidence = make_evidence(make_pr(1, "Support scanning"), diff_facts=(fact,), diffs_read=True)
    [finding] = changed_default.detect(evidence)
    assert sentence(finding, evidence.week).endswith("：engine/config.py 的 enable 默认值 False → True")


def test_flags_and_variables_that_came_or_went() -> None:
    facts = (
        DiffFact(1, "flag", "engine/cli.py", "--fast", "", "--fast"),
        DiffFact(1, "environment", "engine/env.py", "ENGINE_CACHE", "ENGINE_CACHE", ""),
        DEFAULT,
        DiffFact(1, "flag", "engine/cli.py", "--slow", "--slow", ""),
    )
    evidence = make_evidence(make_pr(1, "Rework options"), diff_facts=facts, diffs_read=True)
    [finding] = changed_default.detect(evidence)
    told = "：batch_size 默认值 16 → 32、环境变量 ENGINE_CACHE 不再有、参数 --slow 不再有 等"
    assert sentence(finding, evidence.week).endswith(told)


def test_a_new_flag_alone_asks_for_nothing() -> None:
    [finding] = by_diff(DiffFact(1, "flag", "engine/core.py", "--fast", "", "--fast"))
    assert finding.urgency is Urgency.KNOW


def test_what_a_new_file_brings_changes_nothing() -> None:
    files = (make_file("tools/upload.py", status="added"), make_file())
    assert not by_diff(DiffFact(1, "flag", "tools/upload.py", "--label", "", "--label"), files=files)


def test_a_constant_counts_when_it_sounds_like_a_setting() -> None:
    assert not by_diff(DiffFact(1, "default", "engine/kernel.py", "SUB_BLOCK", "512", "4096"))
    assert by_diff(DiffFact(1, "default", "engine/net.py", "CONNECT_TIMEOUT", "20", "60"))


def test_work_on_ci_and_tests_changes_no_default() -> None:
    assert not by_diff(DEFAULT, title="[CI] Run more workers")


def test_a_removed_flag_is_told_with_the_removal() -> None:
    gone = DiffFact(1, "flag", "engine/cli.py", "--slow", "--slow", "")
    assert not by_diff(gone, title="Remove the slow path", files={"engine/cli.py": (2, 90)})


@pytest.mark.parametrize(
    "title",
    [
        "[Cache] Re-enable the prefix cache as default backend",
        "Loader default cache_dtype=float32; read hooks",
        "[Perf] Enable prefetching on shared disks by default",
        "Change load_policy default from retry to fail",
        "Rename --exclude-deltas to --include-deltas",
        "默认开启前缀缓存",
    ],
)
def test_titles_that_say_so(title: str) -> None:
    evidence = make_evidence(make_pr(1, title))
    [finding] = changed_default.detect(evidence)
    assert sentence(finding, evidence.week).startswith("标题称默认行为或参数有变：#1「")


@pytest.mark.parametrize(
    "title",
    [
        "Ignore pushes that are not to the default branch",
        "Use the favicon as default icon",
        "Fix type stubs whose defaults differ from the runtime",
        "Fix the flag always defaulting to False",
        "[Doc] Explain what is on by default",
        "Add a default constructor",
        "Rename the sampler helpers",
        'Revert "Enable prefetching by default"',
    ],
)
def test_titles_that_do_not(title: str) -> None:
    assert not list(changed_default.detect(make_evidence(make_pr(1, title))))


def test_titles_are_one_finding() -> None:
    evidence = make_evidence(*(make_pr(number, f"Enable step {number} by default") for number in range(1, 8)))
    [finding] = changed_default.detect(evidence)
    assert set(finding.pull_requests) == set(range(1, 8))
    text = sentence(finding, evidence.week)
    assert text.count("「") == 5
    assert "，另有 " in text


def test_manifests_that_moved() -> None:
    moved = [
        make_file(f"requirements/test/{name}.txt", 0, 0, status="renamed", previous_path=f"requirements/{name}.txt")
        for name in ("cpu", "gpu", "web")
    ]
    evidence = make_evidence(make_pr(1, "Add structure to requirements", files=(*moved, make_file())))
    [finding] = changed_default.detect(evidence)
    assert finding.urgency is Urgency.UPGRADE
    text = sentence(finding, evidence.week)
    assert "如 requirements/cpu.txt → requirements/test/cpu.txt（共改 4 个文件）" in text


def test_a_component_that_moved_with_its_build_file_is_no_new_layout() -> None:
    moved = [make_file(f"new/{i}.c", status="renamed", previous_path=f"old/{i}.c") for i in range(8)]
    moved += [make_file(f"new/{i}/setup.py", status="renamed", previous_path=f"old/{i}/setup.py") for i in range(3)]
    assert not list(changed_default.detect(make_evidence(make_pr(1, "Move the kernels", files=tuple(moved)))))
