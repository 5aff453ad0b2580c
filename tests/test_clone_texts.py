"""Texts, names and paths of any kind in commits, from real repositories."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models import PullRequest
from bot.sources.clone import CloneSource
from tests.repositories import Repository

EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))


def pulls(path: Path) -> dict[int, PullRequest]:
    return {item.number: item for item in CloneSource(path).history(*EVER) if isinstance(item, PullRequest)}


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "engine")
    repo.commit("Start", {"README.md": "hello\n"})
    return repo


def test_other_encodings_and_broken_bytes(repo: Repository) -> None:
    repo.commit("Größe prüfen (#1)".encode("latin-1"), {"a": "1"}, author="Jörg".encode("latin-1"), encoding="latin-1")
    repo.commit("修复 (#2)".encode("gbk"), {"a": "2"}, encoding="GBK")
    repo.commit(b"Broken \xff\xfe (#3)", {b'na\xffme\ttab\nline"quote': "3"}, author=b"J\xf6rg <j@users.example>")
    found = pulls(repo.path)
    assert (found[1].title, found[1].author) == ("Größe prüfen", "Jörg")
    assert found[2].title == "修复"
    assert (found[3].title, found[3].author) == ("Broken \ufffd\ufffd", "J\ufffdrg")
    assert [file.path for file in found[3].files] == ['na\ufffdme\ttab\nline"quote']


def test_authors(repo: Repository) -> None:
    repo.commit("Names a login (#1)", {"a": "1"}, author="Ada <1+ada-l@users.noreply.github.com>")
    repo.commit("By a bot (#2)", {"a": "2"}, author="tidy[bot] <2+tidy[bot]@users.noreply.github.com>")
    repo.commit("By nobody (#3)", {"a": "3"}, author=b" <>")
    repo.commit("By an old name (#4)", {".mailmap": "New Name <o@users.example>\n"}, author="Old <o@users.example>")
    found = pulls(repo.path)
    assert {number: (pull.author, pull.author_kind) for number, pull in found.items()} == {
        1: ("ada-l", "human"),
        2: ("tidy[bot]", "bot"),
        3: ("ghost", "ghost"),
        4: ("New Name", "human"),
    }


def test_a_very_long_message_is_cut(repo: Repository) -> None:
    repo.pull(1, "Explain", {"a": "1"}, body="ü" * 50_000)
    assert pulls(repo.path)[1].body == "ü" * 20_000


_TITLES = st.text(st.characters(exclude_characters="\0\n\r", codec="utf-8"), max_size=30)
_BODIES = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=60)
_NAMES = st.binary(min_size=1, max_size=12).filter(
    lambda name: not {0, 47} & set(name) and name not in (b".", b"..") and name.lower() != b".git"
)
_FILES = st.dictionaries(_NAMES, st.integers(1, 5), max_size=4)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(_TITLES, _BODIES, _FILES), min_size=1, max_size=8))
def test_no_title_body_or_path_is_taken_for_something_else(
    tmp_path_factory: pytest.TempPathFactory, commits: list[tuple[str, str, dict[bytes, int]]]
) -> None:
    repo = Repository(tmp_path_factory.mktemp("hostile") / "engine", bare=True)
    for number, (title, body, files) in enumerate(commits, 1):
        contents = {b"d%d/%s" % (number, name): b"\x01:100644\n" * lines for name, lines in files.items()}
        repo.commit(f"x {title} (#{number})\n\n{body}", contents)
    found = pulls(repo.path)
    assert list(found) == list(range(len(commits), 0, -1))
    for number, (title, body, files) in enumerate(commits, 1):
        assert found[number].title == f"x {title}".strip()
        assert found[number].body == body.strip()
        expected = sorted((f"d{number}/" + name.decode(errors="replace"), lines) for name, lines in files.items())
        assert sorted((file.path, file.additions) for file in found[number].files) == expected
