"""Any changed lines at all: nothing raises, every word told occurs in them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.analysis.diffs import read
from bot.analysis.diffs.changes import LONGEST_LINE
from bot.analysis.diffs.rules import rules
from bot.models import FilePatch, Patch
from tests.changed_lines import MONDAY, SOURCE, is_source, told


def test_overlong_lines_are_skipped() -> None:
    long = " " * LONGEST_LINE
    assert told("vanished", "a.py", "class Engine:" + long, "") == []
    assert told("default", "a.py", f"ROOM = 3{long}", f"ROOM = 4{long}") == []


def test_every_language_of_a_rule_is_known() -> None:
    told_of = rules()
    known = set(told_of.languages.values()) | set(told_of.configuration)
    for table in (told_of.flags, told_of.environment, told_of.defaults, told_of.definitions):
        assert set(table) <= known
    assert set(told_of.comments) == set(told_of.languages.values())


PATHS = [f"a.{ending}" for ending in SOURCE] + [
    *("requirements.txt", "pyproject.toml", "package.json", "Cargo.toml", "go.mod", "pom.xml", "build.gradle"),
    *("Dockerfile", ".github/workflows/ci.yml", "CMakeLists.txt", "README.md"),
    *("engine/config.yaml", "engine/config.toml", "engine/config.json", "engine/settings.py"),
]
PIECES = [
    *("class ", "def ", "async ", "pub fn ", "func ", "export ", "const ", "type ", "ENGINE", "engine", "_MODE", "x"),
    *(" = ", "==", ">=", ": ", "int", "=", "(", ")", "[", "]", "{", "}", ",", '"', "'", "#", "//", "3", "2.1", "v4"),
    *("add_argument(", "default=", "os.getenv(", "os.environ[", "process.env.", "env::var(", "lambda: ", "Backend."),
    *("#[arg(long", "flag.Int(", "uses: ", "FROM ", "ARG ", "_VERSION", " ", "    ", "\t", "\r", "，", "é", "\\", "$"),
    *("True", "None", "<", ">", "|", "\x0b", "@", "--", "-"),
]
LINES = st.lists(
    st.one_of(
        st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
        st.text(st.characters(exclude_characters="\n"), max_size=60),
    ),
    max_size=12,
)
FILES = st.builds(
    lambda path, added, removed: FilePatch(path, tuple(added), tuple(removed)), st.sampled_from(PATHS), LINES, LINES
)
PATCHES = st.lists(st.lists(FILES, max_size=4), max_size=4)


@given(PATCHES)
def test_any_lines_are_read_and_every_word_told_is_in_them(contents: list[list[FilePatch]]) -> None:
    patches = [Patch(number, MONDAY + timedelta(days=number), tuple(files)) for number, files in enumerate(contents, 1)]
    for fact in read(patches, is_source):
        files = [file for file in patches[fact.number - 1].files if file.path == fact.path]
        assert files
        assert all(_occurs(word, files) for word in (fact.name, fact.old, fact.new))


def _occurs(word: str, files: Iterable[FilePatch]) -> bool:
    return any(word in line for file in files for line in (*file.added, *file.removed)) or not word
