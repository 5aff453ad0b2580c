"""A running local page for tests: a store in a temporary folder, invented messages, and a given way to answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bot.local_page import LocalPage, open_page, suggestions
from bot.message import (
    Button,
    Buttons,
    Chart,
    Code,
    Context,
    Heading,
    ListBlock,
    Message,
    Plain,
    PullRequestRef,
    Spans,
    Table,
    Text,
)
from bot.platforms.local.settings import Channel, Settings
from bot.ports import Incoming, Reply, Respond
from bot.store.store import Store
from tests.factories import ZONE

GENERAL = Channel("general", "工程周报", ("acme/engine",))
OTHER = Channel("C 2&x", "其他", ("acme/other",))
COMMANDS = ("top", "risks", "hot", "pr", "score", "week", "since", "help")
CATEGORIES = ("核心路径变更", "缺少测试覆盖", "外部依赖")
SETTINGS = Settings(
    (GENERAL, OTHER), ZoneInfo(ZONE), suggestions(COMMANDS, CATEGORIES), ("调度器这周改了什么？", "#42 风险大吗？")
)
DEADLINE = 5.0


def spans(*parts: str | Code | PullRequestRef) -> Spans:
    """Text and pull requests as they stand in a message; `**` around a part makes it bold."""
    return tuple(
        (Plain(part[2:-2], bold=True) if part.startswith("**") else Plain(part)) if isinstance(part, str) else part
        for part in parts
    )


def pull(number: int) -> PullRequestRef:
    return PullRequestRef(number, f"https://github.com/acme/engine/pull/{number}")


def text(*parts: str | Code | PullRequestRef) -> Message:
    return Message((Text(spans(*parts)),))


def digest_root() -> Message:
    buttons = (
        Button("风险", "risks"),
        Button("热点文件", "hot"),
        Button("重点PR", "top"),
        Button("完整周报", "top all"),
    )
    return Message(
        (
            Text(spans("**acme/engine 周报 · 03-02～03-08（北京时间）**", " · 合入 62 个 PR（上周 48）")),
            Text(spans("**查版本** ", "挂起 ", pull(42), " · 回滚 ", pull(57))),
            Text(spans("**知道即可** ", Code("engine/scheduler"), " 有 9 个 PR 在同向改动")),
            Context(spans("在话题里直接问，例如：", pull(42), " 风险大吗？")),
            Buttons(buttons),
        ),
        "acme/engine 周报：合入 62 个 PR",
    )


def digest_charts() -> Message:
    weeks = ("01-05", "01-12", "01-19", "01-26", "02-02", "02-09", "02-16", "02-23", "03-02")
    counts = (41.0, 38.0, 52.0, 47.0, 55.0, 12.0, 20.0, 48.0, 62.0)
    files = ("engine/scheduler/core.py", "engine/cache/block_table.py", "engine/api/server.py")
    return Message(
        (
            Chart("各周期合入的 PR", "line", weeks, (("PR 数", counts),)),
            Chart("按标签", "bar", ("修复", "新功能", "重构", "测试"), (("PR 数", (24.0, 17.0, 11.0, 6.0)),)),
            Chart("热点文件", "bar", files, (("PR 数", (9.0, 7.0, 4.0)),)),
        )
    )


def digest_sections() -> tuple[Message, ...]:
    rows = tuple(
        (spans(name), spans(count), spans(share))
        for name, count, share in (("调度", "14", "23%"), ("缓存", "9", "15%"))
    )
    return (
        Message(
            (
                Heading(spans("执行摘要")),
                Text(spans("合入 ", "**62 个 PR**", "，比上周多 14 个；高重要性 7 个。")),
                ListBlock(
                    (spans("挂起的修复 ", pull(42), " 值得先看"), spans("改动集中在 ", Code("engine/scheduler")))
                ),
            )
        ),
        Message((Heading(spans("模块与主题趋势")), Table((spans("模块"), spans("PR"), spans("占比")), rows))),
        Message((Heading(spans("风险观察")), Text(spans("核心路径变更 5 个：", pull(42), "、", pull(57))))),
    )


def post_digest(page: LocalPage, channel: str = GENERAL.id) -> str:
    """Post the invented digest with its thread; returns the id of its root."""
    root = page.platform.post(channel, digest_root())
    for message in (digest_charts(), *digest_sections()):
        page.platform.post(channel, message, root)
    return root


def echo(incoming: Incoming) -> Reply:
    """An answer that shows what was asked and where."""
    return Reply(text("回答：", f"**{incoming.text}**", f"（话题 {incoming.thread}）"))


@contextmanager
def running_page(folder: Path, respond: Respond = echo, **changes: Any) -> Iterator[LocalPage]:
    """A page on a free port, stopped at the end; `folder` keeps its database."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)  # noqa: E731 - its type is worth a line
    given: dict[str, Any] = {"host": "127.0.0.1", "port": 0, "now": now, "settings": SETTINGS} | changes
    with Store.open(f"sqlite:///{folder / 'page.db'}") as store:
        page = open_page(conversations=store.conversations(), respond=respond, **given)
        page.start()
        try:
            yield page
        finally:
            assert page.stop(DEADLINE)
