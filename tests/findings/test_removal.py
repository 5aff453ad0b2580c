import pytest

from bot.analysis.findings import removal
from bot.models import DiffFact, Finding, Urgency
from tests.factories import make_evidence, make_pr
from tests.findings.sentences import sentence

OLD = "engine/old_router.py"


def found(
    title: str, lines: tuple[int, int] = (2, 120), path: str = OLD, facts: tuple[DiffFact, ...] = ()
) -> list[Finding]:
    evidence = make_evidence(make_pr(1, title, files={path: lines}), diff_facts=facts, diffs_read=bool(facts))
    findings = list(removal.detect(evidence))
    for finding in findings:
        sentence(finding, evidence.week)
    return findings


def test_net_deletion_that_the_title_speaks_of() -> None:
    evidence = make_evidence(make_pr(1, "[Router][Deprecation] Remove the tree router", files={OLD: (0, 448)}))
    [finding] = removal.detect(evidence)
    assert (finding.pull_requests, finding.urgency) == ((1,), Urgency.UPGRADE)
    text = sentence(finding, evidence.week)
    assert text == "#1「[Router][Deprecation] Remove the tree router」（源码 +0 −448）"


def test_the_lines_decide_whatever_a_title_calls_it() -> None:
    assert found("[V0 Deprecation] Deprecate accept output buffer", (94, 227))[0].pull_requests == (1,)


def test_a_named_class_is_removed_even_when_more_is_added() -> None:
    assert found("[2/N] Remove BlockLinearOp and adopt kernel selections", (1700, 900))
    assert found("Remove deprecated `reasoning` field", (22, 48))
    assert not found("Remove need for escapes in help texts", (89, 82))
    assert not found("Fix checkpoints with deprecated `rope_type` values", (56, 54))


def test_public_names_that_vanished() -> None:
    names = ["walk", "OldRouter", "TreeNode", "prune"]
    facts = tuple(DiffFact(1, "vanished", OLD, name) for name in names)
    flag = DiffFact(1, "flag", "engine/cli.py", "--tree", "--tree", "")
    evidence = make_evidence(
        make_pr(1, "Remove the tree router", files={OLD: (0, 448)}), diff_facts=(*facts, flag), diffs_read=True
    )
    [finding] = removal.detect(evidence)
    assert sentence(finding, evidence.week).endswith("，原处不再定义 --tree、OldRouter、TreeNode 等")


def test_a_large_deletion_of_public_names_needs_no_word() -> None:
    gone = tuple(DiffFact(1, "vanished", OLD, name) for name in ("OldRouter", "TreeNode", "prune"))
    assert found("Dismantle the tree router", facts=gone)
    assert not found("Dismantle the tree router", facts=gone[:2])
    assert not found("Dismantle the tree router")
    assert not found("Rework the router", (300, 420), facts=gone)


def test_cleanups_count_only_when_public_names_vanish() -> None:
    title = "Remove unused code of the router"
    assert not found(title)
    assert found(title, facts=(DiffFact(1, "vanished", OLD, "OldRouter"),))
    assert not found(title, facts=(DiffFact(1, "vanished", OLD, "test_old_router"),))


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("Remove the default limit", (3, 9)),
        ("feat: add a delete button to personas", (90, 4)),
        ("Fix the pass that removed the update step", (60, 50)),
        ("Move the router", (300, 300)),
        ('Revert "Add the tree router"', (0, 448)),
        ("[CI] Remove the old pipeline", (0, 448)),
    ],
)
def test_near_misses(title: str, lines: tuple[int, int]) -> None:
    assert not found(title, lines)


def test_tests_and_documents_are_no_source() -> None:
    assert not found("Remove the tree router", path="tests/test_router.py")


def test_deprecations_are_one_finding() -> None:
    titles = [
        "Deprecate the tree router",
        "[Misc] Update deprecation warning for --model flag",
        "fix: deprecation warnings",
    ]
    evidence = make_evidence(*(make_pr(number, title) for number, title in enumerate(titles, 1)))
    [finding] = removal.detect(evidence)
    assert set(finding.pull_requests) == {1, 2}
    assert sentence(finding, evidence.week).startswith("宣布弃用：")
