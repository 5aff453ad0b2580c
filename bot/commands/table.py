"""The one list of what can be typed; help and completion are computed from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "topic",
    "count",
    "numbers",
    "number",
    "category",
    "week",
    "baseline",
    "none",
    "repositories",
    "subscription",
    "report",
    "text",
]


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `kind` says how its arguments are read, `usage` is their notation, `synonyms` are equal names.

    `of_channel`: it is about the channel, not about one repository; its repositories are for its handler to find.
    """

    name: str
    kind: Kind
    usage: str = ""
    synonyms: tuple[str, ...] = ()
    for_admins: bool = False
    of_channel: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """One option, with the notation of the whole of it and its equal names."""

    name: str
    usage: str
    synonyms: tuple[str, ...] = ()


# In the order of help. The first Chinese synonym is the command's Chinese name.
COMMANDS = (
    Command("top", "count", "[N|all]", ("重点", "重点pr", "排行", "ranking")),
    Command("risks", "category", "[CATEGORY]", ("风险", "风险观察", "风险列表", "risk")),
    Command("hot", "count", "[N]", ("热点", "热点文件", "热门文件", "hotfiles", "hot-files", "hotspots", "hotspot")),
    Command("pr", "numbers", "N…", ("合并请求", "prs", "pull", "pulls")),
    Command("score", "number", "N", ("评分依据", "评分", "打分", "scores")),
    Command("week", "week", "[2026-W14|上周|04-06]", ("周报", "weekly")),
    Command("since", "baseline", "BASELINE", ("升级清单", "升级", "基线", "自")),
    Command("status", "none", "", ("状态",), of_channel=True),
    Command("wrong", "report", "[N] [TEXT]", ("有误", "报错", "纠错"), of_channel=True),
    Command("help", "topic", "", ("帮助", "用法", "说明", "命令", "usage", "?")),
    Command("preview", "none", "", ("预览",), for_admins=True),
    Command(
        *("subscribe", "subscription", "[OWNER/NAME…] [周一] [09:00]", ("订阅",)),
        for_admins=True,
        of_channel=True,
    ),
    Command(
        *("unsubscribe", "repositories", "[OWNER/NAME…|all]", ("取消订阅", "退订")),
        for_admins=True,
        of_channel=True,
    ),
    Command("release", "number", "N", ("放行", "恢复投递"), for_admins=True, of_channel=True),
    Command("correct", "text", "TEXT", ("更正", "correction"), for_admins=True, of_channel=True),
)
OPTIONS = (
    Option("repo", "repo=OWNER/NAME", ("仓库", "repository")),
    Option("week", "week=2026-W14|上周|04-06", ("周", "周次")),
    Option("share", "share", ("公开", "公开显示")),
)
LAST_WEEK = "上周"
WEEK_WORDS = {  # what a ParsedCommand says -> what is typed for it
    LAST_WEEK: ("上周", "上星期", "上礼拜", "last-week", "lastweek"),
    "本周": ("本周", "这周", "本星期", "这星期", "this-week", "thisweek"),
    "上上周": ("上上周", "上上星期"),
}
DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ALL_WORDS = frozenset({"all", "全部", "所有"})


def _by_word(rows: Sequence[Command] | Sequence[Option]) -> dict[str, str]:
    return {word: row.name for row in rows for word in (row.name, *row.synonyms)}


ROWS = {row.name: row for row in COMMANDS}
NAMES = _by_word(COMMANDS)
OPTION_NAMES = _by_word(OPTIONS)
WEEKS = {word: week for week, words in WEEK_WORDS.items() for word in words}
TEXTS = {word: name for word, name in NAMES.items() if ROWS[name].kind in {"report", "text"}}
_EVERY_WEEK = tuple(f"{every}{week}" for every in ("", "每") for week in ("周", "星期", "礼拜"))
DAYS = {  # what is typed for a day of the week -> its English name
    word: day
    for day, chinese in zip(DAY_NAMES, ("一", "二", "三", "四", "五", "六", "日天"), strict=True)
    for word in (day, day[:3], *(f"{week}{one}" for week in _EVERY_WEEK for one in chinese))
}
SHARE_WORDS = frozenset(word for word, name in OPTION_NAMES.items() if name == "share")
