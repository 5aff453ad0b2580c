"""The grammar of chat commands: what is understood, what is a problem, and what is left alone."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.commands import (
    ALL_WORDS,
    COMMANDS,
    OPTIONS,
    WEEK_WORDS,
    Command,
    CommandProblem,
    ParsedCommand,
    is_command,
    normalised,
    parse,
)

CATEGORIES = ("核心路径变更", "缺少测试覆盖", "外部依赖", "CI／CD（流水线）")


def command(
    name: str, *arguments: str, repo: str | None = None, week: str | None = None, share: bool = False
) -> object:
    return ParsedCommand(name, arguments, repo, week, share)


def problem(text: str, configured: str = "/digest") -> CommandProblem:
    with pytest.raises(CommandProblem) as caught:
        parse(text, configured)
    return caught.value


def outcome(text: str, configured: str = "/digest") -> object:
    try:
        return parse(text, configured)
    except CommandProblem as found:
        return found.code, dict(found.values)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", command("help")),
        ("top", command("top")),
        ("top 10", command("top", "10")),
        ("top all", command("top", "all")),
        ("risks", command("risks")),
        ("risks 核心路径变更", command("risks", "核心路径变更")),
        ("hot 5", command("hot", "5")),
        ("pr 39205 39206", command("pr", "39205", "39206")),
        ("score 39205", command("score", "39205")),
        ("week 2026-W14", command("week", "2026-W14")),
        ("week 上周", command("week", "上周")),
        ("week 04-06", command("week", "04-06")),
        ("since v0.19.0", command("since", "v0.19.0")),
        ("status", command("status")),
        ("subscribe", command("subscribe")),
        ("unsubscribe", command("unsubscribe")),
        ("preview", command("preview")),
        ("top 3 repo=acme/engine week=04-06 share", command("top", "3", repo="acme/engine", week="04-06", share=True)),
    ],
)
def test_the_contract_is_understood_with_and_without_the_slash_command(text: str, expected: ParsedCommand) -> None:
    assert parse(text) == expected
    assert parse(f"/digest {text}") == expected
    assert parse(f"/weekly {text}", "/weekly") == expected
    assert parse(text.upper().replace("ACME/ENGINE", "acme/engine").replace("V0.19.0", "v0.19.0")) == expected


@pytest.mark.parametrize(
    ("text", "expected", "said"),
    [
        ("wrong", command("wrong"), ""),
        ("有误", command("wrong"), ""),
        ("有误 #12", command("wrong", "12"), ""),
        ("有误#12 标签“错”了。", command("wrong", "12"), "标签“错”了。"),
        ("报错 PR 12，数字不对", command("wrong", "12"), "数字不对"),
        ("报错 PR 12 数字不对，应为 max=5", command("wrong", "12"), "数字不对，应为 max=5"),
        ("wrong 12 repo=acme/engine", command("wrong", "12", repo="acme/engine"), ""),
        ("wrong 12 repo=acme/engine it is --not so", command("wrong", "12", repo="acme/engine"), "it is --not so"),
        ("wrong https://github.com/acme/engine/pull/7 上周 的", command("wrong", "7", repo="acme/engine"), "上周 的"),
        ("有误：图表的标题", command("wrong"), "图表的标题"),
        ("更正：#12 的作者是「甲」，不是乙。", command("correct"), "#12 的作者是「甲」，不是乙。"),
        ("correct Shown   twice, share and all", command("correct"), "Shown twice, share and all"),
    ],
)
def test_free_text_stays_as_it_was_typed(text: str, expected: ParsedCommand, said: str) -> None:
    for typed in (text, f"/digest {text}", f"／ｄｉｇｅｓｔ　{text}"):
        assert parse(typed) == expected
        assert parse(typed).text == said


def test_free_text_is_a_command_only_where_it_was_said_to_the_bot() -> None:
    for text in ("有误", "有误 图表的标题", "更正：作者是甲。", "wrong again", "correct me if this is not so\nplease"):
        assert is_command(text, addressed=True)
        assert not is_command(text)
        assert is_command(f"/digest {text}".partition("\n")[0])
    assert is_command("有误 #12 作者错了")
    assert not is_command("有误吧", addressed=True)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("subscribe", ()),
        ("订阅 acme/engine", ("acme/engine",)),
        ("订阅 acme/engine、console 周二 18:30", ("acme/engine", "console", "tuesday", "18:30")),
        ("subscribe engine monday at 9:00", ("engine", "monday", "09:00")),
        ("订阅 每周五 下午3点半 engine", ("engine", "friday", "15:30")),
        ("订阅 周日9点", ("sunday", "09:00")),
        ("订阅 星期天 ２１：０５", ("sunday", "21:05")),
        ("取消订阅", ()),
        ("退订 engine", ("engine",)),
        ("unsubscribe all", ("all",)),
    ],
)
def test_subscriptions_are_put_in_one_order(text: str, arguments: tuple[str, ...]) -> None:
    assert parse(text).arguments == arguments


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_every_name_and_synonym_of_the_table_means_its_command(row: Command) -> None:
    needed = {"pr": " 7", "score": " 7", "since": " v1", "release": " 7", "correct": " x"}
    for name in (row.name, *row.synonyms):
        assert parse(f"/digest {name}{needed.get(row.name, '')}").name == row.name


def test_no_word_of_the_table_has_two_meanings() -> None:
    for rows in (COMMANDS, OPTIONS):
        words = [word for row in rows for word in (row.name, *row.synonyms)]
        assert len(words) == len(set(words))
        assert all(word == normalised(word).casefold() for word in words if word != "?")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("帮助", command("help")),
        ("重点", command("top")),
        ("风险", command("risks")),
        ("热点", command("hot")),
        ("评分依据 39205", command("score", "39205")),
        ("上周", command("week", "上周")),
        ("公开 重点", command("top", share=True)),
        ("重点 公开", command("top", share=True)),
        ("评分 39205", command("score", "39205")),
        ("周报 04-06", command("week", "04-06")),
        ("周报", command("week", "上周")),
        ("上星期", command("week", "上周")),
        ("状态", command("status")),
        ("订阅", command("subscribe")),
        ("取消订阅", command("unsubscribe")),
        ("预览", command("preview")),
        ("重点 上周", command("top", week="上周")),
        ("上周的风险", command("risks", week="上周")),
        ("风险 2026-W14", command("risks", week="2026-W14")),
        ("仓库=engine 风险", command("risks", repo="engine")),
        ("重点 全部", command("top", "all")),
        ("risk", command("risks")),
        ("hotfiles 3", command("hot", "3")),
        ("prs 1, 2", command("pr", "1", "2")),
        ("help risk", command("help", "risks")),
    ],
)
def test_chinese_names_and_synonyms(text: str, expected: ParsedCommand) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/digest pr “39205”", command("pr", "39205")),
        ("/digest pr ‘39205’", command("pr", "39205")),
        ("/digest", command("help")),
        ("/digest　top", command("top")),
        ("/digest pr ＃３９２０５", command("pr", "39205")),
        ("／ｄｉｇｅｓｔ ＴＯＰ １０", command("top", "10")),
        ("/Digest Top", command("top")),
        ("/digest重点", command("top")),
        ("/digest: top", command("top")),
        ("digest top", command("top")),
        ("/risks", command("risks")),
        ("/风险", command("risks")),
        ("、digest top", command("top")),
        ("、top", command("top")),
        ("，重点", command("top")),
        ("重点。", command("top")),
        ("h\u200bot\ufeff", command("hot")),
        ("\u202etop", command("top")),
        ("top\n10", command("top", "10")),
        ("repo：engine 风险", command("risks", repo="engine")),
        ("风险 repo＝engine", command("risks", repo="engine")),
        ("top repo= engine", command("top", repo="engine")),
        ("top repo = “engine” 5", command("top", "5", repo="engine")),
        ("top --repo acme/engine", command("top", repo="acme/engine")),
        ("top —share", command("top", share=True)),
        ("top “—share”", command("top", share=True)),
        ("week 04–06", command("week", "04-06")),
        ("week２０２６－Ｗ１４", command("week", "2026-W14")),
        ("week=04-06", command("week", "04-06")),
        ("04-06", command("week", "04-06")),
        ("2026-W14", command("week", "2026-W14")),
        ("？", command("help")),
    ],
)
def test_what_phones_and_input_methods_do_is_undone(text: str, expected: ParsedCommand) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("top10", command("top", "10")),
        ("topall", command("top", "all")),
        ("重点前10个", command("top", "10")),
        ("top 10 个 PR", command("top", "10")),
        ("pr39205", command("pr", "39205")),
        ("PR#39205", command("pr", "39205")),
        ("PR：39205", command("pr", "39205")),
        ("pr=39205", command("pr", "39205")),
        ("评分依据39205", command("score", "39205")),
        ("风险核心路径变更", command("risks", "核心路径变更")),
        ("风险：核心路径变更", command("risks", "核心路径变更")),
        ("风险security", command("risks", "security")),
        ("重点公开", command("top", share=True)),
        ("自v0.19.0", command("since", "v0.19.0")),
    ],
)
def test_glued_forms(text: str, expected: ParsedCommand) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#39205", command("pr", "39205")),
        ("39205", command("pr", "39205")),
        ("/39205", command("pr", "39205")),
        ("pr #1,#2、3；4 5和6", command("pr", "1", "2", "3", "4", "5", "6")),
        ("pr 1 & 2 and 1", command("pr", "1", "2")),
        ("pr PR # 007", command("pr", "7")),
        ("pr acme/engine#5", command("pr", "5", repo="acme/engine")),
        ("pr https://github.com/acme/engine/pull/39205", command("pr", "39205", repo="acme/engine")),
        ("https://github.com/acme/engine/pull/39205/files?w=1&a=b#diff-1", command("pr", "39205", repo="acme/engine")),
        ("pr <https://git.example.com/acme/engine/pull/7|https://x>", command("pr", "7", repo="acme/engine")),
        ("pr github.com/acme/engine/pull/7#issuecomment-1、8", command("pr", "7", "8", repo="acme/engine")),
        ("score https://github.com/acme/engine/pull/7 repo=engine", command("score", "7", repo="acme/engine")),
        ("top repo=https://github.com/acme/engine/pulls", command("top", repo="acme/engine")),
    ],
)
def test_pull_requests_are_named_in_many_ways(text: str, expected: ParsedCommand) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        ("what is new", "unknown_command", {"given": "what", "nearest": "", "suggestion": ""}),
        ("xyzzy", "unknown_command", {"given": "xyzzy", "nearest": "", "suggestion": ""}),
        ("top 0", "bad_number", {"given": "0", "command": "top"}),
        ("top -3", "bad_number", {"given": "-3"}),
        ("top-3", "bad_number", {"given": "-3"}),
        ("top −3", "bad_number", {"given": "−3"}),
        ("top 3.5", "bad_number", {"given": "3.5"}),
        ("hot all", "bad_number", {"given": "all"}),
        ("top of the list", "bad_number", {"given": "of"}),
        ("pr 2147483648", "bad_number", {"given": "2147483648", "command": "pr"}),
        ("pr 1" + "0" * 30, "bad_number", {"command": "pr"}),
        ("pr ٣٩", "bad_number", {"given": "٣٩"}),
        ("pr 39205 怎么样", "bad_number", {"given": "怎么样"}),
        ("top 10 20", "unexpected_argument", {"given": "20", "command": "top"}),
        ("score 1 2", "unexpected_argument", {"given": "2", "command": "score"}),
        ("since v1 v2", "unexpected_argument", {"given": "v2"}),
        ("week 04-06 week=04-13", "unexpected_argument", {"given": "04-13"}),
        ("status now", "unexpected_argument", {"given": "now"}),
        ("subscribe 周一 周二", "unexpected_argument", {"given": "tuesday"}),
        ("subscribe 25:00", "unexpected_argument", {"given": "25:00"}),
        ("订阅 一切", "unexpected_argument", {"given": "一切"}),
        ("unsubscribe all engine", "unexpected_argument", {"given": "engine"}),
        ("release", "missing_argument", {"of": "release", "usage": "N"}),
        ("更正", "missing_argument", {"of": "correct", "usage": "TEXT"}),
        ("wrong #0", "bad_number", {"given": "0", "command": "wrong"}),
        ("top share=no", "unexpected_argument", {"given": "no", "command": "share"}),
        ("pr", "missing_argument", {"of": "pr", "usage": "N…"}),
        ("pr #", "missing_argument", {"of": "pr"}),
        ("score", "missing_argument", {"of": "score"}),
        ("since", "missing_argument", {"of": "since", "usage": "BASELINE"}),
        ("top repo=", "missing_argument", {"of": "repo="}),
        ("top --仓库", "missing_argument", {"of": "repo="}),
        ("top repo= week=04-06", "missing_argument", {"of": "repo=", "usage": "repo=OWNER/NAME"}),
        ("top rpo=engine", "unknown_option", {"given": "rpo", "nearest": "repo"}),
        ("top foo = 1", "unknown_option", {"given": "foo"}),
        ("top --verbose", "unknown_option", {"given": "verbose", "nearest": ""}),
        ("pr acme/engine#1 acme/other#2", "several_repositories", {"given": "acme/engine, acme/other"}),
        ("pr acme/engine#1 repo=other", "several_repositories", {"given": "acme/engine, other"}),
    ],
)
def test_problems_say_what_is_wrong(text: str, code: str, values: dict[str, str]) -> None:
    found = problem(text)
    assert found.code == code
    assert values.items() <= found.values.items()


@pytest.mark.parametrize(
    ("text", "nearest", "suggestion"),
    [
        ("tpo", "top", "top"),
        ("tpo 10 repo=engine share", "top", "top 10 repo=engine share"),
        ("tpo10", "top", "top 10"),
        ("rsik", "risks", "risks"),
        ("stauts", "status", "status"),
        ("scroe 39205", "score", "score 39205"),
        ("prr", "pr", ""),
        ("风脸", "风险", "风险"),
        ("帮组", "帮助", "帮助"),
        ("热电 5", "热点", "热点 5"),
        ("上州", "上周", "上周"),
        ("风险大吗", "风险", "风险"),
    ],
)
def test_a_typing_mistake_gets_the_nearest_command_as_a_suggestion(text: str, nearest: str, suggestion: str) -> None:
    found = problem(f"/digest {text}")
    assert (found.code, found.values["nearest"], found.values["suggestion"]) == ("unknown_command", nearest, suggestion)
    if suggestion:
        parse(suggestion)


def test_a_problem_quotes_no_more_than_a_line() -> None:
    assert len(problem("z" * 5000).values["given"]) == 60


def test_normalising_leaves_chinese_names_alone_and_makes_full_width_ones_comparable() -> None:
    for name in ("核心路径变更", "缺少测试覆盖", "外部依赖", "平台兼容性", "配置变更", "新模型集成", "依赖、构建"):
        assert parse(f"风险 {name}").arguments == (name,)
    assert parse("风险 CI／CD（流水线）").arguments == (normalised("CI／CD（流水线）"),)
    assert parse("风险 CI/CD(流水线)").arguments == (normalised("CI／CD（流水线）"),)


def test_a_slash_command_named_like_a_command_still_reaches_the_others() -> None:
    assert parse("/周报", "/周报") == command("help")
    assert parse("/周报 风险", "/周报") == command("risks")
    assert parse("周报", "/周报") == command("week", "上周")
    assert parse("/digest top", "/周报") == command("top")


@pytest.mark.parametrize(
    "text",
    [
        "风险",
        "hot",
        "Top 10",
        "top10",
        "pr 39205",
        "上周",
        "上周的风险",
        "week 04-06",
        "since v0.19.0",
        "风险 核心路径变更",
        "风险 ci/cd(流水线)",
        "/risks",
        "/digest",
        "/digest 风险大吗？",
        "digest top",
        "有误 #12",
        "订阅 acme/engine 周一 9:00",
        "重点 公开 repo=engine",
    ],
)
def test_a_line_that_is_a_command_alone(text: str) -> None:
    assert is_command(text, categories=CATEGORIES)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "风险大吗？",
        "风险大吗",
        "风险？",
        "风险 太大了",
        "风险 比较可控",
        "风险可控",
        "top of the list",
        "hot!",
        "hot topic",
        "risk is high",
        "risks it",
        "pr",
        "pr 39205 怎么样",
        "39205",
        "https://github.com/acme/engine/pull/39205",
        "help me",
        "since yesterday",
        "week one",
        "周报",
        "周报 不错",
        "share",
        "公开",
        "repo=engine",
        "digest",
        "digestion",
        "/digestion",
        "/tpo",
        "tpo",
        "上周的事",
        "04-06",
        "？",
        "收到",
        "谢谢",
        "有误",
        "报错了",
        "subscribe me to it",
        "订阅 me",
        "top\n风险大吗",
        "top\n10",
        "这个 top 10 哪里来的",
    ],
)
def test_a_line_that_is_not_surely_a_command(text: str) -> None:
    assert not is_command(text, categories=CATEGORIES)


def test_only_a_known_category_may_follow_risks_unaddressed() -> None:
    assert not is_command("风险 核心路径变更")
    assert is_command("风险核心路径变更", categories=CATEGORIES)


_WORDS = st.sampled_from(
    [
        *(word for row in (*COMMANDS, *OPTIONS) for word in (row.name, *row.synonyms)),
        *WEEK_WORDS,
        *ALL_WORDS,
        *("0", "7", "-3", "39205", "＃３９", "10个", "#1", "acme/e#2", "2026-W14", "04-06"),
        *("tpo", "风脸", "上州", "的", "吗", "/digest", "／", "、", "=", "：", "＝", "--", "—"),
        *("周一", "9点", "每周三18:00", "#12 repo=e", "，", "。"),
        *("“", "”", "'", "<", ">", "|", ".", "?"),
        "https://github.com/acme/engine/pull/5/files?a=b&c=d",
        "\u200b",
        "\u3000",
        "\n",
        "é",
        "e\u0301",
        "\ud800",
    ]
)
_TYPED = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(), max_size=20),
    st.lists(_WORDS, max_size=8).map(" ".join),
    st.lists(_WORDS, max_size=8).map("".join),
)


@given(_TYPED, st.one_of(st.just("/digest"), st.text(max_size=12), _WORDS))
@example("上州 " * 2000, "/digest")
@example("9" * 20_000, "/digest")
@example("= " * 5000, "/digest")
def test_any_text_is_a_command_or_a_problem_and_normalising_changes_nothing(text: str, configured: str) -> None:
    expected = outcome(text, configured)
    assert outcome(normalised(text), configured) == expected
    assert outcome(unicodedata.normalize("NFKC", text), configured) == expected
    assert normalised(normalised(text)) == normalised(text)
    assert isinstance(is_command(text, configured, categories=CATEGORIES), bool)


@given(_TYPED)
def test_what_comes_out_is_bounded_and_clean(text: str) -> None:
    try:
        parsed = parse(text)
    except CommandProblem as found:
        texts = list(found.values.values())
    else:
        texts = [*parsed.arguments, parsed.repository or "", parsed.week or ""]
        if parsed.name in {"pr", "score", "hot"}:
            assert all(1 <= int(number) < 2**31 for number in parsed.arguments)
    assert all(unicodedata.category(char) not in {"Cc", "Cf", "Cs"} for value in texts for char in value)


def _full_width(text: str) -> str:
    return "".join(
        "\u3000" if char == " " else chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text
    )


@given(st.lists(_WORDS, max_size=6).map(" ".join))
def test_full_width_typing_is_the_same_typing(text: str) -> None:
    assert outcome(_full_width(text)) == outcome(text)


@given(
    st.sampled_from([row for row in COMMANDS if row.kind in {"count", "numbers", "number"}]),
    st.integers(1, 2**31 - 1),
    st.sampled_from([None, "acme/engine", "engine"]),
    st.sampled_from([None, "上周", "2026-W14", "04-06"]),
    st.booleans(),
)
def test_what_is_written_by_the_notation_is_read_back(
    row: Command, number: int, repo: str | None, week: str | None, share: bool
) -> None:
    options = [f"repo={repo}"] * bool(repo) + [f"week={week}"] * bool(week) + ["share"] * share
    expected = command(row.name, str(number), repo=repo, week=week, share=share)
    assert parse(" ".join([row.name, str(number), *options])) == expected
    assert parse(" ".join([*options, f"{row.name}{number}"])) == expected
