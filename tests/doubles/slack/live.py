"""What in a message is alive: whatever notifies somebody or leads elsewhere when it is shown.

Sources: docs.slack.dev/messaging/formatting-message-text (mrkdwn: `<!channel>`, `<@U>`, `<#C>`, `<!subteam^S>`,
`<url|label>`, automatic linking unless `verbatim`), .../blocks/markdown-block (the same tokens live there,
PostHog#95054) and .../blocks/rich-text-block (mentions and links are elements; a text element is never parsed).
`text` is shown in notifications and parsed as mrkdwn. Hosts without a scheme are linked too: `setup.py` is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

TOKEN = re.compile(r"<([!@#][^<>]*|[a-zA-Z][a-zA-Z0-9+.-]*:[^<>]*)>")
ADDRESS = re.compile(
    r"\b(?:https?|ftp)://[^\s<>|\"'`，。；！？、（）【】《》]+|\bmailto:[^\s<>|]+", re.IGNORECASE | re.ASCII
)
MARKDOWN_LINK = re.compile(r"!?\[[^\]\n]*\]\(\s*<?([^)\s>]+)")
COMMON = "com org net edu gov mil int info biz io ai dev app xyz top site online cloud tech store name pro mobi zip mov"
COUNTRIES = (
    "ac ad ae af ag al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca "
    "cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo "
    "fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in iq ir is it je "
    "jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo "
    "mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt "
    "pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj "
    "tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw "
)
TOPS = "|".join((COMMON + " " + COUNTRIES).split())
DOMAIN = re.compile(
    rf"(?<![\w@.-])(?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?\.)+(?:{TOPS})(?![\w-]|\.\w)",
    re.IGNORECASE | re.ASCII,  # Chinese characters beside a host do not belong to it
)
MENTIONS = {"user": "user_id", "usergroup": "usergroup_id", "channel": "channel_id", "broadcast": "range"}
PINGING_SWITCHES = {"link_names": (True, 1, "1", "true"), "parse": ("full",)}


def live(payload: dict[str, Any], *, domains: bool = True) -> list[str]:
    """Every live mention and link of a message, in reading order: `mention:<!channel>`, `link:https://example.com/1`.

    `domains` False leaves out hosts without a scheme (`setup.py`), which are otherwise reported as `link:http://setup.py`.
    Buttons with an address count as links.
    """
    found = [f"mention:{key}" for key, values in PINGING_SWITCHES.items() if payload.get(key) in values]
    found += _parsed(str(payload.get("text") or ""), domains=domains)
    blocks = payload.get("blocks")
    return found + [finding for finding in _walk(blocks) if domains or not _is_domain(finding)]


def _is_domain(finding: str) -> bool:
    return bool(DOMAIN.fullmatch(finding.removeprefix("link:http://")))


def _walk(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for part in node:
            yield from _walk(part)
    elif isinstance(node, dict):
        yield from _of(node)
        for value in node.values():
            yield from _walk(value)


def _of(node: dict[str, Any]) -> Iterator[str]:
    kind, text = str(node.get("type")), node.get("text")
    if kind in MENTIONS and MENTIONS[kind] in node:
        yield f"mention:{kind} {node[MENTIONS[kind]]}"
    elif kind == "markdown":
        yield from (f"link:{url}" for url in MARKDOWN_LINK.findall(str(text)))
        yield from _parsed(MARKDOWN_LINK.sub(" ", str(text)), domains=True)
    elif kind == "mrkdwn":
        yield from _parsed(str(text), domains=not node.get("verbatim"), bare=not node.get("verbatim"))
    elif isinstance(node.get("url"), str):
        yield f"link:{node['url']}"


def _parsed(text: str, *, domains: bool, bare: bool = True) -> Iterator[str]:
    """The tokens of a mrkdwn text, then what Slack links by itself in the rest of it."""
    for token in TOKEN.findall(text):
        target = token.split("|", 1)[0]
        yield f"mention:<{token}>" if token[0] in "!@#" else f"link:{target}"
    rest = TOKEN.sub(" ", text)
    if bare:
        yield from (f"link:{url}" for url in ADDRESS.findall(rest))
    if domains:
        yield from (f"link:http://{name}" for name in DOMAIN.findall(ADDRESS.sub(" ", rest)))
