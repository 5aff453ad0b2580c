"""Tables and charts for Slack: native where Slack takes them, told where it does not, and nothing lost."""

from __future__ import annotations

import math

import pytest

from bot.message import Chart, Heading, Message, Table, Text
from bot.platforms.slack.render import payloads
from tests.doubles.slack import live, shown, violations
from tests.slack_payloads import URL, fallback_of, kinds, only, prose, ref, sent

PATHS = (
    "engine/layers/linear/__init__.py",
    "engine/layers/rotary/linear/__init__.py",
    "engine/worker/model_runner.py",
    "setup.py",
)


def test_each_table_has_a_message_of_its_own() -> None:
    table = Table((prose("名"),), ((prose("a"),),))
    parts = payloads(Message((Heading(prose("表")), table, Text(prose("中")), table, Text(prose("尾")))))
    assert [kinds(part) for part in parts] == [["header", "table", "rich_text"], ["table", "rich_text"]]


def test_a_long_table_repeats_its_header() -> None:
    rows = tuple((prose(f"行 {place}"), prose(f"{place}"), prose(ref(place))) for place in range(250))
    parts = payloads(Message((Table((prose("名"), prose("数"), prose("例")), rows),)))
    names = []
    for part in parts:
        (table,) = part.blocks
        assert violations(sent(part)) == []
        assert shown({"blocks": [{"type": "table", "rows": table["rows"][:1]}]}).split() == ["名", "数", "例"]
        names += [shown({"blocks": [row[0]]}) for row in table["rows"][1:]]
    assert names == [f"行 {place}" for place in range(250)]
    assert [url for part in parts for url in part.cites] == [f"{URL}{place}" for place in range(250)]


def test_figures_stand_to_the_right_and_words_are_wrapped() -> None:
    rows = ((prose("甲"), prose("1,204"), prose("−3.5%"), prose(ref(1))), (prose("乙"), prose("9"), (), prose("")))
    table = only(Message((Table(tuple(prose(name) for name in "名今增例"), rows),))).blocks[0]
    right, wrapped = {"align": "right"}, {"is_wrapped": True}
    assert table["column_settings"] == [wrapped, right, right, wrapped]


@pytest.mark.parametrize(
    "table",
    [
        Table(tuple(prose(f"列{place}") for place in range(21)), (tuple(prose(f"{place}") for place in range(21)),)),
        Table((prose("名"), prose("文")), ((prose("甲"), prose("字" * 6000)),)),
        Table((prose("名"), prose("文")), ()),
    ],
)
def test_a_table_that_slack_would_refuse_is_told(table: Table) -> None:
    parts = payloads(Message((table,)))
    text = "".join(shown(sent(part)) for part in parts)
    for row in (table.header, *table.rows):
        for cell in row:
            assert "".join(span.text for span in cell)[:50] in text
    assert {kind for part in parts for kind in kinds(part)} == {"rich_text"}


def test_the_fallback_says_the_same_without_native_blocks() -> None:
    rows = ((prose("甲"), prose("3"), prose(ref(1))), (prose("乙"), (), prose(ref(2))))
    chart = Chart("合入", "bar", ("02-23", "03-02"), (("PR", (198.0, 99.5)),))
    payload = only(Message((Table((prose("名"), prose("本周"), prose("例")), rows), chart)))
    assert kinds(payload) == ["table", "data_visualization"]
    assert shown(fallback_of(payload)).splitlines() == [
        "名",
        "甲 · 本周 3 · 例 #1",
        "乙 · 例 #2",
        "合入 · PR",
        "02-23：198",
        "03-02：99.5",
    ]
    assert live(fallback_of(payload)) == live(sent(payload))
    assert only(Message((Text(prose("无")),))).fallback is None


def test_the_fallback_is_within_the_limits_too() -> None:
    """The names of the columns stand in every row of it."""
    rows = tuple((prose(f"{place}"), prose("1")) for place in range(90))
    parts = payloads(Message((Table((prose("名"), prose("很长的列名" * 40)), rows),)))
    assert len(parts) > 1
    for part in parts:
        assert violations(fallback_of(part), total=8_000) == []


def test_a_workspace_without_charts_gets_them_as_lists() -> None:
    chart = Chart("合入", "line", ("02-23",), (("PR", (198.0,)), ("修复", (7.0,))))
    (payload,) = payloads(Message((chart,)), charts=False)
    assert violations(sent(payload), charts=False) == []
    assert shown(sent(payload)).splitlines() == ["合入", "02-23：PR 198 · 修复 7"]


def test_charts_are_drawn_two_to_a_message() -> None:
    chart = Chart("合入", "line", ("02-23", "03-02"), (("PR", (198.0, 99.5)),))
    parts = payloads(Message((chart,) * 5))
    assert [len(part.blocks) for part in parts] == [2, 2, 1]
    assert parts[0].blocks[0]["chart"] == {
        "type": "line",
        "series": [{"name": "PR", "data": [{"label": "02-23", "value": 198}, {"label": "03-02", "value": 99.5}]}],
        "axis_config": {"categories": ["02-23", "03-02"]},
    }


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (PATHS[2:], ["…ker/model_runner.py", "setup.py"]),
        (PATHS, ["1 …inear/__init__.py", "2 …inear/__init__.py", "3 …r/model_runner.py", "4 setup.py"]),
        (("a", "a", "1 a"), ["1 a", "2 a", "3 1 a"]),
        (("", "字" * 25), ["1", "2 " + "字" * 17 + "…"]),
        (("👍" * 11,), ["👍" * 9 + "…"]),
    ],
)
def test_long_labels_of_a_chart_stay_distinct_and_are_told_whole(labels: tuple[str, ...], expected: list[str]) -> None:
    values = tuple(float(place) for place in range(len(labels)))
    payload = only(Message((Chart("图", "bar", labels, (("PR", values),)),)))
    drawn, *told = payload.blocks
    assert violations(sent(payload)) == []
    assert drawn["chart"]["axis_config"]["categories"] == expected
    (listing,) = told
    lines = shown({"blocks": [listing]}).splitlines()
    assert lines == [f"{label}：{place}".removeprefix("：") for place, label in enumerate(labels)]


def test_long_titles_and_names_of_a_chart_are_told_whole() -> None:
    payload = only(Message((Chart("题" * 60, "bar", ("a",), (("名" * 30, (1.0,)), ("名" * 31, (2.0,)))),)))
    assert violations(sent(payload)) == []
    text = shown(sent(payload))
    assert "题" * 60 in text
    assert f"：{'名' * 30}\n" in text
    assert f"：{'名' * 31}" in text


@pytest.mark.parametrize(
    "chart",
    [
        Chart("图", "bar", tuple(map(str, range(21))), (("PR", tuple(map(float, range(21)))),)),
        Chart("图", "bar", ("a",), tuple((f"系列{place}", (1.0,)) for place in range(7))),
        Chart("图", "bar", ("a", "b"), (("PR", (1.0,)),)),
        Chart("图", "line", ("a",), (("PR", (math.nan,)),)),
        Chart("\u200b", "bar", ("a",), (("PR", (1.0,)),)),
        Chart("图", "bar", ("字" * 9000,), (("PR", (1.0,)),)),
    ],
)
def test_a_chart_that_slack_would_refuse_is_told(chart: Chart) -> None:
    parts = payloads(Message((chart,)))
    text = "".join(shown(sent(part)) for part in parts)
    assert {kind for part in parts for kind in kinds(part)} == {"rich_text"}
    for label in chart.labels:
        assert label[:50] in text
    for name, values in chart.series:
        assert name in text
        assert all(f"{value:.12g}" in text for value in values)
