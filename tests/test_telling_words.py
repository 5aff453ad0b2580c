from hypothesis import given
from hypothesis import strategies as st

from bot.analysis.telling_words import TellingWords

TITLES = [f"Fix the engine of part {number}" for number in range(50)]


def test_what_many_titles_say_tells_nothing() -> None:
    telling = TellingWords([*TITLES, "Shuffle the weights"])
    assert telling.of("Fix shuffled weights of the engine") == {"shuffl", "weight"}


def test_in_a_young_repository_most_words_tell() -> None:
    assert TellingWords(["Add a parser"]).of("Fix a parser crash") == {"fix", "parser", "crash"}


def test_chinese_words() -> None:
    assert TellingWords(TITLES).of("修复 连接池 泄漏") == {"修复", "连接池", "泄漏"}


@given(st.lists(st.text()), st.text())
def test_any_titles(titles: list[str], title: str) -> None:
    assert all(len(stem) <= 6 for stem in TellingWords(titles).of(title))
