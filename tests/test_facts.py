"""The figures of a digest."""

from dataclasses import replace
from datetime import timedelta

from bot.analysis import rules
from bot.digest.facts import figures_of, hot_files, touching_of
from tests.factories import PERIOD, WEDNESDAY, make_evidence, make_pr


def test_counts_average_and_ranking() -> None:
    figures = figures_of(make_evidence(make_pr(1, "[Docs] Typo", files={"a.md": (1, 1)}), make_pr(2), make_pr(3)))
    assert figures.pull_requests == 3
    assert figures.ranking == (2, 3, 1)
    assert str(figures.average_importance) == f"{figures.average_importance:.2f}"


def test_an_empty_week_is_a_week() -> None:
    figures = figures_of(make_evidence())
    assert (figures.pull_requests, figures.high_importance, str(figures.average_importance)) == (0, 0, "0.00")
    assert not figures.ranking
    assert not figures.reverts
    assert not figures.hot_files


def test_both_ends_of_a_period_are_half_open() -> None:
    inside = make_pr(1, merged_at=PERIOD.since)
    last = make_pr(2, merged_at=PERIOD.until - timedelta(seconds=1))
    next_one = make_pr(3, merged_at=PERIOD.until)
    assert [PERIOD.contains(one.merged_at) for one in (inside, last, next_one)] == [True, True, False]


def test_the_span_before_is_counted_only_when_it_is_covered() -> None:
    history = [make_pr(90, merged_at=WEDNESDAY - timedelta(days=7))]
    covered = make_evidence(make_pr(1), history=history)
    assert figures_of(covered).previous == 1
    cut = replace(covered, week=replace(covered.week, covered_since=PERIOD.before().since + timedelta(hours=1)))
    assert figures_of(cut).previous is None
    assert figures_of(cut).previous_high is None
    stale = replace(covered, week=replace(covered.week, fresh_until=PERIOD.before().since))
    assert figures_of(stale).previous is None


def test_the_usual_count_is_the_median_of_the_four_spans_before() -> None:
    history = [
        make_pr(100 * back + index, merged_at=WEDNESDAY - timedelta(days=7 * back))
        for back, count in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 9))
        for index in range(count)
    ]
    usual = figures_of(make_evidence(make_pr(1), history=history)).usual
    assert (usual, str(usual)) == (2.5, "2.5")
    assert figures_of(make_evidence(make_pr(1), covered_since=PERIOD.before(3).since)).usual is None


def test_hot_files_are_ordered_by_pull_requests_then_lines_then_path() -> None:
    pulls = [
        make_pr(1, files={"a.py": (1, 0), "b.py": (9, 0), "c.py": (1, 0), "once.py": (99, 0)}),
        make_pr(2, files={"a.py": (1, 0), "b.py": (9, 0), "c.py": (1, 0)}),
        make_pr(3, files={"c.py": (0, 0)}),
    ]
    hot, apart = hot_files(touching_of(pulls), rules.load())
    assert [(file.path, file.pull_requests, file.lines) for file in hot] == [
        ("c.py", (1, 2, 3), 2),
        ("b.py", (1, 2), 18),
        ("a.py", (1, 2), 2),
    ]
    assert apart == ()


def test_generated_vendored_lock_translation_and_list_like_tests_stand_apart() -> None:
    paths = ("poetry.lock", "vendor/x.c", "api_pb2.py", "locale/de.po", "tests/registry.py")
    pulls = [make_pr(number, files=dict.fromkeys((*paths, "tests/test_core.py"), (2, 1))) for number in (1, 2)]
    pulls.append(make_pr(3, files={"tests/test_core.py": (200, 1)}))
    hot, apart = hot_files(touching_of(pulls), rules.load())
    assert [file.path for file in hot] == ["tests/test_core.py"]
    assert {file.path for file in apart} == set(paths)


def test_every_risk_lists_its_pull_requests() -> None:
    figures = figures_of(make_evidence(*(make_pr(n, "Enable chunking by default") for n in (3, 1, 2))))
    assert figures.risks["配置变更"] == (1, 2, 3)
