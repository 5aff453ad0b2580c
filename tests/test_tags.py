"""Tags: the title's words, or at least half of the changed files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.analysis import rules
from bot.analysis.tags import change_type, tags_of
from tests.factories import make_pr

RULES = rules.load()


@pytest.mark.parametrize(
    ("title", "tag"),
    [
        ("[Bugfix] Wrong stride in the cache", "bugfix"),
        ("fix(api): reject empty bodies", "bugfix"),
        ("修复 空响应", "bugfix"),
        ("Quantize activations to FP8", "quantization"),
        ("[ROCm] Tune the GEMM", "rocm"),
        ("Speed up tokenization", "performance"),
        ("Bump torch from 2.9 to 2.10", "dependencies"),
        ("chore(deps): bump the actions group", "dependencies"),
        ("docs: how to start", "docs"),
        ("[CI] Retry flaky uploads", "ci"),
        ('Revert "Add a cache"', "revert"),
        ("Remove the old scheduler", "removal"),
        ("Add support for streaming", "feature"),
    ],
)
def test_titles(title: str, tag: str) -> None:
    assert tag in tags_of(make_pr(title=title), RULES)


@pytest.mark.parametrize(
    ("title", "tag"),
    [
        ("Prefix caching for encoders", "bugfix"),
        ("Precise timing of decoding", "ci"),
        ("Address the new layout", "feature-less"),
        ("Describe the amended contract", "rocm"),
        ("Improve the apiary", "api"),
    ],
)
def test_words_inside_words_say_nothing(title: str, tag: str) -> None:
    assert tag not in tags_of(make_pr(title=title), RULES)


def test_half_of_the_files_say_it() -> None:
    half = make_pr(title="Tune", files={"engine/quantization/a.py": (9, 1), "engine/b.py": (9, 1)})
    third = make_pr(
        title="Tune", files={"engine/quantization/a.py": (9, 1), "engine/b.py": (9, 1), "engine/c.py": (9, 1)}
    )
    assert "quantization" in tags_of(half, RULES)
    assert "quantization" not in tags_of(third, RULES)


def test_a_revert_is_no_fix_and_no_feature() -> None:
    tags = tags_of(make_pr(title='Revert "[Bugfix] Add support for streaming"'), RULES)
    assert "revert" in tags
    assert not {"bugfix", "feature"} & set(tags)


def test_a_quiet_type_needs_the_title_beside_source() -> None:
    half_tests = {"engine/a.py": (90, 1), "tests/test_a.py": (90, 1)}
    tags = tags_of(make_pr(title="Add a kernel", files=half_tests), RULES)
    assert "test" in tags
    assert change_type("Add a kernel", tags, RULES, has_source=True) == "feature"
    assert change_type("Add a kernel", ("test", "feature"), RULES, has_source=False) == "test"


@given(st.text(max_size=80))
def test_any_title_has_tags_of_the_rules(title: str) -> None:
    assert set(tags_of(make_pr(title=title), RULES)) <= {rule.name for rule in RULES.tags}
