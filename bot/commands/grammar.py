"""From a typed line to a command: which word is the command, and what is written glued to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.commands.arguments import BETWEEN_NUMBERS, PULL, read_arguments
from bot.commands.free_text import as_typed, free_text, is_free_text
from bot.commands.options import WEEK_NUMBER, take_options, words_of, written
from bot.commands.problem import CommandProblem, at_most
from bot.commands.spelling import SLASHES, ends_a_sentence, nearest, normalised, one_of, without_end
from bot.commands.table import (
    ALL_WORDS,
    DAYS,
    LAST_WEEK,
    NAMES,
    ROWS,
    SHARE_WORDS,
    WEEK_WORDS,
    WEEKS,
    Command,
)

_DEFAULT_COMMAND = "/digest"
_LEADING = " ,;:."
_GLUED = re.compile(rf"({one_of(NAMES)})(:?)(.*)", re.IGNORECASE)
_NUMBER_FOLLOWS = re.compile("-?[0-9]|#|前[0-9]")
_WEEK_AND_NAME = re.compile(rf"({one_of(WEEKS)})的?(.+)", re.IGNORECASE)
_DATE = re.compile("(?:[0-9]{4}-)?[0-9]{1,2}-[0-9]{1,2}")
# More Chinese right after a name is a category unless it reads like a sentence: 风险核心路径变更, but not 风险大吗.
_SENTENCE = frozenset("吗呢么吧嘛呀啊啥哪谁几怎何的了是有不没最很太多少大高低?!,。")


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A command as understood. Numbers are decimals without leading zeros; a baseline and a category are as typed.

    A category is `normalised`: compare it with the normalised names. `repository` is a full or a short name. `week` is
    a key of `WEEK_WORDS`, or 2026-W14 or a date as typed; for the command `week` it is the argument instead.
    `text` is free text as typed, on one line: what `correct` says, and `wrong` after the number it may begin with.
    """

    name: str
    arguments: tuple[str, ...] = ()
    repository: str | None = None
    week: str | None = None
    share: bool = False
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class _Reading:
    """`spoken` is False where the command or its argument was filled in, or where words were passed over."""

    parsed: ParsedCommand
    spoken: bool


def parse(text: str, command: str = _DEFAULT_COMMAND) -> ParsedCommand:
    """Read a command, with or without the configured slash `command` before it.

    Raises CommandProblem, and nothing else whatever the text. A typing mistake is a problem with a suggestion.
    """
    parsed = _read(_without_command(normalised(text), command)).parsed
    return replace(parsed, text=as_typed(text, parsed.text)) if parsed.text else parsed


def is_command(
    text: str, command: str = _DEFAULT_COMMAND, *, categories: Collection[str] = (), addressed: bool = False
) -> bool:
    """Whether a line is a command and nothing else; in doubt it is not. `addressed`: it was said to the bot alone.

    A free text after `wrong` or `correct` is one only where it was addressed: among people it may mean anything.
    `categories` are the risk categories, which alone may follow `risks` here. A line that begins with the slash
    command itself always is one, even when `parse` finds a problem in it.
    """
    line = normalised(text)
    if addressed and is_free_text(_without_command(line, command)):
        return True
    if not line or len(text.strip().splitlines()) > 1:
        return False
    if re.match(_slash_command(command), line, re.IGNORECASE):
        return True
    if ends_a_sentence(line):
        return False
    try:
        reading = _read(_without_command(line, command))
    except CommandProblem:
        return False
    return reading.spoken and _unmistakable(reading.parsed, categories)


def _unmistakable(parsed: ParsedCommand, categories: Collection[str]) -> bool:
    argument = "".join(parsed.arguments[:1])
    match ROWS[parsed.name].kind:
        case "category":
            return not argument or argument.casefold() in {normalised(name).casefold() for name in categories}
        case "baseline":
            return any(char.isdigit() for char in argument)
        case "week":
            return argument in WEEK_WORDS or bool(WEEK_NUMBER.fullmatch(argument) or _DATE.fullmatch(argument))
        case "report":
            return bool(argument)
        case "text":
            return False
        case "subscription" | "repositories":
            return all("/" in one or ":" in one or one in {"all", *DAYS.values()} for one in parsed.arguments)
    return True


def _command_words(command: str) -> set[str]:
    return {normalised(name).lstrip("/").strip().casefold() for name in (command, _DEFAULT_COMMAND)} - {""}


def _slash_command(command: str) -> str:
    return rf"[{re.escape(SLASHES)}] ?(?:{one_of(_command_words(command))})(?![A-Za-z0-9_-])"


