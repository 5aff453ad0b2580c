"""Questions: what is meant, and what bears on it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.search.rank import Candidate, rank
from bot.search.understand import Question, understand
from bot.text import terms

CATEGORIES = ("核心路径变更", "缺少测试覆盖")


def understood(text: str) -> Question:
    return understand(text, terms()["tag"], CATEGORIES)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("#39182 有什么风险？", (39182,)),
        ("PR 12 和 ＃１３ 呢", (12, 13)),
        ("看看 https://github.com/acme/engine/pull/77/files#diff", (77,)),
        ("39205 风险大吗", (39205,)),
        ("合入了 179 个 PR 吗", ()),
        ("v1.2 里有什么", ()),
        ("#0 呢", ()),
    ],
)
def test_numbers(text: str, numbers: tuple[int, ...]) -> None:
    assert understood(text).numbers == numbers


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("看下scheduler.py", ("scheduler.py",)),
        ("engine/core/loop.rs 谁改的？", ("engine/core/loop.rs",)),
        ("升级到 1.2.3 了吗", ()),
    ],
)
def test_files(text: str, files: tuple[str, ...]) -> None:
    assert understood(text).files == files


def test_identifiers_glued_to_chinese_are_found() -> None:
    assert understood("修了MLA的bug吗").words == ("mla", "bug")
    assert {"nvfp4linearkernel", "linear", "kernel"} <= set(understood("NvFp4LinearKernel改了什么").words)


def test_chinese_terms_are_tags_and_categories() -> None:
    assert {"quantization", "refactor"} <= set(understood("量化重构影响哪些 PR").tags)
    assert understood("哪些缺少测试覆盖").categories == ("缺少测试覆盖",)


def candidate(number: int, title: str, **changes: object) -> Candidate:
    values: dict[str, object] = {"tags": (), "categories": (), "files": (), "importance": 5.0} | changes
    return Candidate(number, title, **values)  # type: ignore[arg-type]


def test_rare_words_weigh_more_and_files_most() -> None:
    candidates = [
        candidate(1, "Fix the scheduler"),
        candidate(2, "Fix the scheduler preemption"),
        candidate(3, "Fix docs"),
        candidate(4, "Rework", files=("engine/scheduler.py",)),
    ]
    assert [hit.number for hit in rank(understood("scheduler preemption"), candidates)] == [2, 1]
    assert [hit.number for hit in rank(understood("scheduler.py 谁改的"), candidates)] == [4]


def test_nothing_that_bears_on_it_is_an_empty_answer() -> None:
    assert rank(understood("kubernetes operator"), [candidate(1, "Fix the scheduler")]) == []


def test_ties_go_to_the_more_important_then_the_lower_number() -> None:
    candidates = [candidate(3, "Cache"), candidate(2, "Cache"), candidate(1, "Cache", importance=4.0)]
    assert [hit.number for hit in rank(understood("cache"), candidates)] == [2, 3, 1]


@given(st.text(max_size=300))
def test_any_text_is_understood_somehow(text: str) -> None:
    question = understood(text)
    assert all(number > 0 for number in question.numbers)
    rank(question, [candidate(1, text)])


def test_a_question_about_a_risk_is_answered_by_that_risk_alone() -> None:
    asked = understood("哪些 PR 缺少测试覆盖？")
    assert asked.tags == ()
    candidates = [
        candidate(1, "Rework", categories=("缺少测试覆盖",)),
        candidate(2, "Add tests", tags=("test",)),
        candidate(3, "Rework the core", categories=("核心路径变更",)),
    ]
    assert [hit.number for hit in rank(asked, candidates)] == [1]
