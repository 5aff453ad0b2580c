"""Questions about a whole period, which a command answers: what is risky, what is hot, what matters most."""

from __future__ import annotations

import re

_TOPICS = {
    "risks": re.compile(r"风险(?:观察|列表)?|\brisk\w*", re.IGNORECASE),
    "hot": re.compile(r"热[点门](?:文件)?|改(?:动)?得?最[多频集]\w*|\bhot ?(?:files?|spots?)?\b", re.IGNORECASE),
    "top": re.compile(
        r"重点(?:变化| ?PRs?)?|最?(?:重要|值得关注)(?:性(?:最高)?)?|排行|\bhighlights?\b|\b(?:most )?important\b",
        re.IGNORECASE,
    ),
}


def topic_of(text: str) -> tuple[str, str] | None:
    """The command that a question speaks of, and what else it says; None where it speaks of none."""
    for command, sign in _TOPICS.items():
        if sign.search(text):
            return command, sign.sub(" ", text)
    return None
