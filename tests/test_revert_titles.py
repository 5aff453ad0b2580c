import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.analysis.revert_titles import folded, is_revert, reapplies, undoing, without_areas

PIECES = ["[", "[]", "a:", "#1 ", 'Revert "', "revert ", "(", " ", ",#1", '"', "a(b):"]


@pytest.mark.parametrize(
    "title",
    [
        'Revert "Cache the routes"',
        'Revert "Cache the routes (#12)"',
        'Revert "Move the cache to the router"',
        "Revert #12",
        "Revert PR #12: the cache is stale",
        "[Critical] Revert #12 to unblock the release",
        "fix: revert 1234",
        'chore(cache): revert "Cache the routes"',
        'revert: "Cache the routes"',
        '[Revert] "Cache the routes"',
        "[Revert][Router] Keep the old cache (reverts #12)",
        "Rollback PR-12.",
        'Back out "Cache the routes"',
        "Revert the route cache",
        'Revert "Revert to the old layout"',
        'Revert "Revert "Revert "Cache the routes"""',
    ],
)
def test_says_that_work_is_taken_away(title: str) -> None:
    assert is_revert(title)


@pytest.mark.parametrize(
    "title",
    [
        "Revert to the old layout",
        "[Router] [Cache] Revert cache version to v1.2.post3",
        "Revert back to the plain comparison",
        "fix(auth): roll back the aborted transaction after a conflict",
        "Add a button to revert changes",
        "Partial revert of #12",
        'Revert "Revert "Cache the routes""',
        'Reapply "Cache the routes"',
        "[Redo] #12 with a limit",
        "Re-land: cache the routes (#12)",
        "[unrevert] Cache the routes",
        "Cache the routes",
        "",
    ],
)
def test_says_no_such_thing(title: str) -> None:
    assert not is_revert(title)


@pytest.mark.parametrize(
    ("title", "numbers"),
    [
        ("Revert #12 and #13", (12, 13)),
        ("[CI] Revert PRs 12 and 13", (12, 13)),
        ('Revert "Cache the routes" (#12 and #13)', (12, 13)),
        ('Revert "part (#2) of the cache (#39002)"', (39002,)),
        ('Revert  #12 "Overhaul of the cache (#7): drop the old one"', (12,)),
        ('Revert "Overhaul of the cache (#7): drop the old one"', ()),
        ('Revert "Revert #12 (#13)"', (13,)),
        ('Revert "Merge pull request #12 from dev/cache"', (12,)),
        ("Revert route cache (#12) to fix a hang", (12,)),
        ("Revert the lookup change in #12", ()),
        ("Revert the route cache, fixes #12", ()),
    ],
)
def test_the_numbers_that_a_revert_names(title: str, numbers: tuple[int, ...]) -> None:
    said = undoing(title)
    assert said is not None
    assert said.numbers == numbers


def test_a_part_of_a_pull_request_is_not_the_pull_request() -> None:
    assert undoing("Revert part of #12") is None
    assert undoing("Partial revert of #12") is None
    assert undoing('Revert "Part two of the cache"') is not None


def test_the_title_that_a_revert_quotes() -> None:
    quote = 'Revert "Cache "all" routes"'
    for title in [quote, f"{quote} (#12)", '[Router] Revert “Cache "all" routes”']:
        said = undoing(title)
        assert said is not None
        assert (said.quoted, said.cut) == ('Cache "all" routes', False)


@pytest.mark.parametrize("end", ["…", '…"', "..."])
def test_a_cut_title_is_known_as_cut(end: str) -> None:
    said = undoing(f'Revert "Cache the routes of the inner rou{end}')
    assert said is not None
    assert said.cut


def test_areas_before_a_title() -> None:
    assert without_areas("[Router][Cache] fix(routes)!: keep order") == "keep order"
    assert without_areas("[Revert] keep order") == "Revert keep order"
    assert reapplies("[Router][REDO] cache the routes")
    assert folded('Cache  the Routes" (#12)') == folded("cache the routes")


@given(st.text())
def test_any_text_is_read(title: str) -> None:
    assert isinstance(is_revert(title), bool)
    undoing(title)


@pytest.mark.timeout(5)
@given(st.sampled_from(PIECES), st.integers(1, 20_000))
def test_long_text_takes_no_time(piece: str, times: int) -> None:
    is_revert(piece * times)
    undoing("Revert " + piece * times)
