from dataclasses import replace
from datetime import timedelta

from bot.analysis.findings import reverted
from bot.models import PullRequest, Release, Urgency
from tests.factories import WEDNESDAY, make_evidence, make_pr
from tests.findings.sentences import sentence

CACHE = "[Router] Cache the routes by prefix"
FILES = {"router/cache.py": (80, 4)}


def cached(number: int = 1, title: str = CACHE, **changes: object) -> PullRequest:
    return make_pr(number, title, files=FILES, **changes)


def revert(number: int = 60, of: str = CACHE) -> PullRequest:
    files, merged_at = {"router/cache.py": (4, 80)}, WEDNESDAY + timedelta(hours=number)
    return make_pr(number, f'Revert "{of}"', files=files, merged_at=merged_at)


def test_in_and_out_within_the_period() -> None:
    evidence = make_evidence(cached(), revert(27))
    [finding] = reverted.detect(evidence)
    assert (finding.pull_requests, finding.urgency) == ((1, 27), Urgency.KNOW)
    assert sentence(finding, evidence.week) == f"#1「{CACHE}」合入 26 小时后被 #27 回滚，净效果为零"


def test_a_revert_that_leaves_something_is_not_called_void() -> None:
    evidence = make_evidence(cached(), replace(revert(27), files=make_pr(files={"router/cache.py": (9, 80)}).files))
    [finding] = reverted.detect(evidence)
    assert "净效果" not in sentence(finding, evidence.week)


def test_done_again() -> None:
    again = cached(70, "[Router] Rework: cache the routes by prefix", merged_at=WEDNESDAY + timedelta(hours=70))
    evidence = make_evidence(cached(), revert(), again)
    [finding] = reverted.detect(evidence)
    assert (finding.pull_requests, finding.urgency) == ((70, 1, 60), Urgency.KNOW)
    assert sentence(finding, evidence.week).endswith("经合入、回滚（#60）、重做（#70）后落地")


def test_a_revert_of_a_revert_is_told_once_as_brought_back() -> None:
    evidence = make_evidence(cached(), revert(), revert(70, f'Revert "{CACHE}"'))
    [finding] = reverted.detect(evidence)
    assert sentence(finding, evidence.week).endswith("经合入、回滚（#60）、恢复（#70）后落地")


def test_earlier_work_is_taken_back() -> None:
    before = cached(merged_at=WEDNESDAY - timedelta(days=9))
    evidence = make_evidence(revert(27), history=[before])
    [finding] = reverted.detect(evidence)
    assert (finding.pull_requests, finding.urgency) == ((27, 1), Urgency.ACT)
    assert sentence(finding, evidence.week) == "#27 回滚了 10 天前合入的 #1「[Router] Cache the routes by prefix」"


def test_earlier_work_that_was_released() -> None:
    before = cached(merged_at=WEDNESDAY - timedelta(days=9))
    release = Release("v1.2", WEDNESDAY - timedelta(days=2), WEDNESDAY - timedelta(days=3))
    evidence = make_evidence(revert(27), history=[before], releases=(release,))
    [finding] = reverted.detect(evidence)
    assert sentence(finding, evidence.week).endswith("被回滚的改动已随 v1.2 发布")


def test_a_revert_of_earlier_ci_work_asks_for_nothing() -> None:
    files = {".github/workflows/ci.yml": (9, 1)}
    before = make_pr(1, "Run the nightly job twice", files=files, merged_at=WEDNESDAY - timedelta(days=9))
    [finding] = reverted.detect(make_evidence(revert(27, "Run the nightly job twice"), history=[before]))
    assert finding.urgency is Urgency.KNOW


def test_what_was_reverted_weeks_ago_is_back() -> None:
    landed = cached(merged_at=WEDNESDAY - timedelta(days=20))
    undone = replace(revert(2), merged_at=WEDNESDAY - timedelta(days=15))
    evidence = make_evidence(cached(70, f'Reapply "{CACHE}"'), history=[landed, undone])
    [finding] = reverted.detect(evidence)
    assert finding.pull_requests == (70, 1, 2)
    assert sentence(finding, evidence.week) == f"#70 让此前被 #2 回滚的 #1「{CACHE}」重新落地"


def test_no_revert_of_a_pull_request() -> None:
    titles = ["Revert to the old layout", "Revert the cache version to v1.2", 'Revert "Something unknown"']
    others = [make_pr(number, title) for number, title in enumerate(titles, 9)]
    assert not list(reverted.detect(make_evidence(cached(), *others)))
