from dataclasses import replace

from bot.analysis.findings import undone
from bot.models import DiffFact, Finding, PullRequest, Urgency
from tests.factories import WEDNESDAY, make_evidence, make_file, make_pr
from tests.findings.sentences import sentence

CACHE = "router/cache.py"
WITH_TESTS = {CACHE: (20, 0), "tests/test_cache.py": (9, 0)}
EARLIER = make_pr(1, "Keep order in the route cache", author="ada", files=WITH_TESTS)
LATER = make_pr(9, "Simplify the router", author="bo", files={CACHE: (10, 30)})
FACT = DiffFact(9, "undone", CACHE, "", old="if route.order is not None:", lines=6, other=1)


def found(fact: DiffFact = FACT, earlier: PullRequest = EARLIER, later: PullRequest = LATER) -> list[Finding]:
    evidence = make_evidence(earlier, later, diff_facts=(fact,), diffs_read=True)
    findings = list(undone.detect(evidence))
    for finding in findings:
        sentence(finding, evidence.week)
    return findings


def test_lines_of_another_that_are_gone() -> None:
    evidence = make_evidence(EARLIER, LATER, diff_facts=(FACT,), diffs_read=True)
    [finding] = undone.detect(evidence)
    assert (finding.pull_requests, finding.files, finding.urgency) == ((9, 1), (CACHE,), Urgency.ACT)
    text = sentence(finding, evidence.week)
    assert "#9「Simplify the router」删掉了不到一小时前合入的 #1「Keep order in the route cache」" in text
    assert "在 router/cache.py 加入的 6 行，首行 if route.order is not None:" in text
    assert text.endswith("本 PR 未改测试文件")


def test_lines_of_the_week_before() -> None:
    before = replace(EARLIER, merged_at=WEDNESDAY.replace(day=1))
    evidence = make_evidence(LATER, history=[before], diff_facts=(FACT,), diffs_read=True)
    [finding] = undone.detect(evidence)
    assert "删掉了 3 天前合入的 #1" in sentence(finding, evidence.week)


def test_tests_that_were_changed_are_not_called_unchanged() -> None:
    tested = replace(LATER, files=(*LATER.files, make_file("tests/test_router.py")))
    evidence = make_evidence(EARLIER, tested, diff_facts=(FACT,), diffs_read=True)
    [finding] = undone.detect(evidence)
    assert "未改测试" not in sentence(finding, evidence.week)


def test_one_finding_a_pull_request_however_much_it_undid() -> None:
    other = make_pr(2, "[Bugfix] Fix a leak in the table", author="cy", files={"router/table.py": (9, 0)})
    of_other = replace(FACT, path="router/table.py", other=2, lines=3)
    facts = (FACT, replace(FACT, path="router/walk.py", lines=9), of_other)
    later = replace(LATER, files=(*LATER.files, make_file("router/walk.py"), make_file("router/table.py")))
    evidence = make_evidence(EARLIER, other, later, diff_facts=facts, diffs_read=True)
    [finding] = undone.detect(evidence)
    assert finding.pull_requests == (9, 2, 1)
    assert "#1 加入的行也被它删掉" in sentence(finding, evidence.week)


def test_ones_own_work_may_be_redone() -> None:
    assert not found(later=replace(LATER, author="ada"))


def test_reverts_are_told_elsewhere() -> None:
    assert not found(later=replace(LATER, title='Revert "Keep order in the route cache"'))
    assert not found(later=replace(LATER, title="Revert the order of routes"))
    assert not found(earlier=replace(EARLIER, title='Revert "Cache the routes"'))


def test_a_fix_or_an_upgrade_undoes_new_work_on_purpose_but_not_a_fix() -> None:
    fix = replace(LATER, title="[Bugfix] Fix the router")
    assert not found(later=fix)
    assert not found(later=replace(LATER, title="Upgrade the router to 2.0"))
    assert found(later=fix, earlier=replace(EARLIER, title="[Bugfix] Fix the order of routes"))


def test_what_a_large_removal_takes_along() -> None:
    removal = replace(LATER, title="Remove the old router", files=(make_file(CACHE, 0, 900),))
    fixed = replace(EARLIER, title="[Bugfix] Fix the order of routes")
    assert not found(later=removal, earlier=fixed)
    assert not found(later=replace(LATER, files=(make_file(CACHE, 0, 30, status="removed"),)))


def test_an_unknown_other_is_not_guessed() -> None:
    assert not found(replace(FACT, other=77))
