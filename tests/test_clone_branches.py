"""Which branch is read when several could be meant."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.models import PullRequest
from bot.sources.clone import CloneSource
from tests.repositories import Repository, git

EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))


def numbers(path: Path, branch: str | None = None) -> set[int]:
    return {item.number for item in CloneSource(path, branch).history(*EVER) if isinstance(item, PullRequest)}


def fetch(upstream: Repository, clone: Path) -> None:
    assert upstream.path.exists()  # asking writes what is queued
    git(clone, "fetch", "-q")


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "upstream", bare=True)
    repo.pull(1, "Begin", {"a": "1"})
    return repo


def test_a_bare_repository_is_read_at_its_head(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine", bare=True, main="trunk")
    repo.pull(1, "Begin", {"a": "1"})
    repo.branch("main")
    repo.pull(2, "On main", {"a": "2"}, branch="main")
    assert numbers(repo.path) == {1}
    assert numbers(repo.path, "main") == {1, 2}
    repo.git("symbolic-ref", "HEAD", "refs/heads/gone")
    assert numbers(repo.path) == {1, 2}


def test_a_feature_branch_that_is_checked_out_is_not_the_default(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine", main="master")
    repo.pull(1, "Begin", {"a": "1"})
    repo.branch("topic")
    repo.pull(2, "Not merged", {"a": "2"}, branch="topic")
    repo.git("checkout", "-q", "topic")
    assert numbers(repo.path) == {1}
    assert numbers(repo.path, "topic") == {1, 2}


def test_the_remotes_default_branch_comes_first(tmp_path: Path) -> None:
    upstream = Repository(tmp_path / "upstream", bare=True, main="develop")
    upstream.pull(1, "Begin", {"a": "1"})
    upstream.branch("main")
    upstream.pull(2, "Developed", {"a": "2"})
    path = upstream.clone(tmp_path / "clone", "--origin=upstream")
    assert numbers(path) == {1, 2}
    assert numbers(path, "main") == {1}


def test_whoever_only_fetches_gets_what_was_fetched(upstream: Repository, tmp_path: Path) -> None:
    path = upstream.clone(tmp_path / "clone")
    upstream.pull(2, "News", {"a": "2"})
    fetch(upstream, path)
    assert numbers(path) == {1, 2}
    assert numbers(path, "main") == {1, 2}
    assert numbers(path, "refs/heads/main") == {1}


def test_a_local_branch_that_is_ahead_is_read(upstream: Repository, tmp_path: Path) -> None:
    clone = upstream.clone(tmp_path / "clone")
    commit = ("-c", "user.name=A", "-c", "user.email=a@users.example", "commit", "-q", "--allow-empty", "-m")
    git(clone, *commit, "Local (#9)")
    assert numbers(clone) == {1, 9}
    upstream.pull(2, "News", {"a": "2"})
    fetch(upstream, clone)  # now both have commits of their own
    assert numbers(clone) == {1, 2}
    assert numbers(clone, "origin/main") == {1, 2}


def test_a_mirrors_own_branch_is_read(upstream: Repository, tmp_path: Path) -> None:
    upstream.branch("stray")
    upstream.pull(3, "What somebody pushed as refs/remotes", {"a": "3"}, branch="stray")
    path = upstream.clone(tmp_path / "mirror", "--mirror")
    git(path, "update-ref", "refs/remotes/origin/main", "refs/heads/stray")
    upstream.pull(2, "News", {"a": "2"})
    assert upstream.path.exists()
    git(path, "fetch", "-q", "origin", "+refs/heads/*:refs/heads/*")
    assert numbers(path) == {1, 2}
    assert numbers(path, "main") == {1, 2}


def test_a_detached_head_without_any_usual_branch(upstream: Repository, tmp_path: Path) -> None:
    clone = upstream.clone(tmp_path / "clone")
    git(clone, "checkout", "-q", "--detach")
    git(clone, "branch", "-q", "-m", "main", "topic")
    git(clone, "remote", "remove", "origin")
    assert numbers(clone) == {1}


def test_an_alias_of_a_branch(upstream: Repository) -> None:
    upstream.git("symbolic-ref", "refs/heads/stable", "refs/heads/main")
    assert numbers(upstream.path, "stable") == {1}