def _without_command(line: str, command: str) -> str:
    plain = one_of(_command_words(command) - NAMES.keys())
    prefix = rf"(?:{_slash_command(command)}|(?:{plain})(?=[ :]|$))"
    rest = re.sub(rf"^{prefix}", "", line.lstrip(_LEADING), count=1, flags=re.IGNORECASE).lstrip(_LEADING)
    return without_end(rest)


def _read(line: str) -> _Reading:
    if said := free_text(line):
        repository = _one_repository(said.asked, said.named)
        return _Reading(ParsedCommand(said.name, said.arguments, repository, text=said.text), spoken=True)
    options, words = take_options(words_of(line))
    row, words, spoken = _command(words, options)
    glued, words = take_options(words)
    options |= glued
    named: tuple[str, ...] = ()
    match row.kind:
        case "topic":
            arguments = tuple(NAMES[word.casefold()] for word in words[:1] if word.casefold() in NAMES)
            spoken = spoken and len(arguments) == len(words)
        case "week":
            given = at_most(row, [*words, *filter(None, [options.pop("week", None)])], 1)
            arguments, spoken = given or (LAST_WEEK,), spoken and bool(given)
        case _:
            arguments, named = read_arguments(row, words)
    repository = _one_repository(options.get("repo"), named)
    return _Reading(
        ParsedCommand(row.name, arguments, repository, options.get("week"), "share" in options), spoken=spoken
    )


def _command(words: list[str], options: dict[str, str]) -> tuple[Command, list[str], bool]:
    """The command, its words, and whether it was named. Raises CommandProblem."""
    if not words:
        return ROWS["week" if "week" in options else "help"], [], "week" in options
    head, rest = words[0].lstrip(SLASHES), words[1:]
    if name := NAMES.get(head.casefold()):
        return ROWS[name], rest, True
    if match := _GLUED.fullmatch(head):
        row = ROWS[NAMES[match[1].casefold()]]
        if match[2] or _continues(row, match[1], match[3]):
            return row, [word for word in (match[3], *rest) if word], True
    if (match := _WEEK_AND_NAME.fullmatch(head)) and match[2].casefold() in NAMES:
        return ROWS[NAMES[match[2].casefold()]], [match[1], *rest], True
    if PULL.fullmatch(BETWEEN_NUMBERS.split(head)[0]):
        return ROWS["pr"], [head, *rest], False
    if _DATE.fullmatch(head):
        return ROWS["week"], [head, *rest], False
    raise _unknown_command(head, rest, options)


def _continues(row: Command, name: str, rest: str) -> bool:
    """Whether `rest`, written right after a command's name, is its argument."""
    if _NUMBER_FOLLOWS.match(rest) or rest.casefold() in ALL_WORDS | SHARE_WORDS | WEEKS.keys():
        return True
    if rest[:1].isascii():
        return not name.isascii() and rest[:1].isalnum()
    return row.kind == "category" and not _SENTENCE & set(rest)


def _unknown_command(head: str, rest: Sequence[str], options: dict[str, str]) -> CommandProblem:
    match = _GLUED.fullmatch(head)
    if match and not match[1].isascii():  # Chinese runs on without spaces: what begins with a name means it
        near, tail = match[1], "" if _SENTENCE & set(match[3]) else match[3]
    else:
        stem = re.split("[#:0-9]", head, maxsplit=1)[0]
        near, tail = nearest(stem, NAMES | {LAST_WEEK: LAST_WEEK}), head[len(stem) :]
    words = (near, tail, *rest, *written(options)) if near in NAMES else (near,)
    return CommandProblem("unknown_command", given=head, nearest=near, suggestion=_mended(words))


def _mended(words: Sequence[str]) -> str:
    """The words, which begin with a name, as a command that parses; or that name alone where it does; or ""."""
    for candidate in (" ".join(filter(None, words)), words[0]) if words[0] else ():
        try:
            parse(candidate)
        except CommandProblem:
            continue
        return candidate
    return ""


def _one_repository(asked: str | None, named: Collection[str]) -> str | None:
    """The one that the option and the links agree on; the option may be the short name of the links' repository."""
    distinct: Mapping[str, str] = {name.casefold(): name for name in sorted(named)}
    if asked is not None and not any(f"/{name}".endswith(f"/{asked.casefold()}") for name in distinct):
        distinct = {**distinct, asked.casefold(): asked}
    if len(distinct) > 1:
        raise CommandProblem("several_repositories", given=", ".join(sorted(distinct.values())))
    return next(iter(distinct.values()), None)
