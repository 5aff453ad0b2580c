"""Changed lines, from real repositories."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models import FilePatch, Patch, PullRequest
from bot.sources.clone import CloneSource
from bot.sources.clone.git import pieces
from bot.sources.clone.patches import COMMIT_LIMIT, FILE_LIMIT, LINE_LIMIT
from tests.repositories import START, Repository

EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
HOUR = timedelta(hours=1)


def patches(path: Path) -> list[Patch]:
    read = CloneSource(path).patches(*EVER)
    assert read is not None
    return list(read)


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "engine", bare=True)


def test_added_and_removed_lines_oldest_first(repo: Repository) -> None:
    repo.commit("Start", {"a.py": "one\ntwo\nthree\n"})
    repo.pull(7, "Change", {"a.py": "one\n2\nthree\nfour\n", "b.py": "x\n"})
    repo.pull(8, "Remove", {"b.py": None})
    assert patches(repo.path) == [
        Patch(7, START + HOUR, (FilePatch("a.py", ("2", "four"), ("two",)), FilePatch("b.py", ("x",), ()))),
        Patch(8, START + 2 * HOUR, (FilePatch("b.py", (), ("x",)),)),
    ]


def test_only_the_period(repo: Repository) -> None:
    for number in range(1, 5):
        repo.pull(number, "Step", {"a": str(number)})
    read = CloneSource(repo.path).patches(START + HOUR, START + 3 * HOUR)
    assert [patch.number for patch in read or ()] == [2, 3]


def test_lines_that_look_like_headers(repo: Repository) -> None:
    before = [
        "-- x",
        "++ y",
        "@@ -1 +1 @@",
        "diff --git a/z b/z",
        "\\ No newline at end of file",
        "",
        "\x01" + "0" * 40,
        "+",
    ]
    after = [
        "- x",
        "+++ b/other.py",
        "--- a/other.py",
        "@@ -9,9 +9,9 @@ z",
        "index 1..2",
        "Binary files a/q and b/q differ",
        "\x01",
    ]
    repo.commit("Start", {"a.sql": "\n".join(before), "keep": "x\n"})
    repo.pull(1, "Replace all", {"a.sql": "\n".join(after), "keep": "y\n"})
    assert patches(repo.path)[0].files == (
        FilePatch("a.sql", tuple(after), tuple(before)),
        FilePatch("keep", ("y",), ("x",)),
    )


def test_line_ends(repo: Repository) -> None:
    repo.commit("Start", {"dos": "one\r\ntwo\r\n", "bare": "one", "form": "a\fb\u2028c\n"})
    repo.pull(1, "Change", {"dos": "one\r\n2\r\n", "bare": "one\n", "form": "a\fb\u2028d\vz\n"})
    assert patches(repo.path)[0].files == (
        FilePatch("bare", ("one",), ("one",)),
        FilePatch("dos", ("2",), ("two",)),
        FilePatch("form", ("a\fb\u2028d\vz",), ("a\fb\u2028c",)),
    )


def test_paths_of_every_kind(repo: Repository) -> None:
    names = ["a b.py", 'quo"te', "tab\there", "line\nend", "back\\slash", "修复.py", " lead", "b/a/b", "-dash", "end "]
    repo.commit("Start", dict.fromkeys(names, "1\n") | {"old": "1\n"})
    repo.commit(b"Change (#1)", {name.encode(): "2\n" for name in names} | {b"raw\xff": "2\n", b"old": None})
    assert {file.path for file in patches(repo.path)[0].files} == {*names, "raw\ufffd", "old"}
    history = CloneSource(repo.path).history(*EVER)
    listed = {file.path for item in history if isinstance(item, PullRequest) for file in item.files}
    assert listed == {*names, "raw\ufffd", "old"}


def test_renames_modes_binaries_and_links(repo: Repository) -> None:
    many = "".join(f"line {number}\n" for number in range(40))
    repo.commit("Start", {"old.py": many, "run": "x\n", "kind": "plain\n", "image": b"\0\1\2"})
    files = {"new.py": many + "more\n", "old.py": None, "run": ("100755", "x\n"), "image": b"\0\3"}
    repo.pull(1, "Change", files | {"kind": ("120000", "run")})
    assert patches(repo.path) == [
        Patch(
            1,
            START + HOUR,
            (FilePatch("kind", (), ("plain",)), FilePatch("kind", ("run",), ()), FilePatch("new.py", ("more",), ())),
        )
    ]


def test_a_merge_is_read_against_its_first_parent(repo: Repository) -> None:
    repo.pull(1, "Begin", {"a": "1\n"})
    repo.merge_commit(2, "Add b", {"b": "1\n"})
    repo.merge_commit(3, "Nothing", {})
    assert [(patch.number, patch.files) for patch in patches(repo.path)] == [
        (1, (FilePatch("a", ("1",), ()),)),
        (2, (FilePatch("b", ("1",), ()),)),
        (3, ()),
    ]


def test_a_rebase_merge_keeps_its_commits_apart_and_in_order(repo: Repository) -> None:
    repo.commit("Part (#4)", {"a": "1\n"})
    repo.commit("Part (#4)", {"a": "2\n"})
    assert patches(repo.path) == [Patch(4, START + HOUR, (FilePatch("a", ("1",), ()), FilePatch("a", ("2",), ("1",))))]


def test_unwanted_paths_are_left_out_and_the_rest_is_complete(repo: Repository) -> None:
    repo.commit("Start", {"gone.lock": "x\n"})
    repo.pull(1, "Change", {"a.lock": "1\n" * (FILE_LIMIT + 1), "b.py": "1\n", "gone.lock": None})
    read = CloneSource(repo.path).patches(*EVER, wanted=lambda path: not path.endswith(".lock"))
    assert list(read or ()) == [Patch(1, START + HOUR, (FilePatch("b.py", ("1",), ()),))]


def test_what_is_too_large_is_left_out_and_said(repo: Repository) -> None:
    repo.pull(1, "A large file", {"a": "1\n" * (FILE_LIMIT + 1), "b": "1\n" * FILE_LIMIT})
    repo.pull(2, "Many files", {f"{number:02}": f"{number}\n" * 4_999 for number in range(30)})
    repo.pull(3, "A long line", {"long": "é" * 100_000 + "\nshort\n"})
    repo.pull(4, "Small", {"c": "1\n"})
    large, many, long, small = patches(repo.path)
    assert ([file.path for file in large.files], large.complete) == (["b"], False)
    assert (sum(len(file.added) for file in many.files) <= COMMIT_LIMIT, many.complete) == (True, False)
    assert len(many.files) == COMMIT_LIMIT // 4_999
    assert (long.files, long.complete) == ((FilePatch("long", ("é" * LINE_LIMIT, "short"), ()),), False)
    assert (small.complete, len(small.files)) == (True, 1)


def test_files_left_out_leave_room_for_others(repo: Repository) -> None:
    large = {f"large{number:02}": "1\n" * (FILE_LIMIT + 1) for number in range(12)}
    repo.pull(1, "Much", large | {"small": "1\n"})
    assert [file.path for file in patches(repo.path)[0].files] == ["small"]


def test_a_line_without_end_is_not_kept_whole() -> None:
    chunks = (b"a\n" + b"x" * 1000, *[b"y" * 1000] * 50, b"\nb\n" + b"c" * 10)
    first, long, *rest = pieces(iter(chunks), b"\n", limit=100)
    assert (first, long[:100], rest) == (b"a", b"x" * 100, [b"b", b"c" * 10])
    assert 100 < len(long) <= 1200


_HEADERS = ["", "-- x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "diff --git a/x b/x", "\\ No newline", "x", "y"]
_ANY = st.text(st.characters(exclude_characters="\n\r\0", codec="utf-8"), max_size=8)
_LINES = st.lists(st.sampled_from(_HEADERS) | _ANY, max_size=8)
_VERSION = st.tuples(_LINES, st.sampled_from(["", "\n"]))


@settings(max_examples=10, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["a", "b b", "c\n"]), _VERSION, min_size=1), min_size=1, max_size=6))
def test_applying_what_was_read_gives_the_next_version(
    tmp_path_factory: pytest.TempPathFactory, versions: list[dict[str, tuple[list[str], str]]]
) -> None:
    repo = Repository(tmp_path_factory.mktemp("patches") / "engine", bare=True)
    contents = [{path: "\n".join(lines) + end for path, (lines, end) in files.items()} for files in versions]
    for number, files in enumerate(contents, 1):
        repo.pull(number, "Step", files)
    state: dict[str, list[str]] = {}
    read = patches(repo.path)
    assert [patch.number for patch in read] == list(range(1, len(contents) + 1))
    for patch, files in zip(read, contents, strict=True):
        assert patch.complete
        for file in patch.files:
            before = state.get(file.path, [])
            assert _sorted_without(before, file.removed) is not None
            state[file.path] = sorted((_sorted_without(before, file.removed) or []) + list(file.added))
        for path, content in files.items():
            assert state.get(path, []) == sorted(content.removesuffix("\n").split("\n") if content else [])


def _sorted_without(lines: list[str], removed: tuple[str, ...]) -> list[str] | None:
    """The lines without the removed ones; None when one of those was not there."""
    rest = list(lines)
    for line in removed:
        if line not in rest:
            return None
        rest.remove(line)
    return sorted(rest)
