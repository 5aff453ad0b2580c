"""What landed on a branch, from real repositories."""

import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from bot.models import ChangedFile, DirectCommit, PullRequest
from bot.ports import PullRequestSource
from bot.sources.clone import CloneSource
from tests.repositories import MAINTAINER, START, Repository, git

EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))


def everything(path: Path) -> list[PullRequest | DirectCommit]:
    return list(CloneSource(path).history(*EVER))


def pulls(path: Path) -> dict[int, PullRequest]:
    found = [item for item in everything(path) if isinstance(item, PullRequest)]
    by_number = {pull.number: pull for pull in found}
    assert len(by_number) == len(found)
    return by_number


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "engine")
    repo.commit("Start", {"README.md": "hello\n"})
    return repo


def test_a_squashed_pull_request(repo: Repository) -> None:
    mark = repo.pull(7, "Add the cache", {"cache.py": "a\nb\n", "README.md": "hi\n"}, body="It is fast.\n\nVery.")
    pull, start = everything(repo.path)
    assert pull == PullRequest(
        number=7,
        title="Add the cache",
        author="Ada",
        merged_at=START + timedelta(hours=1),
        body="It is fast.\n\nVery.",
        commit=repo.hash(mark),
        files=(
            ChangedFile("README.md", 1, 1),
            ChangedFile("cache.py", 2, 0, "added"),
        ),
    )
    assert isinstance(start, DirectCommit)
    assert (start.subject, start.author, start.committed_at) == ("Start", "Ada", START)


def test_the_source_fulfils_the_port(repo: Repository) -> None:
    source: PullRequestSource = CloneSource(repo.path)
    assert source.kind == "clone"
    assert source.begins_at() == START
    assert source.count(*EVER) == 1


def test_a_merged_pull_request_is_its_authors_and_has_its_title_in_the_body(repo: Repository) -> None:
    repo.merge_commit(8, "Drop the old path", {"old.py": "x\n"}, author="Bob", owner="bob", body="Nobody used it.")
    merge = pulls(repo.path)[8]
    assert (merge.title, merge.author, merge.body) == ("Drop the old path", "Bob", "Nobody used it.")
    assert merge.files == (ChangedFile("old.py", 1, 0, "added"),)
    assert len(everything(repo.path)) == 2  # the commits of the branch are not on the chain


def test_a_merge_titled_like_its_pull_request_is_still_its_authors(repo: Repository) -> None:
    repo.branch("topic")
    tip = repo.commit("Work", {"a.py": "1\n"}, author="Bob", branch="topic")
    repo.commit("Add the cache (#9)", {"a.py": "1\n"}, author=MAINTAINER, merges=(tip,))
    assert (pulls(repo.path)[9].title, pulls(repo.path)[9].author) == ("Add the cache", "Bob")


def test_the_author_is_not_whoever_updated_the_branch(repo: Repository) -> None:
    repo.branch("topic")
    repo.commit("Work", {"a.py": "1\n"}, author="Bob", branch="topic")
    other = repo.pull(5, "Something else", {"b.py": "1\n"})
    tip = repo.commit("Merge branch 'main' into topic", {"b.py": "1\n"}, author="Cy", branch="topic", merges=(other,))
    message = "Merge pull request #6 from bob/topic\n\nAdd a"
    repo.commit(message, {"a.py": "1\n"}, author=MAINTAINER, merges=(tip,))
    assert pulls(repo.path)[6].author == "Bob"


def test_the_author_is_not_who_worked_on_main_before(repo: Repository) -> None:
    repo.branch("topic")
    work = repo.commit("Work", {"a.py": "1\n"}, author="Bob", branch="topic")
    repo.pull(5, "Something else", {"b.py": "1\n"}, author="Cy")
    repo.branch("taken-in")
    tip = repo.commit("Merge topic", {"a.py": "1\n"}, author="Bob", branch="taken-in", merges=(work,))
    message = "Merge pull request #6 from bob/taken-in\n\nAdd a"
    repo.commit(message, {"a.py": "1\n"}, author=MAINTAINER, merges=(tip,))
    assert pulls(repo.path)[6].author == "Bob"


def test_a_merge_without_a_body_keeps_its_subject(repo: Repository) -> None:
    repo.branch("topic")
    tip = repo.commit("Work", {"a.py": "1\n"}, branch="topic")
    repo.commit("Merge pull request #6 from bob/topic", {"a.py": "1\n"}, merges=(tip,))
    assert pulls(repo.path)[6].title == "Merge pull request #6 from bob/topic"


