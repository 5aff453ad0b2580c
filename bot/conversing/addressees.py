"""Whether a text speaks to somebody by name."""

from __future__ import annotations

import re

from bot.conversing.phrases import phrases

_AT = re.compile(r"(?<![A-Za-z0-9._-])[@＠]\s?[^\s@]|<[@!]")
_ENGLISH = re.compile(r"(?P<name>[A-Za-z][\w.'-]*)\s*[:,，：]")
_GREETED = re.compile(r"(?:hi|hello|hey|dear|cc|抄送|请|麻烦)\s+[A-Z][a-z]+\b")


def speaks_to_somebody(text: str) -> bool:
    """Whether a text names whom it is meant for, at its beginning or after an @; in doubt it does."""
    line, known = text.strip(), phrases()
    if _AT.search(line) or known.chinese_name.match(line) or _GREETED.match(line):
        return True
    match = _ENGLISH.match(line)
    return match is not None and match["name"].casefold() not in known.connectives
