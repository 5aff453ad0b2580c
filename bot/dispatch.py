"""From a typed command to a message: parse, resolve repository and period, call the handler, word what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from bot.analysis.rules import Rules
from bot.commands import COMMANDS, CommandProblem, ParsedCommand, is_command, parse
from bot.message import Code, Message, PullRequestRef, Span
from bot.models import Period, Reading, Week
from bot.periods import PeriodError, parse_week
from bot.store.errors import Unassessed
from bot.store.store import Store
from bot.text import Wording

_FOR_ADMINS = frozenset(row.name for row in COMMANDS if row.for_admins)


class UserError(Exception):
    """What the asker can mend, or must be told: `code` names the template `templates/replies/problem/CODE.md.j2`."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


class NothingFound(Exception):  # noqa: N818 - says what is the case, as KeyError does not
    """What was asked for is not there; `message` is the answer that says so."""

    def __init__(self, message: Message) -> None:
        super().__init__("nothing found")
        self.message = message


@dataclass(frozen=True)
class Subject:
    """A repository that may be asked about, and how its readers relate to it."""

    name: str
    reading: Reading
    rules: Rules
    wording: Wording


@dataclass(frozen=True)
class Context:
    """What a handler works with: the store, the repositories that this channel may see, and the time.

    `fresh_until` says until when the source is known to be complete, where that is before the period's end,
    `begins_at` where the repository's history begins, where that is known: before it nothing is missing.
    """

    store: Store
    subjects: Mapping[str, Subject]
    period: Period
    now: datetime
    command: str = "/digest"
    fresh_until: datetime | None = None
    begins_at: datetime | None = None
    is_admin: bool = False


@dataclass(frozen=True)
class Request:
    """A parsed command about one repository and one period."""

    command: ParsedCommand
    subject: Subject
    period: Period


Handler = Callable[[Context, Request], Message]


@dataclass(frozen=True)
class Answer:
    """A message; `answered` is False when it says why there is no answer."""

    message: Message
    answered: bool

    @property
    def pull_requests(self) -> tuple[int, ...]:
        """The pull requests cited, in reading order, each once."""
        return tuple(dict.fromkeys(one.number for one in self.message.spans() if isinstance(one, PullRequestRef)))

    @property
    def files(self) -> tuple[str, ...]:
        """The files cited, in reading order, each once."""
        return tuple(dict.fromkeys(one.text for one in self.message.spans() if _is_path(one)))


Ask = Callable[[Context, Request, str], Message]


def respond(context: Context, text: str, handlers: Mapping[str, Handler], ask: Ask) -> Answer:
    """Answer whatever was said to the bot: a command, else a question.

    What nobody foresaw passes to the caller, who apologises (`bot/apology.py`).
    """
    if is_command(text, context.command, categories=_categories(context)):
        return answer(context, text, handlers)
    return _asked(context, text, ask)


def answer(context: Context, text: str, handlers: Mapping[str, Handler]) -> Answer:
    """Answer a typed command. What the asker can mend is worded; anything else passes to the caller."""
    try:
        return _handled(context, requested(context, text), handlers)
    except CommandProblem as problem:
        return _refusal(context, problem.code, dict(problem.values))
    except PeriodError as error:
        return _refusal(context, error.code, dict(error.values))
    except UserError as error:
        return _refusal(context, error.code, error.values)


def _asked(context: Context, text: str, ask: Ask) -> Answer:
    try:
        request = Request(ParsedCommand("ask", (text,)), subject_named(context, None), context.period)
        return Answer(_dated(context, request, ask(context, request, text)), answered=True)
    except UserError as error:
        return _refusal(context, error.code, error.values)


def _categories(context: Context) -> frozenset[str]:
    return frozenset(rule.category for subject in context.subjects.values() for rule in subject.rules.risks)


def requested(context: Context, text: str) -> Request:
    """What a typed command asks for: of which repository, and of which period (the command's own, else the context's).

    Raises CommandProblem, PeriodError and UserError.
    """
    command = parse(text, context.command)
    week = command.week or (command.arguments[0] if command.name == "week" else None)
    period = parse_week(week, context.period.timezone, context.now) if week else context.period
    any_will_do = command.name == "help" and command.repository is None
    subject = next(iter(context.subjects.values())) if any_will_do else subject_named(context, command.repository)
    return Request(command, subject, period)


def within_reach(context: Context, period: Period) -> tuple[datetime, datetime]:
    """The part of a period that there can be history of: since the repository began, until it was last looked at."""
    since = period.since if context.begins_at is None else max(period.since, context.begins_at)
    until = min(period.until, context.now)
    return since, until if context.fresh_until is None else min(until, context.fresh_until)


def week_of(context: Context, subject: Subject, period: Period) -> Week:
    """Everything that a digest of a period is made from, with the instant until which it is complete.

    Raises UnknownRepository, and Unassessed when the period or the covered span before it is not wholly assessed.
    """
    week = context.store.load_week(subject.name, period, subject.reading)
    fresh = context.fresh_until
    if fresh is not None and fresh < period.until:
        week = replace(week, fresh_until=fresh)
    needed = (*(week.span(1) or ()), *week.pull_requests)
    missing = tuple(one.number for one in needed if one.number not in week.assessments)
    if missing:
        raise Unassessed(subject.name, missing)
    return week


def _handled(context: Context, request: Request, handlers: Mapping[str, Handler]) -> Answer:
    handler = handlers.get(request.command.name)
    if handler is None:
        raise UserError("not_here", command=request.command.name)
    if request.command.name in _FOR_ADMINS and not context.is_admin:
        raise UserError("admins_only", command=request.command.name)
    try:
        return Answer(_dated(context, request, handler(context, request)), answered=True)
    except NothingFound as nothing:
        return Answer(_dated(context, request, nothing.message), answered=False)


def _dated(context: Context, request: Request, message: Message) -> Message:
    """The message, with the instant until which its facts are complete where they may not be."""
    fresh = context.fresh_until
    if fresh is None or fresh >= min(request.period.until, context.now):
        return message
    local = fresh.astimezone(request.period.zone)
    note = request.subject.wording.blocks("replies/stale", day=local.date(), time=f"{local:%H:%M}")
    return replace(message, blocks=(*message.blocks, *note))


def subject_named(context: Context, name: str | None) -> Subject:
    """The repository by its full or short name; without a name the only one. Raises UserError."""
    known = context.subjects
    if name is None:
        if len(known) == 1:
            return next(iter(known.values()))
        raise UserError("which_repository", names=list(known))
    wanted = name.casefold()
    found = [one for one in known.values() if wanted in {one.name.casefold(), one.name.partition("/")[2].casefold()}]
    if len(found) != 1:
        raise UserError("unknown_repository", given=name, names=list(known))
    return found[0]


def _refusal(context: Context, code: str, values: Mapping[str, object]) -> Answer:
    wording = next(iter(context.subjects.values())).wording
    blocks = wording.blocks(f"replies/problem/{code}", command_name=context.command, **values)
    return Answer(Message(blocks), answered=False)


def _is_path(span: Span) -> bool:
    return isinstance(span, Code) and span.claim is not None and span.claim.of == "path"
