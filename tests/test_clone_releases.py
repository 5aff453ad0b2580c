"""Which release holds which pull request."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models import PullRequest, Release
from bot.sources.clone import CloneSource
from bot.sources.clone.releases import version_of
from tests.repositories import START, Repository

EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
HOUR = timedelta(hours=1)


def held(path: Path) -> dict[str, set[int]]:
    source = CloneSource(path)
    merged = [item for item in source.history(*EVER) if isinstance(item, PullRequest)]
    return {release.name: {pull.number for pull in merged if release.contains(pull)} for release in source.releases()}


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "engine", bare=True)


def test_no_tags(repo: Repository) -> None:
    repo.pull(1, "Begin", {"a": "1"})
    repo.tag("nightly")
    assert CloneSource(repo.path).releases() == ()


def test_a_tag_holds_what_came_before_it(repo: Repository) -> None:
    repo.commit("Start", {"a": "0"})
    repo.tag("v0.1")
    repo.pull(1, "One", {"a": "1"})
    repo.commit("Release 1.0", {"a": "r"})
    repo.tag("v1.0", tagged_at=START + 9 * HOUR)
    repo.pull(2, "Two", {"a": "2"})
    repo.tag("v2.0rc1")
    assert CloneSource(repo.path).releases() == (
        Release("v0.1", START, None),
        Release("v2.0rc1", START + 3 * HOUR, START + 3 * HOUR, prerelease=True),
        Release("v1.0", START + 9 * HOUR, START + 2 * HOUR),
    )
    assert held(repo.path) == {"v0.1": set(), "v1.0": {1}, "v2.0rc1": {1, 2}}


def test_a_release_branch_holds_what_was_picked_for_it(repo: Repository) -> None:
    repo.pull(1, "One", {"a": "1"})
    repo.branch("releases/1.0")
    for number in range(2, 6):
        repo.pull(number, "Later", {"a": str(number)})
    first = repo.pull(3, "Later", {"b": "3"}, branch="releases/1.0")
    repo.tag("v1.0.0", first)
    second = repo.commit("Backport the fix (#5) (#77)", {"b": "5"}, branch="releases/1.0")
    repo.tag("v1.0.1", second)
    assert held(repo.path) == {"v1.0.0": {1, 3}, "v1.0.1": {1, 3, 5}}
    last = CloneSource(repo.path).releases()[-1]
    assert (last.cut_at, last.picks) == (START, frozenset({3, 5, 77}))


def test_a_release_branch_that_takes_main_in_again(repo: Repository) -> None:
    repo.pull(1, "One", {"a": "1"})
    repo.branch("release")
    two = repo.pull(2, "Two", {"a": "2"})
    repo.pull(3, "Three", {"a": "3"})
    repo.commit("Merge main", {"a": "2"}, branch="release", merges=(two,))
    repo.tag("v1.0", repo.commit("Note", {"n": "1"}, branch="release"))
    assert held(repo.path) == {"v1.0": {1, 2}}


def test_a_release_branch_that_was_merged_back(repo: Repository) -> None:
    repo.pull(1, "One", {"a": "1"})
    repo.branch("release")
    repo.pull(2, "Two", {"a": "2"})
    tip = repo.commit("Release", {"n": "1"}, branch="release")
    repo.tag("release-1.0.0", tip)
    repo.commit("Merge the release back", {"n": "1"}, merges=(tip,))
    repo.pull(3, "Three", {"a": "3"})
    assert held(repo.path) == {"release-1.0.0": {1}}


def test_a_tag_without_any_common_history(repo: Repository) -> None:
    repo.pull(1, "One", {"a": "1"})
    repo.tag("v0.9", repo.commit("Another beginning (#4)", {"x": "1"}, branch="old"))
    assert CloneSource(repo.path).releases() == (Release("v0.9", START + HOUR, None, frozenset({4})),)


def test_skewed_clocks_do_not_move_a_pull_request_into_a_release(repo: Repository) -> None:
    repo.pull(1, "One", {"a": "1"}, merged_at=START)
    repo.pull(2, "From a fast clock", {"a": "2"}, merged_at=START + 50 * HOUR)
    repo.pull(3, "Three", {"a": "3"}, merged_at=START + 3 * HOUR)
    repo.tag("v1.0")
    repo.pull(4, "In the same second", {"a": "4"}, merged_at=START + 3 * HOUR)
    repo.pull(5, "From a slow clock", {"a": "5"}, merged_at=START + 2 * HOUR)
    release = CloneSource(repo.path).releases()[0]
    assert release.picks == {2, 3}
    assert release.cut_at == START + 2 * HOUR - timedelta(seconds=1)
    assert held(repo.path) == {"v1.0": {1, 2, 3}}


def test_tags_of_tags_and_of_other_things(repo: Repository) -> None:
    repo.pull(1, "One", {"a": "1"})
    repo.tag("v1.0", tagged_at=START)
    who = ("-c", "user.name=x", "-c", "user.email=x@users.example")
    repo.git(*who, "tag", "-a", "-m", "again", "v1.1", "v1.0")
    repo.git(*who, "tag", "v1.2", "main^{tree}")
    repo.git(*who, "tag", "-a", "-m", "a file", "v1.3", "main:a")
    assert held(repo.path) == {"v1.0": {1}, "v1.1": {1}}


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("v1.2.3", "1.2.3"),
        ("1.2", "1.2"),
        ("V2.0.0-rc.1", "2.0.0rc1"),
        ("v4", "4"),
        ("release-4", "4"),
        ("release-1.2", "1.2"),
        ("release/1.2", "1.2"),
        ("rel1.2", "1.2"),
        ("@scope/pkg@1.2.3", "1.2.3"),
        ("pkg-1.2.3-beta2", "1.2.3b2"),
        ("my-log4x-2.17.0", "2.17.0"),
        ("pkg/v0.3.0", "0.3.0"),
        ("v1.2.3.post1", "1.2.3.post1"),
        ("2026.08.01", "2026.8.1"),
        ("v1.2+cu118", "1.2+cu118"),
        ("nightly", None),
        ("2026-08-01", None),
        ("20260801", None),
        ("v1.2.3-cuda12.1", None),
        ("build-7b2f", None),
        ("v1." + "9" * 5000, None),
        ("v", None),
        ("", None),
    ],
)
def test_versions(name: str, version: str | None) -> None:
    found = version_of(name)
    assert (str(found) if found else None) == version


@given(st.text(alphabet="v019.-@/_abrc+", max_size=120))
def test_any_tag_name_can_be_read(name: str) -> None:
    found = version_of(name)
    assert found is None or found.release


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_release_holds_exactly_what_leads_to_it(
    tmp_path_factory: pytest.TempPathFactory, chance: random.Random
) -> None:
    repo = Repository(tmp_path_factory.mktemp("random") / "engine", bare=True)
    landed = {1: repo.pull(1, "Begin", {"a": "1"})}
    tagged: dict[str, int] = {}
    marks = [landed[1]]
    for number in range(2, 16):
        moment = START + timedelta(hours=chance.randrange(20))
        match chance.randrange(5):
            case 0:
                repo.branch(f"side-{number}", chance.choice(marks))
                marks.append(repo.commit("Aside", {f"s{number}": "1"}, at=moment, branch=f"side-{number}"))
            case 1 if repo.branches:
                merges = (chance.choice(marks),)
                branch = chance.choice(repo.branches)
                marks.append(repo.commit("Both", {f"m{number}": "1"}, at=moment, branch=branch, merges=merges))
            case _:
                landed[number] = repo.pull(number, "On main", {f"f{number}": "1"}, merged_at=moment)
                marks.append(landed[number])
        if chance.random() < 0.4:
            tagged[f"v{number}.0"] = chance.choice(marks)
            repo.tag(f"v{number}.0", tagged[f"v{number}.0"])
    rows = [row.split() for row in repo.git("rev-list", "--parents", "--all").splitlines()]
    parents = {commit: above for commit, *above in rows}
    hashes = repo.hashes
    expected = {
        name: {number for number, landing in landed.items() if hashes[landing] in _ancestors(hashes[mark], parents)}
        for name, mark in tagged.items()
    }
    assert held(repo.path) == expected


def _ancestors(commit: str, parents: dict[str, list[str]]) -> set[str]:
    found, ahead = {commit}, [commit]
    while ahead:
        fresh = set(parents[ahead.pop()]) - found
        found |= fresh
        ahead.extend(fresh)
    return found
