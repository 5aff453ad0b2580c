"""One answer about several repositories: which of them are concerned, and what each has to say, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.commands import ParsedCommand
from bot.conversing.references import Reference, known_as, references, repositories_named, with_bare_numbers
from bot.dispatch import (
    MENDABLE,
    Answer,
    Ask,
    Context,
    Handler,
    Subject,
    UserError,
    asked,
    handled,
    refusal,
    request_of,
    subject_named,
)
from bot.message import Block, Heading, Message, Plain
from bot.search.understand import understand
from bot.store.errors import UnknownRepository

_BY_NUMBER = frozenset({"pr", "score"})
# What one repository does not know is not said when another does.
_KNOWN_ELSEWHERE = frozenset({"unknown_release", "unknown_category", None})


@dataclass(frozen=True, slots=True)
class Turn:
    """A command, or a question as text, for one repository; `numbers` are the pull requests that it names."""

    subject: Subject
    said: ParsedCommand | str
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Turns:
    """Who answers what, in order; `nowhere` are the pull requests asked for that none of the repositories has."""

    turns: tuple[Turn, ...]
    nowhere: tuple[int, ...] = ()

    @property
    def asks_openly(self) -> bool:
        """Whether it is a question that names no pull request."""
        return not self.nowhere and all(isinstance(turn.said, str) and not turn.numbers for turn in self.turns)

    @property
    def only_url(self) -> str | None:
        """The address of the one pull request that is named; None when none is, or several are."""
        named = [(turn.subject, number) for turn in self.turns for number in turn.numbers]
        return named[0][0].wording.url(named[0][1]) if len(named) == 1 and not self.nowhere else None


def of_command(context: Context, command: ParsedCommand, usual: Sequence[str]) -> Turns:
    """The repositories that a command is about: the one it names, those that have the numbers, else all the usual ones.

    Raises UserError for an unknown repository, for a number that several have, and for numbers that none has.
    """
    numbers = tuple(map(int, command.arguments)) if command.name in _BY_NUMBER else ()
    if command.repository is not None or len(context.subjects) == 1:
        return Turns((Turn(subject_named(context, command.repository), command, numbers),))
    if not numbers:
        return Turns(tuple(Turn(context.subjects[name], command) for name in usual))
    groups, nowhere = _by_number(context, numbers, usual)
    turns = (
        Turn(context.subjects[name], replace(command, arguments=tuple(map(str, found))), tuple(found))
        for name, found in groups.items()
    )
    return Turns(tuple(turns), nowhere)


def of_question(context: Context, text: str, usual: Sequence[str]) -> Turns:
    """The repositories that a question is about: those it names, those that have the numbers, else all the usual ones.

    Raises UserError as `of_command` does.
    """
    names = tuple(context.subjects)
    named = [subject_named(context, one).name for one in repositories_named(text, names)]
    line = with_bare_numbers(text, names)
    numbers = understand(line, {}, ()).numbers
    if len(named) > 1:
        found = references(text, names)
        return Turns(tuple(_part(context.subjects[name], line, _numbers_of(name, found, names)) for name in named))
    if named or len(names) == 1:
        return Turns((Turn(context.subjects[(named or names)[0]], line, numbers),))
    if not numbers:
        return Turns(tuple(Turn(context.subjects[name], line) for name in usual))
    groups, nowhere = _by_number(context, numbers, usual)
    if len(groups) == 1 and not nowhere:
        return Turns((Turn(context.subjects[next(iter(groups))], line, numbers),))
    return Turns(tuple(_part(context.subjects[name], line, found) for name, found in groups.items()), nowhere)


def answered_in_turn(
    context: Context,
    turns: Turns,
    of: Callable[[Subject], Context],
    handlers: Mapping[str, Handler],
    ask: Ask,
) -> Answer:
    """What the repositories have to say, each under its name where there are several. `of` gives the context of one."""
    found = [(turn.subject, _answer(of(turn.subject), turn, handlers, ask)) for turn in turns.turns]
    told = _worth_telling(found)
    if {answer.code for _, answer in told} == {"not_understood"}:
        return told[0][1]  # once is enough
    blocks = [*(told[0][1].message.blocks if len(found) == 1 else _under_headings(told))]
    if turns.nowhere:
        blocks += _nowhere(context, turns.nowhere).message.blocks
    elsewhere = [subject.name for subject, answer in found if not answer.answered and answer.code is None]
    if elsewhere and len(told) < len(found):
        blocks += told[0][0].wording.blocks("replies/nothing-elsewhere", names=elsewhere)
    codes = {answer.code for _, answer in told}
    answered = any(answer.answered for _, answer in told)
    return Answer(Message(tuple(blocks)), answered, codes.pop() if len(codes) == 1 else None)


def _answer(context: Context, turn: Turn, handlers: Mapping[str, Handler], ask: Ask) -> Answer:
    if isinstance(turn.said, str):
        return asked(context, turn.said, ask, turn.subject)
    try:
        return handled(context, request_of(context, turn.said, turn.subject), handlers)
    except MENDABLE as error:
        return refusal(context, error, turn.subject)


def _worth_telling(found: Sequence[tuple[Subject, Answer]]) -> list[tuple[Subject, Answer]]:
    """All answers, without those that found nothing where others did."""
    told = [(subject, answer) for subject, answer in found if answer.answered or answer.code not in _KNOWN_ELSEWHERE]
    return told if any(answer.answered for _, answer in told) else list(found)


def _under_headings(found: Iterable[tuple[Subject, Answer]]) -> Iterable[Block]:
    for subject, answer in found:
        yield Heading((Plain(subject.name),))
        yield from answer.message.blocks


def _part(subject: Subject, line: str, numbers: Sequence[int]) -> Turn:
    """A question's part for one repository: the pull requests that are its own, else the whole question."""
    return Turn(subject, " ".join(f"#{number}" for number in numbers) or line, tuple(numbers))


def _numbers_of(name: str, found: Iterable[Reference], names: Sequence[str]) -> tuple[int, ...]:
    return tuple(one.number for one in found if one.repository and known_as(one.repository, names) == name)


def _by_number(
    context: Context, numbers: Iterable[int], usual: Sequence[str]
) -> tuple[dict[str, list[int]], tuple[int, ...]]:
    """The numbers by the repository that has them, the usual ones first, and the numbers that none has.

    Raises UserError when several have one, and when none has any.
    """
    groups: dict[str, list[int]] = {}
    nowhere: list[int] = []
    for number in numbers:
        others = [name for name in context.subjects if name not in usual]
        having = _having(context, number, usual) or _having(context, number, others)
        if len(having) > 1:
            raise UserError("several_have", number=number, names=having)
        for name in having:
            groups.setdefault(name, []).append(number)
        if not having:
            nowhere.append(number)
    if not groups:
        raise _nowhere_error(context, nowhere)
    return groups, tuple(nowhere)


def _having(context: Context, number: int, names: Iterable[str]) -> list[str]:
    return [name for name in names if _has(context, name, number)]


def _has(context: Context, name: str, number: int) -> bool:
    try:
        return context.store.pull_request(name, number) is not None
    except UnknownRepository:  # not synced yet: nothing of it is known
        return False


def _nowhere_error(context: Context, numbers: Sequence[int]) -> UserError:
    return UserError("number_nowhere", numbers=[f"#{number}" for number in numbers], names=list(context.subjects))


def _nowhere(context: Context, numbers: Sequence[int]) -> Answer:
    return refusal(context, _nowhere_error(context, numbers))
