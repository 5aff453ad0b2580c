from collections.abc import Iterator
from datetime import timedelta

from bot.analysis.findings import unstable
from bot.models import PullRequest
from tests.factories import PERIOD, WEDNESDAY, make_evidence, make_pr
from tests.findings.sentences import sentence

PARSER = "app/parsers/json.py"


def fixes(*titles: str, path: str = PARSER, first: int = 1) -> list[PullRequest]:
    return [make_pr(number, title, files={path: (12, 4)}) for number, title in enumerate(titles, first)]


def earlier(
    counts: list[int], title: str = "[Bugfix] Fix the FalconX parser", path: str = PARSER, first: int = 1000
) -> list[PullRequest]:
    """So many such pull requests in each span before, nearest first."""

    def made() -> Iterator[PullRequest]:
        number = first
        for back, count in enumerate(counts, 1):
            for _ in range(count):
                number += 1
                yield make_pr(number, title, merged_at=WEDNESDAY - timedelta(weeks=back), files={path: (12, 4)})

    return list(made())


THREE = fixes("[Bugfix][FalconX] Fix lists", "[Bugfix] Fix FalconX strings", "fix(FalconX): keep numbers")


def test_several_fixes_on_one_topic_against_a_quiet_past() -> None:
    evidence = make_evidence(*THREE, history=earlier([0, 1, 0, 0, 1]))
    [finding] = unstable.detect(evidence)
    assert set(finding.pull_requests) == {1, 2, 3}
    assert sentence(finding, evidence.week) == (
        "标题点名 FalconX 的修复本周有 3 个（近 13 个等长周期中位数 0）：#1、#2、#3"
    )


def test_two_fixes_are_not_several() -> None:
    assert not list(unstable.detect(make_evidence(*THREE[:2])))


def test_as_many_as_usual_is_nothing_to_tell() -> None:
    assert not list(unstable.detect(make_evidence(*THREE, history=earlier([2] * 13))))


def test_as_many_as_twice_before_is_nothing_new() -> None:
    assert list(unstable.detect(make_evidence(*THREE, history=earlier([3]))))
    assert not list(unstable.detect(make_evidence(*THREE, history=earlier([3, 3]))))


def test_without_enough_of_a_past_nothing_is_usual() -> None:
    assert not list(unstable.detect(make_evidence(*THREE, covered_since=PERIOD.before(5).since)))
    assert not list(unstable.detect(make_evidence(*THREE, covered_since=None)))


def test_tests_features_and_reverts_are_no_fixes() -> None:
    others = [
        make_pr(1, "[FalconX] Add streaming", files={PARSER: (50, 0)}),
        make_pr(2, "[Test][FalconX] Fix flaky tests", files={"tests/test_json.py": (5, 5)}),
        make_pr(3, 'Revert "[Bugfix][FalconX] Fix lists"', files={PARSER: (4, 12)}),
        *fixes("[Bugfix][FalconX] Fix maps", "[Bugfix][FalconX] Fix dates", first=4),
    ]
    assert not list(unstable.detect(make_evidence(*others)))


def test_fixes_in_one_folder_without_a_common_topic() -> None:
    several = fixes("Fix an empty list", "Fix the last comma", "[Bugfix] Keep escapes", "Fix a lost quote")
    elsewhere = earlier([4] * 13, title="Tune it", path="app/core/run.py")
    evidence = make_evidence(*several, history=[*earlier([1, 0] * 6, title="Fix a slip", first=2000), *elsewhere])
    [finding] = unstable.detect(evidence)
    assert sentence(finding, evidence.week).startswith(
        "触及 app/parsers/ 的修复本周有 4 个（近 13 个等长周期中位数 0）"
    )


def test_a_folder_that_fixes_only_brush_is_not_the_spot() -> None:
    brushing = [
        make_pr(number, f"Fix problem {number}", files={PARSER: (2, 0), f"app/{number}/main.py": (40, 10)})
        for number in range(1, 5)
    ]
    assert not list(unstable.detect(make_evidence(*brushing)))


def in_passing(name: str) -> list[PullRequest]:
    titles = (f"Fix the {name} timeout", f"Fix parity with {name}", f"Fix {name} in proxies", f"Fix {name} pools")
    return [make_pr(number, title, files={f"app/{number}/main.py": (9, 9)}) for number, title in enumerate(titles, 1)]


def test_a_name_in_passing_is_not_a_topic() -> None:
    assert not list(unstable.detect(make_evidence(*in_passing("HTTPX"))))
    area = make_pr(5, "[HTTPX] Fix redirects", files={"app/5/main.py": (9, 9)})
    assert len(list(unstable.detect(make_evidence(*in_passing("HTTPX"), area)))) == 1


def test_a_name_with_a_version_is_a_topic_when_four_titles_have_it() -> None:
    assert not list(unstable.detect(make_evidence(*in_passing("Gemma 4")[:3])))
    assert len(list(unstable.detect(make_evidence(*in_passing("Gemma 4"))))) == 1


def test_a_topic_and_its_folder_are_told_once() -> None:
    assert len(list(unstable.detect(make_evidence(*THREE)))) == 1


def test_a_fix_beside_two_that_name_the_topic_is_told_apart() -> None:
    named = [
        make_pr(1, "fix(gru): align the warm-up", files={"app/layers/gru.py": (20, 8)}),
        make_pr(2, "[Bugfix] Fix GRU kernel crashes", files={"app/kernels/gru/step.py": (9, 9)}),
    ]
    beside = make_pr(3, "[Bugfix] Cast the index to 64 bits", files={"app/kernels/gru/scan.py": (15, 3)})
    evidence = make_evidence(*named, beside)
    [finding] = unstable.detect(evidence)
    assert set(finding.pull_requests) == {1, 2, 3}
    assert "的修复本周有 2 个（近 13 个等长周期中位数 0）" in sentence(finding, evidence.week)
    assert sentence(finding, evidence.week).endswith("；同目录 app/kernels/gru/ 另有 #3")
    elsewhere = make_pr(3, "[Bugfix] Cast the index to 64 bits", files={"app/web/page.py": (15, 3)})
    assert not list(unstable.detect(make_evidence(*named, elsewhere)))


def test_in_a_wide_folder_what_lies_beside_does_not_belong_together() -> None:
    named = fixes("fix(gru): align the warm-up", "[Bugfix] Fix GRU kernel crashes")
    beside = fixes("[Bugfix] Cast the index to 64 bits", first=3)
    assert list(unstable.detect(make_evidence(*named, *beside)))
    worked_on = earlier([2] * 13, title="Tune the parser")
    assert not list(unstable.detect(make_evidence(*named, *beside, history=worked_on)))


def test_a_folder_that_most_of_the_work_goes_through_is_no_spot() -> None:
    several = fixes("Fix an empty list", "Fix the last comma", "[Bugfix] Keep escapes", "Fix a lost quote")
    assert list(unstable.detect(make_evidence(*several)))
    assert not list(unstable.detect(make_evidence(*several, history=earlier([3] * 13, title="Tune the parser"))))


def test_platforms_are_left_to_their_own_finding() -> None:
    platform = [
        make_pr(number, f"[Bugfix][ROCm] Fix problem {number}", files={f"app/{number}/main.py": (9, 9)})
        for number in range(1, 6)
    ]
    assert not list(unstable.detect(make_evidence(*platform)))
