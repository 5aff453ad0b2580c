"""Importance: features against the repository's own past, never size alone and never a quota."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.analysis import assess, rules
from bot.analysis.features import features_of
from bot.analysis.importance import HIGH, Scorer
from bot.analysis.past import Past
from bot.models import PullRequest
from tests.factories import WEDNESDAY, make_file, make_pr

RULES = rules.load()


def ordinary(count: int = 400) -> list[PullRequest]:
    """A past of small fixes, features, docs and tests over a few dozen files."""
    kinds = ("[Bugfix] Repair {}", "Add {} option", "[Docs] Describe {}", "[Refactor] Split {}")
    return [
        make_pr(
            10_000 + index,
            kinds[index % 4].format(f"part {index}"),
            merged_at=WEDNESDAY - timedelta(days=14 + index % 70),
            files={f"engine/part{index % 23}.py": (5 + index % 90, index % 40)}
            if index % 4 != 2
            else {"docs/guide.md": (10, 2)},
        )
        for index in range(count)
    ]


PAST = Past([features_of(one, RULES) for one in ordinary()])


def importance(one: PullRequest, past: Past = PAST) -> float:
    return Scorer(past).score(features_of(one, RULES))[0]


def test_the_usual_change_is_near_five() -> None:
    scores = sorted(importance(one) for one in ordinary())
    assert 4.6 <= scores[len(scores) // 2] <= 5.2
    assert 0.05 <= sum(score >= HIGH for score in scores) / len(scores) <= 0.16


def test_more_source_is_more_important_up_to_a_bound() -> None:
    small, large = (make_pr(files={"engine/part1.py": (lines, 0)}) for lines in (5, 600))
    assert importance(small) < importance(large)
    assert importance(make_pr(files={"engine/new.py": (1_500, 0)})) == importance(
        make_pr(files={"engine/new.py": (90_000, 0)})
    )


def test_generated_snapshot_lock_and_vendored_lines_do_not_count() -> None:
    heavy = {
        "engine/api_pb2.py": (5_000, 0),
        "tests/__snapshots__/page.html": (5_000, 0),
        "poetry.lock": (5_000, 0),
        "third_party/lib.c": (5_000, 0),
    }
    assert importance(make_pr(title="Regenerate", files=heavy)) < 5.0
    assert importance(make_pr(files={"engine/part1.py": (20, 3)} | heavy)) == importance(
        make_pr(files={"engine/part1.py": (20, 3)})
    )


def test_a_data_dump_of_5000_lines_is_not_of_high_importance() -> None:
    assert importance(make_pr(title="Add tuned configs", files={"engine/tuned.json": (5_000, 0)})) < HIGH


def test_documents_and_ci_are_below_the_same_lines_of_source() -> None:
    source = importance(make_pr(title="Rework it", files={"engine/part3.py": (200, 20)}))
    assert importance(make_pr(title="[Docs] Rework it", files={"docs/a.md": (200, 20)})) < source
    assert importance(make_pr(title="[CI] Rework it", files={".github/workflows/a.yml": (200, 20)})) < source


def test_a_serious_fault_mended_weighs_more_than_any_fix() -> None:
    files = {"engine/part3.py": (12, 4)}
    plain = importance(make_pr(title="[Bugfix] Repair the label", files=files))
    assert importance(make_pr(title="[Bugfix] Fix a deadlock in the queue", files=files)) > plain


def test_every_score_carries_its_reasons_weightiest_first() -> None:
    one = make_pr(title="[Feature][2/3] Remove the old queue", files={"engine/part1.py": (300, 90)})
    score, reasons = Scorer(PAST).score(features_of(one, RULES))
    points = [abs(reason.points) for reason in reasons]
    assert points == sorted(points, reverse=True)
    assert {"size", "type", "series", "contract"} <= {reason.kind for reason in reasons}
    assert 0 <= score <= 10


def test_a_quiet_week_may_have_none_and_a_release_week_many() -> None:
    past = ordinary()
    quiet = [make_pr(index, "[Docs] Typo", files={"docs/a.md": (1, 1)}) for index in range(1, 21)]
    loud = [
        make_pr(
            index,
            "[Feature] Remove the old engine",
            files=tuple(make_file(f"engine/area{n}/new{index}.py", 300, 40, status="added") for n in range(4)),
        )
        for index in range(1, 21)
    ]
    for week, share in ((quiet, 0.0), (loud, 1.0)):
        scores = [one.importance for one in assess.assess([*past, *week], RULES, WEDNESDAY - timedelta(days=3))]
        assert sum(score >= HIGH for score in scores) / len(scores) == share


def test_a_repository_without_a_past_is_scored_by_the_prior() -> None:
    empty = Past([])
    assert importance(make_pr(title="[Docs] Typo", files={"README.md": (1, 1)}), empty) < 4.0
    large = tuple(make_file(f"engine/area{n}/new.py", 300, 40, status="added") for n in range(4))
    assert importance(make_pr(title="[Feature] Add an engine", files=large), empty) >= HIGH


def test_an_assessment_does_not_depend_on_what_came_later_or_how_much_was_asked() -> None:
    past = sorted(ordinary(), key=lambda one: (one.merged_at, one.number))
    later = make_pr(7, merged_at=WEDNESDAY + timedelta(days=1))
    one = make_pr(5)
    alone = {a.number: a for a in assess.assess([*past, one], RULES, one.merged_at)}
    among = {a.number: a for a in assess.assess([*past, one, later], RULES, past[0].merged_at)}
    assert alone[5] == among[5]
    assert len(alone) == 1
    assert len(among) == len(past) + 2


@given(
    st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 5_000)), max_size=6),
    st.text(max_size=60),
)
def test_any_change_has_a_score_of_one_decimal(lines: list[tuple[int, int]], title: str) -> None:
    one = make_pr(title=title, files={f"engine/f{index}.py": pair for index, pair in enumerate(lines)})
    score = importance(one)
    assert 0 <= score <= 10
    assert score == round(score, 1)
