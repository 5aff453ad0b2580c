"""Clones that lack contents: never fetched into, never guessed, never cut short."""

import shutil
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.models import PullRequest
from bot.ports import SourceError
from bot.sources.clone import CloneSource
from bot.sources.clone.git import open_clone
from tests.repositories import Repository, git, stand_in_git

EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
GIT = shutil.which("git") or ""
MANY = "".join(f"line {number}\n" for number in range(50))


def pulls(path: Path) -> list[PullRequest]:
    return [item for item in CloneSource(path).history(*EVER) if isinstance(item, PullRequest)]


def blob(repo: Repository, path: str) -> str:
    return repo.git("rev-parse", f"main:{path}").strip()


def loose(repo: Repository, name: str) -> Path:
    """The file of an object, which is unpacked if it was in a pack."""
    for pack in (repo.path / "objects" / "pack").glob("*.pack"):
        moved = pack.rename(repo.path / pack.name)
        with moved.open("rb") as stream:
            git(repo.path, "unpack-objects", "-q", stdin=stream.read())
        moved.unlink()
        pack.with_suffix(".idx").unlink(missing_ok=True)
    return repo.path / "objects" / name[:2] / name[2:]


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "engine", bare=True)
    repo.commit("Start", {"a.py": MANY})
    for number in range(1, 21):
        repo.pull(number, f"Step {number}", {f"f{number}.py": f"{number}\n", "a.py": f"{MANY}{number}\n"})
    repo.rename(21, "Move it", "a.py", "b.py")
    return repo


def test_a_clone_without_contents_gives_names_without_counts(repo: Repository, tmp_path: Path) -> None:
    path = repo.clone(tmp_path / "partial", "--bare", "--filter=blob:none")
    objects = sorted(path.rglob("*.pack"))
    move, *steps = pulls(path)
    assert [pull.number for pull in steps] == list(range(20, 0, -1))
    assert not any(pull.counted for pull in steps)
    assert [(file.path, file.status, file.churn) for file in steps[0].files] == [
        ("a.py", "modified", 0),
        ("f20.py", "added", 0),
    ]
    assert [(file.path, file.status, file.previous_path) for file in move.files] == [("b.py", "renamed", "a.py")]
    assert move.counted  # nothing but a name changed, and that is known
    assert CloneSource(path).patches(*EVER) is None
    assert sorted(path.rglob("*.pack")) == objects
    git(path, "log", "--numstat")
    assert sorted(path.rglob("*.pack")) != objects  # what plain git does


def test_a_git_that_may_fetch_behind_our_back_is_not_asked_for_contents(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = repo.clone(tmp_path / "partial", "--bare", "--filter=blob:none")
    log = tmp_path / "asked"
    pretend = f'[ "$1" = --version ] && echo git version 2.44.0 && exit; echo "$@" >> {log}; exec {GIT} "$@"'
    stand_in_git(tmp_path, monkeypatch, pretend)
    assert [pull.counted for pull in pulls(path)] == [True] + [False] * 20
    assert "--numstat" not in log.read_text()
    assert "--raw" in log.read_text()
    monkeypatch.undo()
    assert len(pulls(repo.path)) == 21


def test_a_partial_clone_is_counted_where_it_can_be(repo: Repository, tmp_path: Path) -> None:
    repo.pull(30, "Add something large", {"large.py": MANY * 200})
    repo.pull(31, "Small again", {"f1.py": "x\n"})
    path = repo.clone(tmp_path / "partial", "--bare", "--filter=blob:limit=5k")
    uncounted = {pull.number for pull in pulls(path) if not pull.counted}
    assert uncounted == {30} if open_clone(path).guards_lazy_fetch else uncounted > {30}
    assert len(pulls(path)) == 23


@pytest.mark.parametrize("steps", [(9,), (1,), (20,), (9, 10, 11), tuple(range(1, 21, 2)), tuple(range(1, 21))])
def test_contents_missing_here_and_there_cost_those_counts_only(repo: Repository, steps: tuple[int, ...]) -> None:
    whole = pulls(repo.path)
    for step in steps:
        loose(repo, blob(repo, f"f{step}.py")).unlink()
    found = pulls(repo.path)
    assert [pull.number for pull in found] == [pull.number for pull in whole]
    assert {pull.number for pull in found if not pull.counted} == set(steps)
    assert [pull for pull in found if pull.counted] == [pull for pull in whole if pull.number not in steps]
    patches = list(CloneSource(repo.path).patches(*EVER) or ())
    unread = {patch.number for patch in patches if not patch.complete}
    assert unread == set(steps) | ({21} if len(steps) == 20 else set())  # after so many no more is asked for
    assert [patch.number for patch in patches] == list(range(1, 22))


def test_a_pull_request_of_several_commits_is_counted_whole_or_not(repo: Repository) -> None:
    repo.commit("Part (#40)", {"p1.py": "first part\n"})
    repo.commit("Part (#40)", {"p2.py": "second part\n"})
    loose(repo, blob(repo, "p1.py")).unlink()
    assert {pull.number for pull in pulls(repo.path) if not pull.counted} == {40}


def test_a_damaged_content_is_no_missing_one(repo: Repository) -> None:
    file = loose(repo, blob(repo, "f9.py"))
    file.chmod(stat.S_IRWXU)
    file.write_bytes(b"\x78\x9c damaged")
    source = CloneSource(repo.path)
    history = source.history(*EVER)
    with pytest.raises(SourceError, match="fsck"):
        list(history)
    with pytest.raises(SourceError, match="fsck"):
        list(source.patches(*EVER) or ())


@pytest.mark.parametrize("name", ["main~15", "main~15^{tree}", "main~21"])
def test_a_missing_commit_or_tree_is_never_a_short_history(repo: Repository, name: str) -> None:
    loose(repo, repo.git("rev-parse", name).strip()).unlink()
    with pytest.raises(SourceError, match="fsck"):
        pulls(repo.path)


def test_a_clone_without_trees_says_so(repo: Repository, tmp_path: Path) -> None:
    path = repo.clone(tmp_path / "partial", "--bare", "--filter=tree:0")
    with pytest.raises(SourceError, match=r"clone again without --filter"):
        pulls(path)
