"""From a typed command to a message: parse, resolve repository and period, call the handler, word what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from bot.analysis import rules
from bot.analysis.rules import Rules
from bot.commands import COMMANDS, CommandProblem, ParsedCommand, is_command, parse
from bot.message import Code, Message, PullRequestRef, Span
from bot.models import Period, Reading, Week
from bot.periods import PeriodError, parse_week
from bot.store.errors import Unassessed, UnknownRepository
from bot.store.store import Store
from bot.team import Team
from bot.text import Wording

_FOR_ADMINS = frozenset(row.name for row in COMMANDS if row.for_admins)
_OF_CHANNEL = frozenset(row.name for row in COMMANDS if row.of_channel)


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
class Chat:
    """Where and by whom something was said, for the commands that change what the bot does there.

    `thread` is the id of the root it was said under, `message` its own id (a pressed button's: that of the message it
    stands on); None as in `bot.ports.Incoming`, where `external` and `direct` are explained too. `post` posts a
    message in a channel, in a thread when one is named, and returns its id; it raises what
    `bot.ports.ChatPlatform.post` raises. `permalink` gives the address of a message by its channel and id.
    """

    platform: str
    channel: str
    user: str
    thread: str | None
    message: str | None
    post: Callable[[str, Message, str | None], str]
    permalink: Callable[[str, str], str | None] | None = None
    external: bool | None = None
    direct: bool = False


@dataclass(frozen=True)
class Context:
    """What a handler works with: the store, the repositories that this channel may see, and the time.

    `chat` is None where there is none: on the command line, `team` where no configuration is. `fresh_until` says until
    when the source is known to be complete, where that is before the period's end, `begins_at` where the repository's
    history begins, where that is known: before it nothing is missing.
    """

    store: Store
    subjects: Mapping[str, Subject]
    period: Period
    now: datetime
    command: str = "/digest"
    fresh_until: datetime | None = None
    begins_at: datetime | None = None
    is_admin: bool = False
    chat: Chat | None = None
    team: Team | None = None


@dataclass(frozen=True)
class Request:
    """A parsed command about one repository and one period."""

    command: ParsedCommand
    subject: Subject
    period: Period


Handler = Callable[[Context, Request], Message]


@dataclass(frozen=True)
class Answer:
    """A message; `answered` is False when it says why there is no answer.

    `code` is then that of the problem (a template of `templates/replies/problem/`), None when nothing was found.
    """

    message: Message
    answered: bool
    code: str | None = None

    @property
    def pull_requests(self) -> tuple[int, ...]:
        """The pull requests cited, in reading order, each once."""
        return tuple(dict.fromkeys(one.number for one in self.message.spans() if isinstance(one, PullRequestRef)))

    @property
    def files(self) -> tuple[str, ...]:
        """The files cited, in reading order, each once."""
        return tuple(dict.fromkeys(one.text for one in self.message.spans() if _is_path(one)))


Ask = Callable[[Context, Request, str], Message]

MENDABLE = (CommandProblem, PeriodError, UserError)
"""What `refusal` words."""


def respond(
    context: Context, text: str, handlers: Mapping[str, Handler], ask: Ask, *, addressed: bool = False
) -> Answer:
    """Answer whatever was said: a command, else a question. `addressed`: it was said to the bot and to nobody else.

    What nobody foresaw passes to the caller, who apologises (`bot/apology.py`).
    """
    if is_command(text, context.command, categories=categories(context), addressed=addressed):
        return answer(context, text, handlers)
    return asked(context, text, ask)


def answer(context: Context, text: str, handlers: Mapping[str, Handler]) -> Answer:
    """Answer a typed command. What the asker can mend is worded; anything else passes to the caller."""
    try:
        return handled(context, requested(context, text), handlers)
    except MENDABLE as error:
        return refusal(context, error)


def asked(context: Context, text: str, ask: Ask, subject: Subject | None = None) -> Answer:
    """Answer a question about a repository, by default the only one there is. What the asker can mend is worded."""
    try:
        request = Request(ParsedCommand("ask", (text,)), subject or subject_named(context, None), context.period)
        return _worked_out(context, request, lambda: ask(context, request, text))
    except MENDABLE as error:
        return refusal(context, error, subject)


def categories(context: Context) -> frozenset[str]:
    """The names of the risk categories of all repositories."""
    return frozenset(rule.category for subject in context.subjects.values() for rule in subject.rules.risks)


def requested(context: Context, text: str) -> Request:
    """What a typed command asks for: of which repository, and of which period (the command's own, else the context's).

    Raises CommandProblem, PeriodError and UserError.
    """
    command = parse(text, context.command)
    return request_of(context, command, _subject_of(context, command))


def request_of(context: Context, command: ParsedCommand, subject: Subject) -> Request:
    """A command about a repository, for the period that it names, else the context's. Raises PeriodError."""
    week = command.week or (command.arguments[0] if command.name == "week" else None)
    period = parse_week(week, context.period.timezone, context.now) if week else context.period
    return Request(command, subject, period)


def _subject_of(context: Context, command: ParsedCommand) -> Subject:
    """The repository that a command is about; any will do for one that is about the channel."""
    if command.name in _OF_CHANNEL or (command.name == "help" and command.repository is None):
        return next(iter(context.subjects.values()), _nothing())
    return subject_named(context, command.repository)


def _nothing() -> Subject:
    """What can be spoken of where no repository may be: the wording alone."""
    return Subject("", Reading(), rules.load(), Wording(_unlinked))


def _unlinked(number: int) -> str:
    raise ValueError(f"no repository may be spoken of here, asked for the address of {number}")


def reaching(context: Context, subject: Subject) -> Context:
    """The context with how far the stored history of one repository reaches."""
    reach = context.store.reach(subject.name)
    return replace(context, begins_at=reach.begins_at, fresh_until=reach.fresh_until)


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


def handled(context: Context, request: Request, handlers: Mapping[str, Handler]) -> Answer:
    """What a command's handler answers. Raises UserError, also where the handler or the right to it is missing."""
    handler = handlers.get(request.command.name)
    if handler is None:
        raise UserError("not_here", command=request.command.name)
    if request.command.name in _FOR_ADMINS and not context.is_admin:
        raise UserError("admins_only", command=request.command.name)
    return _worked_out(context, request, lambda: handler(context, request))


def _worked_out(context: Context, request: Request, work: Callable[[], Message]) -> Answer:
    try:
        return Answer(_dated(context, request, work()), answered=True)
    except NothingFound as nothing:
        return Answer(_dated(context, request, nothing.message), answered=False)
    except UnknownRepository as error:
        since = request.period.since.date().isoformat()
        raise UserError("not_synced", since=since, repository=request.subject.name) from error


def _dated(context: Context, request: Request, message: Message) -> Message:
    """The message, with the instant until which its facts are complete where they may not be."""
    fresh = context.fresh_until
    if fresh is None or fresh >= min(request.period.until, context.now) or request.command.name in _OF_CHANNEL:
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


def refusal(
    context: Context, error: CommandProblem | PeriodError | UserError, subject: Subject | None = None
) -> Answer:
    """The answer that says what the asker can mend, about a repository where one is given."""
    wording = (subject or next(iter(context.subjects.values()), _nothing())).wording
    blocks = wording.blocks(f"replies/problem/{error.code}", command_name=context.command, **error.values)
    return Answer(Message(blocks), answered=False, code=error.code)


def _is_path(span: Span) -> bool:
    return isinstance(span, Code) and span.claim is not None and span.claim.of == "path"
