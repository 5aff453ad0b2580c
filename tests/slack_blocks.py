"""Small blocks of Slack messages, each right as it is; named arguments change them."""

from typing import Any

Block = dict[str, Any]


def section(text: str, kind: str = "mrkdwn", **more: Any) -> Block:
    return {"type": "section", "text": {"type": kind, "text": text, **more}}


def rich(*elements: Block) -> Block:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}


def rich_list(**changes: Any) -> Block:
    item = {"type": "rich_text_section", "elements": [said("x")]}
    part = {"type": "rich_text_list", "style": "bullet", "elements": [item]} | changes
    return {"type": "rich_text", "elements": [part]}


def said(text: str = "x", **more: Any) -> Block:
    return {"type": "text", "text": text, **more}


def raw(text: str = "x") -> Block:
    return {"type": "raw_text", "text": text}


def table(rows: Any = None, **more: Any) -> Block:
    return {"type": "table", "rows": [[raw()]] if rows is None else rows, **more}


def data_table(rows: Any = None, **more: Any) -> Block:
    return {"type": "data_table", "caption": "c", "rows": [[raw()], [raw()]] if rows is None else rows} | more


def button(**changes: Any) -> Block:
    return {"type": "button", "text": {"type": "plain_text", "text": "x"}, "action_id": "a"} | changes


def actions(*buttons: Block) -> Block:
    return {"type": "actions", "elements": list(buttons)}


def chart(points: int = 2, series: int = 1, **more: Any) -> Block:
    labels = [f"W{n}" for n in range(points)]
    data = [{"label": label, "value": n} for n, label in enumerate(labels)]
    plot = {"type": "bar", "series": [{"name": f"s{n}", "data": data} for n in range(series)]}
    return {"type": "data_visualization", "title": "t", "chart": plot | {"axis_config": {"categories": labels}}} | more


def pie(*values: float) -> Block:
    segments = [{"label": f"s{n}", "value": value} for n, value in enumerate(values)]
    return {"type": "data_visualization", "title": "t", "chart": {"type": "pie", "segments": segments}}


def header(text: str, kind: str = "plain_text") -> Block:
    return {"type": "header", "text": {"type": kind, "text": text}}


def context(count: int) -> Block:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * count}


def fields(count: int, length: int = 1) -> Block:
    return {"type": "section", "fields": [{"type": "mrkdwn", "text": "x" * length}] * count}


def markdown(length: int) -> Block:
    return {"type": "markdown", "text": "x" * length}
