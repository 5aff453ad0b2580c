"""The command line's contract: forms, keys and exit codes of `digest` and `command` on a clone."""

from __future__ import annotations

import pytest

from bot.commands import COMMANDS
from handlers import HANDLERS
from tests.cli import HOSTILE, WEEK, Done, at, engine, process, run
from tests.repositories import Repository

SECTIONS = ["执行摘要", "本周重点变化", "模块与主题趋势", "风险观察", "重点PR速览", "后续建议"]
ASKED = {  # a command of each handler -> the pull requests that its answer must cite
    "top": {11, 21, 23},
    "top 2": {11, 12},
    "top all": {24},
    "risks": {20, 23},
    "risks 外部依赖": {20},
    "hot": {11, 18, 23},
    "hot 1": {11},
    "pr 11 21": {11, 21},
    "score 23": {23},
    "week 2026-W03": {11},
    "since v1.0.0": {11, 31},
    "help": set(),
}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return engine(tmp_path_factory.mktemp("cli") / "engine")


@pytest.fixture(scope="module")
def digest(clone: Repository) -> Done:
    return process("digest", *at(clone), *WEEK, "--format", "json")


def ask(clone: Repository, text: str, *more: str) -> Done:
    return run("command", *at(clone), *WEEK, text, *more)


# The digest


def test_the_digest_as_json_has_the_keys_of_the_contract(digest: Done) -> None:
    assert digest.err == ""
    found = digest.json
    assert found["repository"] == "acme/engine"
    assert found["period"] == {
        "since": "2026-01-12T00:00:00+08:00",
        "until": "2026-01-19T00:00:00+08:00",
        "timezone": "Asia/Shanghai",
    }
    assert found["pull_requests"] == 13
    assert found["tags"][0] == {"tag": "bugfix", "count": 8}
    assert found["hot_files"][0]["path"] == "engine/core.py"
    assert found["hot_files"][0]["pull_requests"] == [11, 12, 13, 14, 15, 16, 17, 18, 23]
    assert {"category": "外部依赖", "pull_requests": [20]} in found["risks"]
    assert found["reverts"] == [{"number": 22, "reverts": 20}]
    assert found["previous"] == {"pull_requests": 8, "high_importance": 0}
    assert [section["title"] for section in found["sections"]] == SECTIONS
    assert all(section["text"] for section in found["sections"])
    assert found["other_branches"] == []
    assert found["verification"]["checked"] > 20
    assert found["verification"]["failed"] == 0
    assert {gap["kind"] for gap in found["incomplete"]} == {"unnumbered", "short-history", "no-reviews"}


def test_the_week_before_is_not_made_up(clone: Repository) -> None:
    done = run("digest", *at(clone), "--since", "2026-01-05", "--until", "2026-01-12", "--format", "json")
    assert done.json["pull_requests"] == 8
    assert done.json["previous"] is None  # the repository began within it


def test_the_ranking_lists_every_pull_request_once(digest: Done) -> None:
    ranking = digest.json["ranking"]
    assert sorted(row["number"] for row in ranking) == [*range(11, 19), *range(20, 25)]
    assert ranking == sorted(ranking, key=lambda row: (-row["importance"], row["number"]))
    assert digest.json["high_importance"] == sum(row["importance"] >= 6.0 for row in ranking)
    mean = sum(row["importance"] for row in ranking) / len(ranking)
    assert digest.json["average_importance"] == pytest.approx(mean, abs=0.0051)


def test_key_pull_requests_and_findings_carry_what_a_reader_needs(digest: Done) -> None:
    card = digest.json["key_pull_requests"][0]
    assert card["url"] == f"https://github.com/acme/engine/pull/{card['number']}"
    assert set(card) >= {"number", "title", "url", "author", "importance", "reasons", "tags", "risks", "summary"}
    finding = next(each for each in digest.json["findings"] if each["kind"] == "reverted")
    assert finding["pull_requests"] == [20, 22]
    assert set(finding) >= {"kind", "text", "pull_requests", "files"}


def test_text_and_markdown_tell_the_same(clone: Repository, digest: Done) -> None:
    text = run("digest", *at(clone), *WEEK)
    markdown = run("digest", *at(clone), *WEEK, "--format", "markdown")
    assert (text.code, text.err, markdown.code, markdown.err) == (0, "", 0, "")
    places = [text.out.index(f"\n{title}\n---") for title in SECTIONS]
    assert places == sorted(places)
    places = [markdown.out.index(f"\n## {title}\n") for title in SECTIONS]
    assert places == sorted(places)
    assert "合入 13 个 PR" in text.out
    assert "[#20](https://github.com/acme/engine/pull/20)" in markdown.out
    for section in digest.json["sections"]:
        assert section["text"].partition("\n")[0] in text.out


