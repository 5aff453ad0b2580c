"""What titles are about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.analysis import rules
from bot.analysis.topics import shown, topics_of
from tests.factories import make_pr

RULES = rules.load()


@pytest.mark.parametrize(
    ("title", "topics"),
    [
        ("[Bugfix][MLA] Fix the head dim", {"mla"}),
        ("feat(telegram): send stickers", {"telegram"}),
        ("Support Gemma 4 tool calls", {"gemma4"}),
        ("[Gemma4] Faster prefill", {"gemma4"}),
        ("[kv_offload+HMA][5/N] Track blocks", {"kv offload", "hma"}),
        ("[CI/Build] Retry", set()),
        ("fix: handle an empty body", set()),
        ("Fix crash in gpu_model_runner.py", set()),
    ],
)
def test_topics_of_titles(title: str, topics: set[str]) -> None:
    assert topics_of(make_pr(title=title), RULES) == topics


def test_the_spelling_most_used_is_shown() -> None:
    titles = ["Gemma 4 tools", "[Gemma4] A", "[Gemma4] B"]
    assert shown("gemma4", [make_pr(title=title) for title in titles], RULES) == "Gemma4"


@given(st.text(max_size=100))
def test_any_title_has_topics(title: str) -> None:
    one = make_pr(title=title)
    for topic in topics_of(one, RULES):
        assert shown(topic, [one], RULES)
