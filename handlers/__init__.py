"""The table of commands: adding one is a module here, a line below and a row in `bot/commands/table.py`."""

from collections.abc import Mapping

from bot.dispatch import Handler
from handlers import help as help_
from handlers import hot, pr, preview, risks, score, since, top, week

HANDLERS: Mapping[str, Handler] = {
    "top": top.handle,
    "risks": risks.handle,
    "hot": hot.handle,
    "pr": pr.handle,
    "score": score.handle,
    "week": week.handle,
    "since": since.handle,
    "help": help_.handle,
    "preview": preview.handle,
}