def test_an_octopus_and_an_empty_merge(repo: Repository) -> None:
    repo.branch("one")
    repo.branch("two")
    first = repo.commit("One", {"one.py": "1\n"}, branch="one", author="Bob")
    second = repo.commit("Two", {"two.py": "2\n"}, branch="two", author="Cy")
    message = "Merge pull request #6 from bob/one\n\nBoth"
    repo.commit(message, {"one.py": "1\n", "two.py": "2\n"}, merges=(first, second))
    repo.merge_commit(7, "Nothing left", {})
    found = pulls(repo.path)
    assert [file.path for file in found[6].files] == ["one.py", "two.py"]
    assert found[6].author == "Bob"
    assert found[7].files == ()


def test_statuses_renames_binaries_links_and_submodules(repo: Repository) -> None:
    text = "".join(f"line {number}\n" for number in range(40))
    repo.pull(1, "Prepare", {"gone.py": "x\n", "old name.py": text, "kind": "plain\n"})
    repo.pull(3, "Add a submodule", {"lib": ("160000", "1" * 40)})
    repo.pull(
        2,
        "Everything at once",
        {
            "gone.py": None,
            "new name.py": text + "more\n",
            "old name.py": None,
            "image.png": b"\x89PNG\0\0",
            "kind": ("120000", "README.md"),
            "lib": ("160000", "2" * 40),
            "run.sh": ("100755", "echo\n"),
        },
    )
    files = {file.path: file for file in pulls(repo.path)[2].files}
    assert files == {
        "gone.py": ChangedFile("gone.py", 0, 1, "removed"),
        "new name.py": ChangedFile("new name.py", 1, 0, "renamed", "old name.py"),
        "image.png": ChangedFile("image.png", 0, 0, "added", binary=True),
        "kind": ChangedFile("kind", 1, 1, "modified"),
        "lib": ChangedFile("lib", 1, 1, "modified"),
        "run.sh": ChangedFile("run.sh", 1, 0, "added"),
    }


def test_a_pure_rename(repo: Repository) -> None:
    repo.rename(3, "Move it", "README.md", "docs/read me.md")
    assert pulls(repo.path)[3].files == (ChangedFile("docs/read me.md", 0, 0, "renamed", "README.md"),)


def test_a_root_commit_may_be_a_pull_request(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "engine")
    repo.pull(1, "Begin", {"a.py": "1\n"})
    assert pulls(repo.path)[1].files == (ChangedFile("a.py", 1, 0, "added"),)


def test_a_rebase_merge_is_one_pull_request(repo: Repository) -> None:
    many = "1\n" * 30
    repo.commit("Cache, first part (#4)", {"a.py": many, "temporary.py": "x\n", "README.md": "hi\n"})
    repo.commit("Cache, second part (#4)", {"a.py": None, "b.py": many + "2\n", "temporary.py": None})
    last = repo.commit("Cache, third part (#4)", {"README.md": "hi\nthere\n"})
    found = pulls(repo.path)[4]
    assert (found.title, found.commit, found.merged_at) == (
        "Cache, third part",
        repo.hash(last),
        START + timedelta(hours=3),
    )
    assert {file.path: file for file in found.files} == {
        "b.py": ChangedFile("b.py", 31, 0, "added"),
        "README.md": ChangedFile("README.md", 2, 1),
    }
    assert CloneSource(repo.path).count(*EVER) == 2


def test_a_file_that_moves_while_another_takes_its_place(repo: Repository) -> None:
    many = "1\n" * 30
    repo.pull(1, "Prepare", {"a.py": many})
    repo.commit("One (#4)", {"a.py": many + "2\n"})
    repo.commit("Two (#4)", {"a.py": "new\n", "b.py": many + "2\n"})
    repo.commit("Three (#4)", {"a.py": None})
    repo.commit("Four (#4)", {"a.py": "again\n"})
    assert {file.path: file.status for file in pulls(repo.path)[4].files} == {"b.py": "added", "a.py": "modified"}


def test_a_number_that_comes_up_again_makes_no_second_pull_request(repo: Repository) -> None:
    repo.pull(4, "Cache", {"a.py": "1\n"})
    repo.pull(5, "Between", {"b.py": "1\n"})
    repo.pull(4, "Cache, and its follow-up", {"a.py": "2\n"})
    again, _, cache, _ = everything(repo.path)
    assert isinstance(again, DirectCommit)
    assert again.subject == "Cache, and its follow-up (#4)"
    assert isinstance(cache, PullRequest)
    assert (cache.number, cache.title) == (4, "Cache")
    late = START + timedelta(hours=3)  # a period that sees the follow-up alone tells the same
    assert list(CloneSource(repo.path).history(late, EVER[1])) == [again]


def test_githubs_merge_outweighs_an_earlier_commit_with_its_number(repo: Repository) -> None:
    repo.pull(4, "Prepare for the cache", {"a.py": "1\n"})
    repo.pull(5, "Between", {"b.py": "1\n"})
    repo.merge_commit(4, "Cache", {"a.py": "2\n"})
    assert pulls(repo.path)[4].title == "Cache"


