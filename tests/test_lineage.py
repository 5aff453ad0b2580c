import time
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.analysis.lineage import Reversal, reverts_of
from bot.models import PullRequest
from tests.factories import WEDNESDAY, make_file, make_pr

CACHE = "[Router] Cache the routes of the inner router by their longest prefix"


def cached(number: int = 1, title: str = CACHE, **changes: object) -> PullRequest:
    return make_pr(number, title, files={"router/cache.py": (80, 4), "router/table.py": (12, 3)}, **changes)


def test_by_number_in_the_title() -> None:
    target = cached(1)
    assert reverts_of([target, make_pr(2, f'Revert "{CACHE} (#1)"')], ()) == (Reversal(2, 1),)
    assert reverts_of([make_pr(2, "Revert #1")], [target]) == (Reversal(2, 1),)


def test_by_number_in_the_body() -> None:
    revert = make_pr(2, 'Revert "Cache"', body="Reverts acme/engine#1")
    assert reverts_of([revert], [cached(1)]) == (Reversal(2, 1),)


def test_by_commit_in_the_body() -> None:
    revert = make_pr(2, "Revert the cache", body=f"This reverts commit {1:040x}.")
    assert reverts_of([revert], [cached(1), make_pr(3, commit="f" * 40)]) == (Reversal(2, 1),)


def test_by_the_exact_title_of_the_latest_that_has_it() -> None:
    twice = [cached(1), cached(2)]
    assert reverts_of([make_pr(3, f'Revert "{CACHE}"')], twice) == (Reversal(3, 2),)


def test_by_the_title_without_its_areas() -> None:
    revert = make_pr(2, 'Revert "Cache the routes of the inner router by their longest prefix"')
    assert reverts_of([revert], [cached(1)]) == (Reversal(2, 1),)


def test_by_a_cut_title() -> None:
    assert reverts_of([make_pr(2, f'Revert "{CACHE[:40]}…')], [cached(1)]) == (Reversal(2, 1),)


def test_a_cut_title_that_fits_two_says_nothing() -> None:
    known = [cached(1), cached(2, CACHE[:42] + "something else")]
    assert reverts_of([make_pr(3, f'Revert "{CACHE[:40]}…')], known) == ()


def test_the_beginning_of_a_title_is_not_the_title() -> None:
    assert reverts_of([make_pr(2, f'Revert "{CACHE[:40]}"')], [cached(1)]) == ()


def test_several_at_once() -> None:
    known = [cached(1), make_pr(2)]
    assert reverts_of([make_pr(3, "Revert #1 and #2")], known) == (Reversal(3, 1), Reversal(3, 2))


def test_an_unknown_target_is_not_listed() -> None:
    assert reverts_of([make_pr(2, 'Revert "Something of last year"'), make_pr(3, "Revert #4")], [cached(1)]) == ()


def test_going_back_to_something_is_no_revert_of_a_pull_request() -> None:
    titles = ["Revert to the old layout", "[Router] [Cache] Revert cache version to v1.2.post3", "Revert part of #1"]
    assert reverts_of([make_pr(5 + i, title) for i, title in enumerate(titles)], [cached(1)]) == ()


def test_what_comes_later_is_not_undone() -> None:
    revert = make_pr(2, "Revert #1", merged_at=WEDNESDAY - timedelta(days=1))
    assert reverts_of([revert, cached(1)], ()) == ()


def test_a_revert_of_a_revert_brings_the_work_back() -> None:
    week = [cached(1), make_pr(2, f'Revert "{CACHE}" (#1)'), make_pr(3, f'Revert "Revert "{CACHE}"" (#2)')]
    assert reverts_of(week, ()) == (Reversal(2, 1, redone=3), Reversal(3, 2))


def test_reapplied() -> None:
    for title in [f'Reapply "{CACHE} (#1)" (#2)', "[Redo] #1 with a limit", "[Router] Re-land: cached routes (#1)"]:
        week = [cached(1), make_pr(2, "Revert #1"), make_pr(3, title)]
        assert reverts_of(week, ()) == (Reversal(2, 1, redone=3),), title


def test_redone_over_the_same_files() -> None:
    week = [cached(1), make_pr(2, "Revert #1"), cached(3, "[Router] Rework: " + CACHE.removeprefix("[Router] "))]
    assert reverts_of(week, ()) == (Reversal(2, 1, redone=3),)


def test_the_same_files_for_another_purpose_redo_nothing() -> None:
    others = [cached(3, "[Router] Drop an unused lock"), cached(4, CACHE + " tests"), make_pr(5, CACHE)]
    assert reverts_of([cached(1), make_pr(2, "Revert #1"), *others], ()) == (Reversal(2, 1),)


def test_brought_back_and_reverted_again_is_not_redone() -> None:
    again = cached(3, f'Reapply "{CACHE}"')
    week = [cached(1), make_pr(2, "Revert #1"), again, make_pr(4, f'Revert "Reapply "{CACHE}""')]
    assert reverts_of(week, ()) == (Reversal(2, 1), Reversal(4, 3))


@given(st.lists(st.text(max_size=60), max_size=8))
def test_any_titles(titles: list[str]) -> None:
    week = [make_pr(number, title) for number, title in enumerate(titles, 1)]
    numbers = {one.number for one in week}
    for reversal in reverts_of(week, ()):
        assert {reversal.number, reversal.target} <= numbers


def test_a_quarter_of_a_busy_repository_is_cheap() -> None:
    def one(number: int) -> PullRequest:
        files = tuple(make_file(f"engine/part_{number % 40}/file_{place}.py") for place in range(6))
        title = f'Revert "Speed up step {number - 300} of the loop…' if number % 90 == 0 else f"Speed up step {number}"
        return make_pr(number, f"{title} of the loop", files=files)

    known = [one(number) for number in range(1, 2800)]
    started = time.process_time()
    reverts_of(known[2600:], known[:2600])
    assert time.process_time() - started < 0.25  # a fifth of it on an idle machine
