from bot.analysis.findings import toolchain
from bot.models import DiffFact, Finding, PullRequest, Urgency
from tests.factories import make_evidence, make_file, make_pr
from tests.findings.sentences import sentence

REQUIREMENTS = "requirements.txt"


def bump(number: int, title: str, *paths: str, **changes: object) -> PullRequest:
    return make_pr(number, title, files=dict.fromkeys(paths or (REQUIREMENTS,), (1, 1)), **changes)


def version(number: int, name: str, old: str, new: str, path: str = REQUIREMENTS) -> DiffFact:
    return DiffFact(number, "version", path, name, old, new)


def told(*pull_requests: PullRequest, facts: tuple[DiffFact, ...] = ()) -> list[tuple[Finding, str]]:
    evidence = make_evidence(*pull_requests, diff_facts=facts, diffs_read=bool(facts))
    findings = sorted(toolchain.detect(evidence), key=lambda finding: -finding.weight)
    return [(finding, sentence(finding, evidence.week)) for finding in findings]


def test_versions_by_the_diff() -> None:
    [(finding, text)] = told(bump(1, "Update the tensor stack"), facts=(version(1, "tensors", "2.10", "2.11"),))
    assert (finding.pull_requests, finding.urgency) == ((1,), Urgency.UPGRADE)
    assert text == "#1「Update the tensor stack」：tensors 2.10 → 2.11"


def test_the_net_change_of_several() -> None:
    there = version(1, "tensors", "2.10", "2.12"), version(2, "tensors", "2.12", "2.11")
    [(finding, text)] = told(bump(1, "Update tensors"), bump(2, "Use tensors that build"), facts=there)
    assert finding.pull_requests == (1, 2)
    assert text == "#1、#2 合计：tensors 2.10 → 2.11"


def test_there_and_back() -> None:
    there = version(1, "tensors", "2.10", "2.12"), version(2, "Tensors", "2.12", "2.10")
    [(_, text)] = told(bump(1, "Update tensors"), bump(2, "Use tensors that build"), facts=there)
    assert text.endswith("Tensors 改动后又改回 2.10")


def test_new_and_dropped_dependencies_name_the_file() -> None:
    facts = version(1, "old-diff", "0.2", ""), version(1, "new-diff", "", "0.3")
    [(_, text)] = told(bump(1, "Switch the diff library"), facts=facts)
    assert text.endswith("：requirements.txt 不再列出 old-diff、requirements.txt 新增 new-diff 0.3")


def test_a_duplicate_line_that_goes_drops_nothing() -> None:
    assert not told(bump(1, "Remove duplicate requirements"), facts=(version(1, "http", "3.1", ""),))


def test_most_files_decide_and_major_moves_come_first() -> None:
    facts = (
        version(1, "small", "1.1", "1.2"),
        version(1, "big", "1.9", "2.0", "web/package.json"),
        version(1, "wide", "3.0", "3.1"),
        version(1, "wide", "3.0", "3.1", "web/package.json"),
        version(1, "wide", ">=3", ">=3.1", "setup.cfg"),
    )
    [(_, text)] = told(bump(1, "Update the stack", REQUIREMENTS, "web/package.json", "setup.cfg"), facts=facts)
    assert text.endswith("：big 1.9 → 2.0、wide 3.0 → 3.1、small 1.1 → 1.2")


def test_without_diffs_the_title_tells() -> None:
    files = {f"docker/Dockerfile.{kind}": (1, 1) for kind in ("cpu", "gpu", "xpu")}
    [(finding, text)] = told(make_pr(1, "[release 2.11] Update to tensors 2.11", files=files))
    assert (finding.pull_requests, finding.urgency) == ((1,), Urgency.UPGRADE)
    assert text == "#1「[release 2.11] Update to tensors 2.11」（3 个文件）"


def test_titles_of_one_dependency_are_one_finding() -> None:
    first = bump(1, "[GPU] Cherry-pick a compiler fix and update Kernels")
    [(finding, text)] = told(first, bump(2, "[GPU] Revert kernels version to v0.1.10.post3"))
    assert set(finding.pull_requests) == {1, 2}
    assert text.startswith("kernels 先后由 #1「")
    assert text.endswith("改动，最后落在 v0.1.10.post3")


def test_what_only_tests_and_ci_use_is_apart() -> None:
    tests = bump(1, "Pin reader to 1.2", "requirements/test.txt")
    actions = bump(2, "Use a newer checkout", ".github/workflows/ci.yml")
    action = version(2, "actions/checkout", "v4", "v6", ".github/workflows/ci.yml")
    linters = bump(3, "Use one linter", "requirements/lint.txt", "pyproject.toml")
    facts = action, version(3, "linter", "", "1.0", "requirements/lint.txt")
    [(finding, text)] = told(tests, actions, linters, facts=facts)
    assert (set(finding.pull_requests), finding.urgency) == ({1, 2, 3}, Urgency.KNOW)
    assert text.startswith("只涉及 CI、测试或开发工具的依赖改动 3 个：")
    assert "reader 1.2 #1" in text


def test_bots_are_one_finding_with_their_major_moves() -> None:
    bots = [
        bump(number, f"chore(deps): bump lib{number} from 1.0 to 1.1", author_kind="bot") for number in range(1, 12)
    ]
    facts = (
        version(1, "lib1", "1.0", "1.1"),
        version(2, "wire", "6.33", "7.35"),
        version(3, "zones", "2025.2", "2026.1"),
    )
    [(finding, text)] = told(*bots, facts=facts)
    assert (len(finding.pull_requests), finding.urgency) == (11, Urgency.KNOW)
    assert text.startswith("机器人升级依赖 11 个 PR：")
    assert text.endswith(" 等，跨大版本的有 wire 6.33 → 7.35")


def test_several_small_moves_are_one_finding() -> None:
    small = [bump(number, f"Pin lib{number} to 1.{number}") for number in range(1, 5)]
    [(finding, text)] = told(*small)
    assert set(finding.pull_requests) == {1, 2, 3, 4}
    assert text.startswith("小的依赖改动 4 个：")


def test_near_misses() -> None:
    others = [
        make_pr(1, "Update the router to handle 2 paths"),
        bump(2, "chore: bump version to 4.13.2", "pyproject.toml"),
        make_pr(3, "[Docs] Update the guide to 2.0", files={"docs/guide.md": (2, 2)}),
        bump(4, "Install the compiler before the wheels", "docker/Dockerfile"),
        bump(5, 'Revert "Pin reader to 1.2"'),
    ]
    assert not told(*others)


def test_a_bump_that_was_reverted_moved_nothing() -> None:
    assert not told(bump(1, "Pin reader to 1.2"), bump(2, 'Revert "Pin reader to 1.2"'))


def test_moved_manifests_are_told_as_a_layout() -> None:
    files = tuple(
        make_file(f"requirements/a/{name}.txt", 0, 0, status="renamed", previous_path=f"requirements/{name}.txt")
        for name in ("x", "y", "z")
    )
    assert not told(make_pr(1, "Add structure to the requirements of the image", files=files))
