"""The grammar of chat commands: typed text in, a command or a problem out. No I/O and no wording."""

from bot.commands.grammar import ParsedCommand, is_command, parse
from bot.commands.problem import CommandProblem
from bot.commands.spelling import normalised
from bot.commands.table import ALL_WORDS, COMMANDS, DAY_NAMES, OPTIONS, WEEK_WORDS, Command, Option

__all__ = [
    "ALL_WORDS",
    "COMMANDS",
    "DAY_NAMES",
    "OPTIONS",
    "WEEK_WORDS",
    "Command",
    "CommandProblem",
    "Option",
    "ParsedCommand",
    "is_command",
    "normalised",
    "parse",
]
