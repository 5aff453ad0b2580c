"""What a clone that cannot be read says: one line, with the fix."""

import os
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.models import PullRequest
from bot.ports import SourceError
from bot.sources.clone import CloneSource
from bot.sources.clone.failures import MissingContentError, failure
from bot.sources.clone.git import open_clone
from tests.repositories import START, Repository, git, stand_in_git

EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
GIT = shutil.which("git") or ""


def complaint(do: Callable[[], object]) -> str:
    with pytest.raises(SourceError) as caught:
        do()
    message = str(caught.value)
    assert "\n" not in message
    return message


def reading(path: Path, branch: str | None = None) -> str:
    return complaint(lambda: list(CloneSource(path, branch).history(*EVER)))


def test_no_such_folder(tmp_path: Path) -> None:
    assert reading(tmp_path / "nowhere") == f"{tmp_path}/nowhere does not exist: give the top folder of a git clone"


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("x")
    assert "is a file: give the top folder of a git clone" in reading(tmp_path / "notes")


def test_not_a_repository(tmp_path: Path) -> None:
    said = reading(tmp_path)
    assert said == f"{tmp_path} is not a git repository: give the top folder of a git clone"


def test_a_folder_inside_a_clone_is_not_the_clone(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine")
    repo.pull(1, "Begin", {"a": "1"})
    (repo.path / "docs").mkdir()
    assert "is not a git repository" in reading(repo.path / "docs")


def test_the_git_folder_and_a_linked_work_tree_will_do(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine")
    repo.pull(1, "Begin", {"a": "1"})
    repo.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "tree"))
    (tmp_path / "link").symlink_to(repo.path)
    for path in (repo.path / ".git", tmp_path / "tree", tmp_path / "link"):
        assert CloneSource(path).count(*EVER) == 1


@pytest.mark.parametrize("bare", [True, False])
def test_an_empty_repository(tmp_path: Path, *, bare: bool) -> None:
    said = reading(Repository(tmp_path / "engine", bare=bare).path)
    assert said == f"{tmp_path}/engine has no branch with commits yet: fetch or push one into it first"


