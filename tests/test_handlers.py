"""Handlers over a store: what each answers, what it cites, and what it says when there is nothing to say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.analysis import assess, rules
from bot.commands import COMMANDS
from bot.dispatch import Answer, Context, Subject, answer
from bot.models import Assessment, PullRequest, Reading, Release
from bot.rendering.plain import to_plain
from bot.store.store import Store
from bot.text import Wording
from handlers import HANDLERS
from tests.factories import PERIOD, WEDNESDAY, make_assessment, make_pr

NAME = "acme/engine"
NOW = PERIOD.until + timedelta(hours=9)
RULES = rules.load()


def subject(name: str = NAME) -> Subject:
    return Subject(name, Reading(), RULES, Wording(lambda number: f"https://github.example/{name}/pull/{number}"))


def context(*pull_requests: PullRequest, judged: Iterable[Assessment] | None = None) -> Context:
    """A store that holds these, covers 14 weeks, and has them assessed: as `judged` says, or by the default rules."""
    store = Store.in_memory()
    since = PERIOD.before(14).since
    store.save_history(NAME, pull_requests)
    found = assess.assess(store.pull_requests(NAME, since, NOW), RULES, since) if pull_requests else ()
    store.save_assessments(NAME, found if judged is None else judged)
    store.mark_covered(NAME, since, NOW, source="clone", synced_at=NOW)
    return Context(store, {NAME: subject()}, PERIOD, NOW)


def ask(where: Context, text: str) -> Answer:
    return answer(where, text, HANDLERS)


def said(where: Context, text: str) -> str:
    return to_plain(ask(where, text).message)


@pytest.fixture(scope="module")
def busy() -> Iterator[Context]:
    """Twelve pull requests of rising importance, the lower number first where they are equal."""
    prs = [
        make_pr(number, f"Add part {number}", files={f"engine/part_{number}.py": (10 * number, 0)})
        for number in range(1, 13)
    ]
    judged = [make_assessment(number, 3.0 + number // 2) for number in range(1, 13)]
    made = context(*prs, judged=judged)
    yield made
    made.store.close()


# top


def test_top_is_by_importance_and_then_by_number(busy: Context) -> None:
    assert ask(busy, "top").pull_requests == (12, 10, 11, 8, 9, 6, 7, 4, 5, 2)
    assert ask(busy, "top 3").pull_requests == (12, 10, 11)
    assert ask(busy, "top all").pull_requests == (12, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 1)
    assert len(ask(busy, "top 100").pull_requests) == 12


def test_top_says_how_many_more_there_are(busy: Context) -> None:
    assert "合入 12 个" in said(busy, "top")
    assert "另有 2 个" in said(busy, "top")
    assert "另有" not in said(busy, "top all")


def test_a_week_without_pull_requests_is_a_plain_answer() -> None:
    quiet = context()
    for text in ("top", "risks", "hot", "week 2026-W10"):
        assert ask(quiet, text).answered, text
        assert ask(quiet, text).pull_requests == ()
        assert said(quiet, text)


# risks


def test_risks_show_the_first_of_each_category_and_one_category_whole() -> None:
    prs = [make_pr(number, f"Bump part {number}", files={"requirements.txt": (1, 1)}) for number in range(1, 9)]
    where = context(*prs)
    short, whole = ask(where, "risks"), ask(where, "risks 依赖")
    assert len(short.pull_requests) == 5
    assert "外部依赖 8 个" in to_plain(short.message)
    assert "另有 3 个" in to_plain(short.message)
    assert set(whole.pull_requests) == set(range(1, 9))


@pytest.mark.parametrize("category", ["天气", "变", "外部依赖x"])
def test_a_category_that_is_none_or_several_is_answered_with_the_list(busy: Context, category: str) -> None:
    found = ask(busy, f"risks {category}")
    assert not found.answered
    assert "可选：核心路径变更、" in to_plain(found.message)


# hot


def test_hot_counts_pull_requests_and_lines_and_sets_list_like_files_apart() -> None:
    files = {"engine/core.py": (5, 2), "poetry.lock": (90, 90)}
    where = context(
        *(make_pr(number, files=files) for number in (1, 2, 3)), make_pr(4, files={"engine/once.py": (1, 1)})
    )
    text = said(where, "hot")
    assert "engine/core.py：3 个 PR，21 行" in text
    assert ask(where, "hot").files == ("engine/core.py",)
    assert "once.py" not in text


# pr and score


def test_pr_shows_a_card_for_each_number_once(busy: Context) -> None:
    found = ask(busy, "pr 3 7 3")
    assert found.pull_requests == (3, 7)
    assert found.files == ("engine/part_3.py", "engine/part_7.py")


def test_one_unknown_among_several_is_said_and_the_others_are_answered(busy: Context) -> None:
    found = ask(busy, "pr 3 999")
    assert found.answered
    assert "没有找到 #999" in to_plain(found.message)
    assert not ask(busy, "pr 999").answered


def test_pr_tells_what_became_of_it() -> None:
    where = context(make_pr(1, "Add the cache"), make_pr(2, 'Revert "Add the cache" (#1)'))
    where.store.save_releases(NAME, [Release("v1.0.0", NOW, WEDNESDAY + timedelta(minutes=1))])
    assert "后来被 #2 回滚" in said(where, "pr 1")
    assert "已进入 v1.0.0" in said(where, "pr 1")
    assert "仅在主干" in said(where, "pr 2")


def test_pr_names_another_branch_a_bot_and_a_clone_without_contents() -> None:
    where = context(
        make_pr(1, base="release/1.x", files={"a.py": (1, 1)}),
        make_pr(2, author="helper[bot]", author_kind="bot", counted=False, files={"a.py": (0, 0)}),
    )
    assert "合入 release/1.x 分支" in said(where, "pr 1")
    assert "（机器人）" in said(where, "pr 2")
    assert "行数不可得" in said(where, "pr 2")


def test_score_adds_up_its_terms_in_words() -> None:
    where = context(make_pr(1, "[Bugfix] Fix the crash at startup", files={"engine/core.py": (300, 20)}))
    assert "重要性" in said(where, "score 1")
    assert "修复严重问题" in said(where, "score 1")
    assert "+" in said(where, "score 1")


def test_score_tells_what_is_not_stored_from_what_is_not_assessed(busy: Context) -> None:
    old = context(make_pr(1, merged_at=PERIOD.before(3).since), judged=())
    assert not ask(old, "score 1").answered
    assert "还没有评分" in said(old, "score 1")
    assert "没有找到 #999" in said(busy, "score 999")


# week and since


def test_week_is_the_whole_digest_of_that_week(busy: Context) -> None:
    text = said(replace(busy, period=PERIOD.before()), "week 2026-W10")
    assert "03-02～03-08" in text
    assert "合入 12 个 PR" in text
    assert "执行摘要" in text
    assert "后续建议" in text


def test_since_leaves_out_what_the_release_holds() -> None:
    where = context(*(make_pr(number, merged_at=WEDNESDAY + timedelta(hours=number)) for number in (1, 2, 3, 4)))
    cut = WEDNESDAY + timedelta(hours=2)
    where.store.save_releases(NAME, [Release("v1.0.0", NOW, cut, picks=frozenset({4}))])
    for baseline in ("v1.0.0", "1.0.0"):
        assert ask(where, f"since {baseline}").pull_requests == (3,)
    assert "v1.0.0" in said(where, "since v2")


def test_since_a_release_older_than_what_is_stored() -> None:
    where = context(make_pr(1))
    old = datetime(2020, 1, 1, tzinfo=UTC)
    where.store.save_releases(NAME, [Release("v0.1", old, old), Release("v0.2", old, None)])
    for baseline in ("v0.1", "v0.2"):
        assert not ask(where, f"since {baseline}").answered
        assert "还没有同步完" in said(where, f"since {baseline}")


# What is stored, and until when


def test_a_period_that_is_not_stored_is_not_answered_with_nothing(busy: Context) -> None:
    for text in ("top", "risks", "hot", "week 2025-W01"):
        found = ask(busy, text if text.startswith("week") else f"{text} week=2025-W01")
        assert not found.answered
        assert "还没有同步完" in to_plain(found.message)


def test_a_period_that_is_not_assessed_is_not_answered_with_half() -> None:
    where = context(make_pr(1), make_pr(2), judged=[make_assessment(1)])
    for text in ("top", "risks", "week 2026-W10"):
        assert "还没有同步完" in said(where, text)


def test_a_repository_that_begins_within_the_period_lacks_nothing() -> None:
    store = Store.in_memory()
    store.save_history(NAME, [make_pr(1)])
    store.save_assessments(NAME, [make_assessment(1)])
    store.mark_covered(NAME, WEDNESDAY, NOW, source="clone", synced_at=NOW)
    where = Context(store, {NAME: subject()}, PERIOD, NOW)
    assert not ask(where, "top").answered
    assert ask(replace(where, begins_at=WEDNESDAY), "top").pull_requests == (1,)
    before = replace(where, begins_at=WEDNESDAY, period=PERIOD.before())
    assert ask(before, "top").answered


def test_an_answer_from_an_old_clone_says_until_when_it_holds(busy: Context) -> None:
    old = replace(busy, fresh_until=WEDNESDAY)
    for text in ("top", "risks", "hot", "pr 3", "pr 999", "week 2026-W10"):
        assert "资料截至 03-04 20:00" in said(old, text), text
    assert "资料截至" not in said(replace(busy, fresh_until=PERIOD.until), "top")


# Several repositories


def test_help_needs_no_repository_and_lists_what_can_be_asked_here(busy: Context) -> None:
    two = replace(busy, subjects={NAME: subject(), "acme/console": subject("acme/console")}, command="/周报")
    found = ask(two, "help")
    assert found.answered
    text = to_plain(found.message)
    for row in COMMANDS:
        assert (f"/周报 {row.name}" in text) == (row.name in HANDLERS and not row.for_admins)
    assert "acme/console" in text
    assert "请用 repo= 指明" in said(two, "top")
    assert ask(two, "top repo=ENGINE").answered


def test_a_command_that_is_not_there_is_said_to_be_so(busy: Context) -> None:
    found = answer(busy, "status", {})
    assert not found.answered
    assert "status 在这里还不能用" in to_plain(found.message)


@given(
    st.one_of(
        st.text(max_size=60),
        st.builds(
            " ".join,
            st.lists(
                st.sampled_from(
                    [
                        *(row.name for row in COMMANDS),
                        "#3",
                        "3",
                        "week=上周",
                        "repo=engine",
                        "all",
                        "风险",
                        "9" * 30,
                        "-1",
                        "share",
                    ]
                ),
                max_size=4,
            ),
        ),
    )
)
def test_whatever_is_typed_gets_an_answer(busy: Context, text: str) -> None:
    found = ask(busy, text)
    assert to_plain(found.message)
    assert not {"\x1b", "\u202e"} & set(to_plain(found.message))
