"""What somebody typed in Slack, out of the markup in which Slack delivers it.

https://docs.slack.dev/messaging/formatting-message-text: `<@U1>`, `<#C1|name>`, `<!here>`, `<!subteam^S1|@team>`,
`<https://example.com|label>`, and the entities of `&`, `<` and `>`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_TOKEN = re.compile(r"<([@#!]|[A-Za-z][A-Za-z0-9+.-]*:)([^<>|]*)(?:\|([^<>]*))?>")
_ENTITY = re.compile(r"&(lt|gt|amp);")
_SHOWN = {"lt": "<", "gt": ">", "amp": "&"}
_SCHEME = re.compile(r"^[a-z]+:(?://)?", re.IGNORECASE)
_AFTER_A_NAME = " \t\n,:，：、"  # "@bot: top" is "top"
_KEPT = "\n\t"


@dataclass(frozen=True, slots=True)
class Typed:
    """`text` without mentions of the bot; whether there was one (`to_bot`), and whether somebody else is named."""

    text: str
    to_bot: bool = False
    to_others: bool = False


def typed(markup: str, bot: str) -> Typed:
    """The words of a message; `bot` is the user id of the bot. Any text is understood."""
    found = {"bot": False, "others": False}
    pieces: list[str] = []
    end = 0
    for token in _TOKEN.finditer(markup):
        pieces += [markup[end : token.start()], _word(token, bot, found)]
        end = token.end()
    pieces.append(markup[end:])
    text = _shown("".join(pieces))
    opens_with_bot = found["bot"] and markup.lstrip().startswith(f"<@{bot}")
    return Typed(text.lstrip(_AFTER_A_NAME) if opens_with_bot else text, found["bot"], found["others"])


def _word(token: re.Match[str], bot: str, found: dict[str, bool]) -> str:
    sign, value, label = token[1], token[2], token[3]
    match sign:
        case "@" if value == bot:
            found["bot"] = True
            return " "
        case "@":
            found["others"] = True
            return f"@{label or value}"
        case "#":
            return f"#{label or value}"
        case "!":
            return _special(value, label, found)
    return _address(f"{sign}{value}", label)


def _special(value: str, label: str | None, found: dict[str, bool]) -> str:
    if value.startswith("date^"):
        return label or ""
    found["others"] = True
    return label or f"@{value}"


def _address(url: str, label: str | None) -> str:
    """What Slack linked by itself (a host, `setup.py`) as it was typed; of what a person linked the address."""
    if not label:
        return url
    return label if _SCHEME.sub("", url).rstrip("/") == label.rstrip("/") else url


def _shown(text: str) -> str:
    decoded = _ENTITY.sub(lambda entity: _SHOWN[entity[1]], text)
    lines = decoded.replace("\r\n", "\n").replace("\r", "\n")
    visible = "".join(char for char in lines if char in _KEPT or unicodedata.category(char) not in {"Cc", "Cs"})
    return "\n".join(line.strip() for line in visible.split("\n")).strip()