def test_the_zone_moves_the_ends_of_the_week(clone: Repository) -> None:
    found = run("digest", *at(clone), *WEEK, "--timezone", "UTC", "--format", "json").json
    assert found["period"] == {
        "since": "2026-01-12T00:00:00+00:00",
        "until": "2026-01-19T00:00:00+00:00",
        "timezone": "UTC",
    }
    # 11 to 14 and 31 were merged in the small hours of a Monday in Shanghai: that is Sunday evening in UTC.
    assert {row["number"] for row in found["ranking"]} == {15, 16, 17, 18, 20, 21, 22, 23, 24, 31}


def test_the_last_whole_week_is_the_default_and_an_old_clone_says_so(clone: Repository) -> None:
    found = run("digest", *at(clone), "--format", "json").json
    assert found["pull_requests"] == 0
    assert "stale" in {gap["kind"] for gap in found["incomplete"]}
    assert "资料只到 01-19" in run("digest", *at(clone)).out


# Commands


@pytest.mark.parametrize("text", ASKED)
def test_a_command_answers_in_every_form(clone: Repository, text: str) -> None:
    for typed in (text, f"/digest {text}"):
        found = ask(clone, typed, "--format", "json").json
        assert set(found) == {"text", "pull_requests", "files", "answered"}
        assert found["answered"] is True
        assert found["text"]
        assert ASKED[text] <= set(found["pull_requests"])
        for number in found["pull_requests"]:
            assert f"#{number}" in found["text"]
        for path in found["files"]:
            assert path in found["text"]
    plain, markdown = ask(clone, text), ask(clone, text, "--format", "markdown")
    assert (plain.code, plain.err, plain.out) == (0, "", f"{found['text']}\n")
    assert (markdown.code, markdown.err) == (0, "")
    assert markdown.out.strip()


def test_every_handler_is_asked_above() -> None:
    everyone = {row.name for row in COMMANDS if not (row.for_admins or row.of_channel)}
    assert {text.split()[0] for text in ASKED} == everyone & set(HANDLERS)


def test_hot_cites_its_files(clone: Repository) -> None:
    assert ask(clone, "hot", "--format", "json").json["files"] == ["engine/core.py", "requirements.txt"]


def test_the_counts_of_risks_are_those_of_the_digest(clone: Repository, digest: Done) -> None:
    text = ask(clone, "risks").out
    for risk in digest.json["risks"]:
        assert f"{risk['category']} {len(risk['pull_requests'])} 个" in text


@pytest.mark.parametrize("text", ["pr 999", "score 999", "pr 999 1000"])
def test_a_number_that_does_not_exist_is_said_to_be_so(clone: Repository, text: str) -> None:
    found = ask(clone, text, "--format", "json").json
    assert found["answered"] is False
    assert found["text"].startswith("没有找到 #")


@pytest.mark.parametrize(("number", "day"), [(1, "2026-01-05"), (31, "2026-01-19")])
def test_a_number_outside_the_period_is_answered_and_said_to_be_so(clone: Repository, number: int, day: str) -> None:
    found = ask(clone, f"pr {number}", "--format", "json").json
    assert found["answered"] is True
    assert f"{day} 合入（不在 2026-01-12～01-18 之内）" in found["text"]
    assert "重要性" in found["text"]
    assert ask(clone, f"score {number}", "--format", "json").json["answered"] is True


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tpo", "是不是想输入 /digest top"),
        ("risks 天气", "没有「天气」这类风险，可选：核心路径变更"),
        ("pr", "后面还缺内容"),
        ("top 0", "不是可用的数字"),
        ("top 99999999999999999999999999", "不是可用的数字"),
        ("score 99999999999999999999999999", "不是可用的数字"),
        ("pr 4294967296", "不是可用的数字"),
        ("since v9", "没有名为「v9」的发布标签。最近的标签：v1.0.0"),
        ("week 2090-W01", "还没有开始"),
        ("week abc", "不是认得的周"),
        ("top repo=acme/other", "这里没有「acme/other」这个仓库"),
        ("top colour=red", "没有「colour」这个选项"),
        ("\x1b[31m", "help"),
        ("\udcff", "help"),
    ],
)
def test_what_cannot_be_answered_is_said_in_chinese(clone: Repository, text: str, said: str) -> None:
    found = ask(clone, text, "--format", "json")
    assert said in found.json["text"]
    assert found.err == ""
    assert found.json["answered"] is (text == "\udcff")  # of which nothing is left: that is a call for help


def test_hostile_titles_do_nothing(clone: Repository, digest: Done) -> None:
    title = next(card["title"] for card in digest.json["key_pull_requests"] if card["number"] == 11)
    assert title == HOSTILE
    for done in (ask(clone, "pr 11"), ask(clone, "top"), run("digest", *at(clone), *WEEK)):
        assert "#11" in done.out
        assert not {"\x1b", "\u202e", "\x07"} & set(done.out)
    markdown = ask(clone, "pr 11", "--format", "markdown").out
    assert r"\*\*x\*\*" in markdown
    assert "[z](http" not in markdown


# Help


def test_help_is_printed_and_names_every_command() -> None:
    for arguments in (("--help",), ()):
        done = process(*arguments)
        assert (done.code, done.err) == (0, "")
        assert all(f"\n  {name} " in done.out for name in ("digest", "command", "sync", "db"))