def test_an_unknown_branch_names_those_there_are(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine")
    repo.pull(1, "Begin", {"a": "1"})
    for name in ("develop", "r1", "r2", "r3", "r4", "r5"):
        repo.branch(name)
    said = reading(repo.path, "devlop")
    assert "has no branch devlop: did you mean develop? it has develop, main, r1, r2, r3 and 2 more" in said
    assert "did you mean" not in reading(repo.path, "zzzzzz")
    assert reading(repo.clone(tmp_path / "clone"), "x").endswith("it has main, develop, r1, r2, r3 and 2 more")


def test_no_usual_branch(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine", main="one", bare=True)
    repo.pull(1, "Begin", {"a": "1"})
    repo.branch("two")
    repo.git("symbolic-ref", "HEAD", "refs/heads/gone")
    assert "has no main or master: name the branch in the configuration; it has one, two" in reading(repo.path)


def test_a_shallow_clone_that_begins_too_late(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine")
    for number in range(1, 7):
        repo.pull(number, "Step", {"a": str(number)})
    source = CloneSource(repo.clone(tmp_path / "shallow", "--depth=3"))
    begins = START + 3 * HOUR + SECOND  # the commit at the boundary cannot be told from the whole tree
    assert source.begins_at() == begins
    items = list(source.history(begins, EVER[1]))
    assert [(item.number, len(item.files)) for item in items if isinstance(item, PullRequest)] == [(6, 1), (5, 1)]
    said = complaint(lambda: source.history(START, EVER[1]))
    assert "is a shallow clone that begins at 2026-01-05 12:00 UTC, after 2026-01-05T09:00:00+00:00" in said
    assert f"`git -C {tmp_path}/shallow fetch --unshallow`" in said
    assert "--shallow-since=2026-01-04" in said
    assert complaint(lambda: source.count(START, EVER[1])) == said
    assert complaint(lambda: source.patches(START, EVER[1])) == said
    git(tmp_path / "shallow", "fetch", "-q", "--deepen=2")
    assert source.begins_at() == START + HOUR + SECOND
    git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    assert source.count(START, EVER[1]) == 6


def test_a_pull_request_that_a_shallow_boundary_cuts_is_not_told(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine")
    for part in range(1, 5):
        repo.commit(f"Part {part} (#1)", {"a": str(part)})
    repo.pull(2, "Whole", {"a": "x"})
    source = CloneSource(repo.clone(tmp_path / "shallow", "--depth=3"))
    assert source.begins_at() == START + 3 * HOUR + SECOND
    told = source.history(source.begins_at(), EVER[1])
    assert [item.number for item in told if isinstance(item, PullRequest)] == [2]


def test_a_clone_shallow_to_the_root_is_whole(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine")
    repo.branch("topic", repo.pull(1, "Begin", {"a": "1"}))
    for number in range(2, 5):
        tip = repo.commit(f"Work {number}", {"b": str(number)}, branch="topic")
    repo.commit("Merge pull request #9 from ada/topic\n\nAdd b", {"b": "4"}, merges=(tip,))
    path = repo.clone(tmp_path / "shallow", "--depth=2")
    assert CloneSource(path).begins_at() == START
    assert CloneSource(path).count(*EVER) == 2


def test_git_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert reading(tmp_path) == "git is not installed or not on PATH: install git 2.31 or newer"


def test_git_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_git(tmp_path, monkeypatch, "echo git version 2.30.9")
    assert reading(tmp_path) == "git is too old (git version 2.30.9): install git 2.31 or newer"


def test_git_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_git(tmp_path, monkeypatch, "exit 3")
    assert "git on PATH does not run" in reading(tmp_path)


@pytest.mark.parametrize("said", ["git version 2.31.0", "git version 2.47.1.windows.2", "git version 3.0 (Some-1)"])
def test_versions_that_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    stand_in_git(tmp_path, monkeypatch, f'[ "$1" = --version ] && echo "{said}" || exec {GIT} "$@"')
    repo = Repository(tmp_path / "engine")
    repo.pull(1, "Begin", {"a": "1"})
    assert CloneSource(repo.path).count(*EVER) == 1


def test_git_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Repository(tmp_path / "engine")
    repo.pull(1, "Begin", {"a": "1"})
    path = repo.path
    stand_in_git(tmp_path, monkeypatch, f'case "$*" in *--numstat*) kill -9 $$;; esac; exec {GIT} "$@"')
    assert "git was ended by signal 9" in reading(path)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_clone_of_somebody_else(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine")
    repo.pull(1, "Begin", {"a": "1"})
    if open_clone(repo.path).version < (2, 35, 2):
        pytest.skip("this git does not look at owners yet")
    for path in (repo.path, repo.path / ".git"):
        os.chown(path, 12345, 12345)
    said = reading(repo.path)
    fix = f"run `git config --global --add safe.directory {repo.path}`"
    assert said == f"{repo.path} belongs to another user: to let git read it, {fix}"


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        (
            "fatal: unsafe repository (it is another's)\n\tgit config --global --add safe.directory /srv/x\n",
            "run `git config --global --add safe.directory /srv/x`",
        ),
        ("fatal: Unable to read current working directory: Permission denied", "let this user read it"),
        ("fatal: Expected git repo version <= 1, found 9", "upgrade git"),
        ("fatal: bad config line 3 in file /srv/x/.git/config", "bad config line 3 in file /srv/x/.git/config"),
        ("", "it said nothing"),
        ("warning: one\nfatal: " + "x" * 5000, "run `git -C '/srv/a b' fsck`"),
    ],
)
def test_what_git_says_becomes_one_line(stderr: str, expected: str) -> None:
    said = str(failure(Path("/srv/a b"), 128, stderr))
    assert expected in said
    assert "\n" not in said
    assert len(said) < 600


def test_a_missing_object_is_told_from_a_damaged_one() -> None:
    name = "a" * 40
    assert isinstance(failure(Path("x"), 128, f"fatal: unable to read {name}"), MissingContentError)
    lazy = f"warning: lazy fetching disabled\nfatal: could not fetch {name} from promisor remote"
    assert isinstance(failure(Path("x"), 128, lazy), MissingContentError)
    unpacked = f"error: unable to unpack {name} header\nfatal: unable to read {name}"
    assert not isinstance(failure(Path("x"), 128, unpacked), MissingContentError)
    assert not isinstance(failure(Path("x"), 128, f"fatal: loose object {name} is corrupt"), MissingContentError)
    assert not isinstance(failure(Path("x"), 128, f"fatal: unable to read tree ({name})"), MissingContentError)


def test_a_clone_that_is_gone_since(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine")
    repo.pull(1, "Begin", {"a": "1"})
    source = CloneSource(repo.path)
    assert source.count(*EVER) == 1
    history = source.history(*EVER)
    shutil.rmtree(repo.path)
    for do in (source.begins_at, source.releases, lambda: list(history)):
        assert "git could not be started in" in complaint(do)


def test_a_bad_configuration(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine")
    repo.pull(1, "Begin", {"a": "1"})
    (repo.path / ".git" / "config").write_text("[core\n")
    assert "git cannot read its configuration for" in reading(repo.path)
