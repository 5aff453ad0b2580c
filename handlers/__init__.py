"""The table of commands: adding one is a module here, a line below and a row in `bot/commands/table.py`."""

from collections.abc import Mapping

from bot.dispatch import Handler
from handlers import (
    correct,
    hot,
    pr,
    preview,
    release,
    risks,
    score,
    since,
    status,
    subscribe,
    top,
    unsubscribe,
    week,
    wrong,
)
from handlers import help as help_

HANDLERS: Mapping[str, Handler] = {
    "top": top.handle,
    "risks": risks.handle,
    "hot": hot.handle,
    "pr": pr.handle,
    "score": score.handle,
    "week": week.handle,
    "since": since.handle,
    "status": status.handle,
    "wrong": wrong.handle,
    "help": help_.handle,
    "preview": preview.handle,
    "subscribe": subscribe.handle,
    "unsubscribe": unsubscribe.handle,
    "release": release.handle,
    "correct": correct.handle,
}
