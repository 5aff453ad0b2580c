"""Numbers, titles and people from what commits say of themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources.clone.people import identify
from bot.sources.clone.subjects import merge_title, named_numbers, read_subject


@pytest.mark.parametrize(
    ("subject", "number", "title"),
    [
        ("Add the cache (#7)", 7, "Add the cache"),
        ('Revert "Add the cache (#38577)" (#39512)', 39512, 'Revert "Add the cache (#38577)"'),
        ("fixes #5740 (#39001)", 39001, "fixes #5740"),
        ("part (#2) of the cache (#39002)", 39002, "part (#2) of the cache"),
        ("fix: the cache(#12)  ", 12, "fix: the cache"),
        ("(#12)", 12, "(#12)"),
        ("Merge pull request #15 from ada/cache", 15, "Merge pull request #15 from ada/cache"),
        ("Merge pull request #15 from ada/fix-(#7)", 15, "Merge pull request #15 from ada/fix-(#7)"),
        ('Revert "Add the cache (#7)"', None, 'Revert "Add the cache (#7)"'),
        ("Merge branch 'main' into cache", None, "Merge branch 'main' into cache"),
        ("See (#7) for more", None, "See (#7) for more"),
        ("No such thing (#0)", None, "No such thing (#0)"),
        ("Not ascii digits (#１２)", None, "Not ascii digits (#１２)"),
        ("Absurd (#" + "9" * 5000 + ")", None, "Absurd (#" + "9" * 5000 + ")"),
        ("", None, ""),
    ],
)
def test_the_last_number_at_the_end_is_the_pull_request(subject: str, number: int | None, title: str) -> None:
    said = read_subject(subject)
    assert (said.number, said.title) == (number, title)


@given(st.text(), st.integers(1, 10**9), st.sampled_from(["", " ", "\t"]))
def test_whatever_stands_before_the_last_number_counts(before: str, number: int, space: str) -> None:
    said = read_subject(f"{before} (#{number}){space}")
    assert said.number == number
    assert said.title == (before.strip() or f"(#{number})")


@given(st.text())
def test_any_subject_can_be_read(subject: str) -> None:
    said = read_subject(subject)
    assert (said.number is None) == (not named_numbers(subject))
    assert said.number is None or said.number in named_numbers(subject)


def test_a_hostile_subject_costs_little() -> None:
    assert named_numbers("(#1)" * 200_000 + "x") == frozenset()


def test_a_cherry_pick_names_both_pull_requests() -> None:
    assert named_numbers("Fix the cache (#100) (#120)") == {100, 120}
    assert named_numbers("Fix (#100) the cache (#120)") == {120}
    assert named_numbers("Merge pull request #9 from ada/cache") == {9}
    assert named_numbers("Fix #100") == frozenset()


def test_the_owner_of_a_merged_branch() -> None:
    assert read_subject("Merge pull request #15 from ada/fix/cache").owner == "ada"
    assert read_subject("Merge pull request #15 from cache").owner == ""
    assert read_subject("Add the cache (#7)").owner == ""


@pytest.mark.parametrize(
    ("body", "title", "rest"),
    [
        ("", "", ""),
        ("\n\n  Add the cache \n\nIt is fast.\nVery.\n", "Add the cache", "It is fast.\nVery."),
        ("Add the cache", "Add the cache", ""),
    ],
)
def test_a_merge_commit_has_its_title_in_the_body(body: str, title: str, rest: str) -> None:
    assert merge_title(body) == (title, rest)


@pytest.mark.parametrize(
    ("name", "email", "author", "kind"),
    [
        ("Ada Lovelace", "ada@users.example", "Ada Lovelace", "human"),
        ("Ada Lovelace", "123+ada-l@users.noreply.github.com", "ada-l", "human"),
        ("Ada Lovelace", "ada-l@users.noreply.github.com", "ada-l", "human"),
        ("Ada", "1+ada_corp@users.noreply.git.example.com", "ada_corp", "human"),
        ("tidy[bot]", "9+tidy[bot]@users.noreply.github.com", "tidy[bot]", "bot"),
        ("tidy[bot]", "tidy@bots.example", "tidy[bot]", "bot"),
        ("Tidy", "9+tidy[bot]@users.noreply.github.com", "tidy[bot]", "bot"),
        ("acme-ci-robot", "ci@bots.example", "acme-ci-robot", "bot"),
        ("GitHub Actions", "actions@bots.example", "GitHub Actions", "bot"),
        ("Jan Bot", "jan@users.example", "Jan Bot", "human"),
        ("Talbot", "talbot@users.example", "Talbot", "human"),
        ("", "", "ghost", "ghost"),
        ("  ", "someone@users.example", "ghost", "ghost"),
        ("", "5+ada-l@users.noreply.github.com", "ada-l", "human"),
    ],
)
def test_people(name: str, email: str, author: str, kind: str) -> None:
    assert identify(name, email) == (author, kind)


@given(st.text(), st.text())
def test_anybody_can_be_identified(name: str, email: str) -> None:
    author, kind = identify(name, email)
    assert author
    assert (author == "ghost") >= (kind == "ghost")
