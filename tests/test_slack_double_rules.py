"""The Slack double refuses what Slack refuses, rule by rule, and finds what is alive in a message."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doubles.slack import live, violations
from tests.slack_blocks import (
    Block,
    actions,
    button,
    chart,
    context,
    data_table,
    fields,
    header,
    markdown,
    pie,
    raw,
    rich,
    rich_list,
    said,
    section,
    table,
)

ACCEPTED = [
    section("x" * 3_000),
    fields(10, 1_000),
    fields(5, 2_000),
    header("x" * 150),
    header("题" * 150),
    context(10),
    {"type": "divider"},
    actions(*[button(action_id=f"digest:{n}", value="v" * 2_000) for n in range(25)]),
    actions(button(text={"type": "plain_text", "text": "x" * 75}, url="https://example.com/" + "x" * 2_980)),
    rich(said(style={"bold": True}), {"type": "link", "url": "https://example.com", "text": "#1"}),
    rich({"type": "user", "user_id": "U1"}, {"type": "broadcast", "range": "here"}, {"type": "emoji", "name": "tada"}),
    rich({"type": "date", "timestamp": 1, "format": "{date}", "fallback": "then"}),
    rich_list(style="ordered", indent=1, offset=3),
    {"type": "rich_text", "elements": [{"type": "rich_text_preformatted", "elements": [said()]}]},
    {"type": "rich_text", "elements": [{"type": "rich_text_quote", "elements": [said()], "border": 1}]},
    table([[raw()] * 20] * 100),
    table([[raw(), rich(said())], [{"type": "raw_number", "value": 3, "text": "3"}, raw()]]),
    table(column_settings=[None, {"align": "right", "is_wrapped": True}]),
    data_table([[raw()]] * 101, page_size=100, row_header_column_index=0),
    chart(20, 6, title="t" * 50),
    pie(1, 2.5),
    markdown(10_000),
    section("x") | {"accessory": button()},
]


@pytest.mark.parametrize("block", ACCEPTED)
def test_what_is_within_the_limits_is_accepted(block: Block) -> None:
    assert violations({"text": "x", "blocks": [block]}) == []


REFUSED = [
    (section("x" * 3_001), "at most 3000"),
    (section(""), "at least 1"),
    (section("🙂" * 1_501), "at most 3000"),
    (section("x", kind="markdown"), "one of mrkdwn, plain_text"),
    (section("x", emoji=True), "unknown field: emoji"),
    ({"type": "section"}, "either text or fields"),
    (fields(11), "at most 10"),
    (fields(1, 2_001), "at most 2000"),
    (header("x" * 151), "at most 150"),
    (header("x", "mrkdwn"), "one of plain_text"),
    (context(11), "at most 10"),
    (context(0), "at least 1"),
    (actions(*[button(action_id=str(n)) for n in range(26)]), "at most 25"),
    (actions(), "at least 1"),
    (actions(button(), button()), "action_id must be unique"),
    (actions(button(text={"type": "plain_text", "text": "x" * 76})), "at most 75"),
    (actions(button(text={"type": "mrkdwn", "text": "x"})), "one of plain_text"),
    (actions(button(value="x" * 2_001)), "at most 2000"),
    (actions(button(value="")), "at least 1"),
    (actions(button(url="https://example.com/" + "x" * 3_000)), "at most 3000"),
    (actions(button(url="javascript:x")), "valid URL"),
    (actions(button(action_id="x" * 256)), "at most 255"),
    (actions(button(style="default")), "primary or danger"),
    (actions(button(color="red")), "unknown field: color"),
    (actions({"type": "static_select"}), "unsupported type"),
    ({"type": "divider", "block_id": "x" * 256}, "at most 255"),
    (rich(), "at least 1"),
    (rich(said("")), "at least 1"),
    (rich(said(style={"bold": "yes"})), "must be a boolean"),
    (rich(said(style={"colour": True})), "unknown field: colour"),
    (rich({"type": "link", "url": ""}), "at least 1"),
    (rich({"type": "link", "url": "example.com"}), "valid URL"),
    (rich({"type": "link", "url": "https://example.com", "text": ""}), "at least 1"),
    (rich({"type": "blink", "text": "x"}), "unsupported type: blink"),
    (rich({"type": "broadcast", "range": "all"}), "one of here"),
    ({"type": "rich_text", "elements": []}, "at least 1"),
    ({"type": "rich_text", "elements": [said()]}, "unsupported type: text"),
    (rich_list(style="none"), "bullet or ordered"),
    (rich_list(indent=9), "from 0 to 8"),
    (rich_list(elements=[said()]), "unsupported type: text"),
    (
        {
            "type": "rich_text",
            "elements": [{"type": "rich_text_preformatted", "elements": [{"type": "emoji", "name": "x"}]}],
        },
        "unsupported type: emoji",
    ),
    (table([[raw()]] * 101), "at most 100"),
    (table([[raw()] * 21]), "at most 20"),
    (table([]), "at least 1"),
    (table([[raw("")]]), "cannot be empty"),
    (table([[raw(" ")]]), "cannot be empty"),
    (table([[{"type": "rich_text", "elements": []}]]), "cannot be empty"),
    (table([[raw()], [raw(), raw()]]), "same number of cells"),
    (table([[raw("x" * 1_001)] * 10]), "at most 10000"),
    (table([[said()]]), "unsupported type: text"),
    (table([[{"type": "raw_number", "value": "3", "text": "3"}]]), "must be a number"),
    (table(column_settings=[{"align": "middle"}]), "one of left"),
    (data_table([[raw()]]), "at least 2"),
    (data_table([[raw()]] * 102), "at most 101"),
    (data_table([[rich(said())], [raw()]]), "header cell cannot be rich_text"),
    (data_table(page_size=101), "from 1 to 100"),
    (data_table(caption=""), "at least 1"),
    (data_table(row_header_column_index=1), "from 0 to 0"),
    (chart(title="x" * 51), "at most 50"),
    (chart(points=21), "at most 20"),
    (chart(series=7), "at most 6"),
    (chart(points=0), "at least 1"),
    (chart(chart={"type": "donut"}), "one of pie"),
    (pie(1, 2, 3, 4, 5, 6, 7), "at most 6"),
    (pie(0), "above zero"),
    (pie(float("nan")), "must be a number"),
    (markdown(12_001), "at most 12000"),
    ({"type": "alert", "text": "x"}, "unsupported type: alert"),
    ({"type": "section", "text": {"type": "mrkdwn", "text": "x"}, "colour": "red"}, "unknown field: colour"),
    ("x", "must be an object"),
]


@pytest.mark.parametrize(("block", "why"), REFUSED)
def test_what_is_beyond_a_limit_is_refused(block: Any, why: str) -> None:
    found = violations({"text": "x", "blocks": [block]})
    assert any(why in line for line in found), found
    assert all(line.startswith(("invalid_blocks", "msg_blocks_too_long")) for line in found)


def changed(path: str, value: Any) -> Block:
    """A chart with one of its values changed."""
    made = chart()
    place: Any = made["chart"]
    *keys, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    for key in keys:
        place = place[key]
    place[last] = value
    return made


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        ("axis_config.categories", ["W0", "W0"], "unique"),
        ("axis_config.categories", ["W0", "x" * 21], "at most 20"),
        ("axis_config.x_label", "x" * 51, "at most 50"),
        ("series.0.name", "x" * 21, "at most 20"),
        ("series.0.data", [{"label": "W0", "value": 1}], "exactly one point"),
        ("series.0.data.0.label", "other", "exactly one point"),
        ("series.0.data.0.value", "1", "must be a number"),
    ],
)
def test_a_chart_whose_parts_do_not_fit_is_refused(path: str, value: Any, why: str) -> None:
    assert any(why in line for line in violations({"text": "x", "blocks": [changed(path, value)]}))


TOGETHER = [
    ([section("x")] * 51, "invalid_blocks", "no more than 50"),
    ([table(), table()], "invalid_blocks", "at most 1 table"),
    ([table(), data_table()], "invalid_blocks", "at most 1 table"),
    ([chart(), chart(), chart()], "invalid_blocks", "at most 2 charts"),
    ([markdown(6_000), markdown(6_001)], "invalid_blocks", "together, are 12001"),
    ([{"type": "divider", "block_id": "b"}] * 2, "invalid_blocks", "block_id must be unique: b"),
    ([section("x" * 2_900)] * 4, "msg_blocks_too_long", "show 11600"),
    ("x", "invalid_blocks_format", "must be a list"),
]


@pytest.mark.parametrize(("blocks", "code", "why"), TOGETHER)
def test_blocks_that_are_each_right_can_be_too_much_together(blocks: Any, code: str, why: str) -> None:
    found = violations({"text": "x", "blocks": blocks})
    assert any(line.startswith(code) and why in line for line in found), found


BODIES = [
    ({}, "no_text"),
    ({"text": " ", "blocks": []}, "no_text"),
    ({"text": "x" * 4_001}, "msg_too_long"),
    ({"text": 3}, "invalid_arguments"),
    ({"text": "x", "attachments": [{}]}, "invalid_arguments"),
    ({"text": "x", "metadata": {"event_type": "x"}}, "invalid_metadata_format"),
    ({"text": "x", "metadata": {"event_type": "", "event_payload": {}}}, "invalid_metadata_schema"),
    ({"text": "x", "metadata": {"event_type": "x", "event_payload": []}}, "invalid_metadata_schema"),
    ({"text": "x", "metadata": {"event_type": "x", "event_payload": {"k": "v" * 8_000}}}, "metadata_too_large"),
]


@pytest.mark.parametrize(("body", "code"), BODIES)
def test_a_body_is_refused_with_the_code_that_slack_gives(body: Block, code: str) -> None:
    assert [line.split(":")[0] for line in violations(body)] == [code]


def test_a_workspace_without_charts_refuses_every_chart() -> None:
    assert violations({"text": "x", "blocks": [chart()]}, charts=False) == [
        "invalid_blocks: blocks: unsupported type: data_visualization"
    ]


def test_the_total_can_be_tightened() -> None:
    assert violations({"text": "x", "blocks": [section("x" * 500)]}, total=400)[0].startswith("msg_blocks_too_long")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["text", "mrkdwn", "rich_text", "table"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "text", "elements", "rows", "url"]), inner)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["text", "blocks", "metadata"]), JSON))
def test_nothing_that_is_sent_breaks_the_validator(payload: Block) -> None:
    assert all(": " in line for line in violations(payload))
    assert all(finding.startswith(("mention:", "link:")) for finding in live(payload))