def test_a_copy_of_githubs_merge_outweighs_nothing(repo: Repository) -> None:
    repo.commit("Merge pull request #4 from ada/cache\n\nCopied ahead", {"a.py": "1\n"})
    repo.pull(5, "Between", {"b.py": "1\n"})
    repo.merge_commit(4, "Cache", {"a.py": "2\n"})
    assert pulls(repo.path)[4].title == "Cache"


def test_the_period_is_half_open_and_compares_instants(repo: Repository) -> None:
    since, until = datetime(2026, 2, 2, tzinfo=UTC), datetime(2026, 2, 9, tzinfo=UTC)
    shanghai, samoa = timezone(timedelta(hours=8)), timezone(timedelta(hours=-11))
    repo.pull(1, "A second early", {"a": "1"}, merged_at=since - timedelta(seconds=1))
    repo.pull(2, "On time", {"a": "2"}, merged_at=since.astimezone(shanghai))
    repo.pull(3, "A second before the end", {"a": "3"}, merged_at=(until - timedelta(seconds=1)).astimezone(samoa))
    repo.pull(4, "At the end", {"a": "4"}, merged_at=until.astimezone(shanghai))
    source = CloneSource(repo.path)
    found = [item for item in source.history(since, until) if isinstance(item, PullRequest)]
    assert [pull.number for pull in found] == [3, 2]
    assert all(pull.merged_at.tzinfo is UTC for pull in found)
    assert source.count(since, until) == 2
    assert source.count(since.astimezone(samoa), until.astimezone(shanghai)) == 2
    assert source.count(since + timedelta(microseconds=1), until) == 1
    assert source.count(since, until + timedelta(microseconds=1)) == 3
    assert source.count(until, since) == 0


def test_an_instant_needs_a_time_zone(repo: Repository) -> None:
    with pytest.raises(ValueError, match="no time zone"):
        CloneSource(repo.path).history(datetime(2026, 1, 1), EVER[1])  # noqa: DTZ001 - what is refused


def test_skewed_clocks_neither_cut_the_walk_nor_hide_anything(repo: Repository) -> None:
    week = datetime(2026, 2, 2, tzinfo=UTC)
    repo.pull(1, "In the week", {"a": "1"}, merged_at=week + timedelta(hours=5))
    repo.pull(2, "From a clock of 1999", {"a": "2"}, merged_at=datetime(1999, 1, 1, tzinfo=UTC))
    repo.pull(3, "Later in the week", {"a": "3"}, merged_at=week + timedelta(hours=9))
    repo.pull(4, "From a clock of 2090", {"a": "4"}, merged_at=datetime(2090, 1, 1, tzinfo=UTC))
    repo.pull(5, "Earlier in the week", {"a": "5"}, merged_at=week + timedelta(hours=1))
    source = CloneSource(repo.path)
    found = [item for item in source.history(week, week + timedelta(days=7)) if isinstance(item, PullRequest)]
    assert [pull.number for pull in found] == [5, 3, 1]
    assert source.begins_at() == datetime(1999, 1, 1, tzinfo=UTC)


def test_a_date_beyond_the_calendar_is_kept_in_it(repo: Repository) -> None:
    repo.forge("From afar (#2)", person="Ada <ada@users.example> 99999999999999 +0000")
    far = list(CloneSource(repo.path).history(EVER[0], datetime.max.replace(tzinfo=UTC)))
    assert [item.number for item in far if isinstance(item, PullRequest)] == [2]


def test_reading_may_stop_early(repo: Repository) -> None:
    for number in range(1, 40):
        repo.pull(number, "Step", {f"f{number}.py": "x\n" * 500})
    source = CloneSource(repo.path)
    history = source.history(*EVER)
    first = next(history)
    assert isinstance(first, PullRequest)
    assert first.number == 39
    del history
    assert len(list(source.history(*EVER))) == 40


def test_a_source_sees_what_was_fetched_since(repo: Repository) -> None:
    source = CloneSource(repo.path)
    assert source.count(*EVER) == 1
    repo.pull(2, "News", {"a": "1"})
    assert repo.path.exists()
    assert source.count(*EVER) == 2


def test_how_fresh_a_clone_is(repo: Repository, tmp_path: Path) -> None:
    repo.commit("From a clock of 2090", {"a": "1"}, at=datetime(2090, 1, 1, tzinfo=UTC))
    repo.pull(2, "News", {"a": "2"}, merged_at=START + timedelta(hours=2))
    clone = repo.clone(tmp_path / "clone")
    assert CloneSource(clone).fresh_until() == START + timedelta(hours=2)
    git(clone, "fetch")
    fetched = datetime(2026, 3, 1, tzinfo=UTC)
    os.utime(clone / ".git" / "FETCH_HEAD", (0, fetched.timestamp()))
    assert CloneSource(clone).fresh_until() == fetched
