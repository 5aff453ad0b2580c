"""Numbered series, and which titles belong together."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.analysis import rules
from bot.analysis.series import Part, name_of, part_of, series_of
from bot.models import PullRequest
from tests.factories import WEDNESDAY, make_pr

RULES = rules.load()


def merged(*titles: str | tuple[str, str]) -> list[PullRequest]:
    """One a day; a pair gives the author too."""
    pairs = [title if isinstance(title, tuple) else (title, "ann") for title in titles]
    return [
        make_pr(number, title, author=author, merged_at=WEDNESDAY + timedelta(days=number))
        for number, (title, author) in enumerate(pairs, 1)
    ]


def grouped(*titles: str | tuple[str, str]) -> list[list[int]]:
    return [[part.pull_request.number for part in some] for some in series_of(merged(*titles), RULES)]


def the_part(title: str) -> Part:
    part = part_of(make_pr(title=title), RULES)
    assert part is not None
    return part


@pytest.mark.parametrize(
    ("title", "marker", "open_ended", "is_last"),
    [
        ("[Planner][2/N] Split the cost model", "2/N", True, False),
        ("Move the loader [3/3]", "3/3", False, True),
        ("Move the loader (1.5/2)", "1.5/2", False, False),
        ("[Refactor] 4/n Extract masks", "4/n", True, False),
        ("Add states, part 2 of 4", "2 of 4", False, False),
    ],
)
def test_markers(title: str, marker: str, open_ended: bool, is_last: bool) -> None:
    part = the_part(title)
    assert (part.marker, part.open_ended, part.is_last) == (marker, open_ended, is_last)
    assert part.marker in title


@pytest.mark.parametrize(
    "title",
    ["Support boards of revision 3.5/4", "Fix versions 2/3 of the format", "Use 1 thread", "[Planner] Split it", "a/b"],
)
def test_titles_without_a_marker(title: str) -> None:
    assert part_of(make_pr(title=title), RULES) is None


def test_one_area_and_one_hand_make_a_series() -> None:
    assert grouped("[Planner][1/N] Split the cost model", "[Planner][2/N] Move statistics") == [[1, 2]]


def test_one_area_and_two_hands_make_a_series_when_the_number_follows() -> None:
    assert grouped(("[Planner][1/N] Split", "ann"), ("[Planner][2/N] Statistics", "ben")) == [[1, 2]]
    assert grouped(("[Planner][1/N] Split", "ann"), ("[Planner][1/N] Statistics", "ben")) == [[1], [2]]


def test_different_areas_are_different_series() -> None:
    assert grouped("[Planner][1/N] Split", "[Storage][2/N] Move") == [[1], [2]]


def test_different_totals_are_different_series() -> None:
    assert grouped("[Planner][1/2] Split", "[Planner][2/3] Move") == [[1], [2]]


def test_without_an_area_the_same_hand_goes_on_counting() -> None:
    assert grouped("[1/N] Reorganise media", "[2/N] Move caches", "[1/N] Open pools lazily", "[2/N] Close them") == [
        [1, 2],
        [3, 4],
    ]
    assert grouped(("[1/N] Reorganise media", "ann"), ("[2/N] Move caches", "ben")) == [[1], [2]]


def test_without_an_area_alike_titles_of_one_hand_belong_together() -> None:
    assert grouped("[1/N] Open pools lazily (A-D)", "[4/N] Open pools lazily (E-H)") == [[1, 2]]


@pytest.mark.parametrize(
    ("before", "title", "name"),
    [
        ("[Block Refactor][1/N] Keep types", "[Refactor][Block Refactor][2/N] Remove ops", "Block Refactor"),
        (
            "[1/n] Improve pooling routes | one",
            "[Frontend][2/n] Improve pooling routes | two",
            "Improve pooling routes",
        ),
        ("[1/N] Split the loader", "[2/N] Move caches", ""),
        ("[Refactor][1/N] to simplify the parser", "[Refactor][2/N] to simplify the writer", ""),
    ],
)
def test_names(before: str, title: str, name: str) -> None:
    assert name_of(the_part(title), the_part(before)) == name
    assert name in title


_TITLES = st.text(st.sampled_from("[]()1/2nN ab"), max_size=24)


@given(st.lists(st.tuples(_TITLES, st.sampled_from(["ann", "ben"])), max_size=12))
def test_every_part_is_in_one_series_and_names_are_in_the_title(pairs: list[tuple[str, str]]) -> None:
    known = merged(*pairs)
    series = series_of(known, RULES)
    numbers = [part.pull_request.number for some in series for part in some]
    assert sorted(numbers) == [one.number for one in known if part_of(one, RULES)]
    for some in series:
        before, last = (some[-2] if len(some) > 1 else None), some[-1]
        assert name_of(last, before) in last.pull_request.title
        assert last.marker in last.pull_request.title
