"""Sentences that can be quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.analysis.passages import sentences
from bot.text import clean


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("I do not think so. It breaks callers!", ["I do not think so.", "It breaks callers!"]),
        ("> why not reuse it?\nBecause it is v1.2 only.", ["Because it is v1.2 only."]),
        ("```py\nreturn everything\n```\nKeep it as is, please.", ["Keep it as is, please."]),
        ("- no need to copy here", ["no need to copy here"]),
        ("see https://example.com/a/b for details", []),
        ("@ann could you look again?", []),
        ("LGTM", []),
        ("这里没必要再加一层封装。后面再说吧，先合入。", ["这里没必要再加一层封装。"]),
    ],
)
def test_sentences(body: str, expected: list[str]) -> None:
    assert list(sentences(body)) == expected


def test_a_long_sentence_is_cut_at_a_word() -> None:
    [cut] = sentences("word " * 40)
    assert cut.endswith("word…")
    assert len(cut) <= 91


@given(st.text(max_size=300))
def test_a_sentence_stands_in_the_text(body: str) -> None:
    for sentence in sentences(body):
        assert clean(sentence).rstrip("…") in clean(body)
