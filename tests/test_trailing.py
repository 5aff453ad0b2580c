"""What is usual, and how far from it a count lies."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.analysis.trailing import Usual, spans_before, usual
from tests.factories import PERIOD, WEDNESDAY, make_pr, make_week


def test_too_few_spans_are_not_usual() -> None:
    assert usual([3, 3, 3, 3, 3]) is None
    assert usual([3, 3, 3, 3, 3, 3]) == Usual((3, 3, 3, 3, 3, 3))


def test_the_middle_is_a_count_that_was_seen() -> None:
    assert Usual((1, 9, 2, 8, 3, 7)).middle == 3


@pytest.mark.parametrize(
    ("counts", "count", "distance"),
    [
        ((4,) * 13, 4, 0.0),
        ((4,) * 13, 9, 2.5),  # the spread of four rare events is two
        ((0,) * 13, 3, 3.0),  # and never less than one
        ((100, 90, 110, 80, 120, 100, 100), 130, 30 / (1.4826 * 10)),
    ],
)
def test_distance_is_measured_in_robust_deviations(counts: tuple[int, ...], count: int, distance: float) -> None:
    assert Usual(counts).distance(count) == pytest.approx(distance)


def test_one_wild_span_does_not_hide_the_next() -> None:
    assert Usual((5, 5, 5, 5, 5, 400)).distance(15) > 4


def test_spans_are_nearest_first_and_only_the_covered_ones() -> None:
    history = [make_pr(back, merged_at=WEDNESDAY - timedelta(weeks=back)) for back in range(1, 14)]
    week = make_week(history=history, covered_since=PERIOD.before(3).since)
    assert [[one.number for one in span] for span in spans_before(week)] == [[1], [2], [3]]
    assert spans_before(make_week(covered_since=None)) == ()


@given(st.lists(st.integers(0, 500), min_size=6, max_size=13), st.integers(0, 500))
def test_more_is_never_nearer_below_the_median(counts: list[int], count: int) -> None:
    expected = Usual(tuple(counts))
    assert expected.distance(count + 1) > expected.distance(count)
