"""What is said becomes a reply or silence: what was meant, what is answered, and where the answer belongs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial

from bot.commands import COMMANDS, CommandProblem, ParsedCommand, is_command, normalised, parse
from bot.commands.spelling import without_end
from bot.conversing.manners import Manner, manner, sounds_like_a_question
from bot.conversing.placement import only_cited, place_of
from bot.conversing.scene import Scene, Surroundings
from bot.conversing.turns import Turns, answered_in_turn, of_command, of_question
from bot.dispatch import MENDABLE, Answer, Context, UserError, answer, categories, handled, refusal, request_of
from bot.message import Message
from bot.ports import Incoming, Overheard, Place, Reply
from bot.text import Wording
from handlers import HANDLERS
from handlers.ask import handle as ask

_OF_CHANNEL = frozenset(row.name for row in COMMANDS if row.of_channel) | {"help"}


@dataclass(frozen=True)
class Conversing:
    """Answers what is said on any platform. Usable from several threads; nothing is remembered between two calls."""

    among: Surroundings

    def respond(self, incoming: Incoming) -> Reply | None:
        """The reply; None where nobody asked. Fulfils `bot.ports.Respond`.

        What cannot be answered is answered with the reason. What nobody foresaw passes to the caller, who apologises;
        as Overheard where it is not known that anybody asked.
        """
        try:
            heard = self._heard(incoming)
        except Exception as error:
            if incoming.addressed:
                raise
            raise Overheard(str(error)) from error
        return heard if heard is None or isinstance(heard, Reply) else self._reply(*heard)

    def _heard(self, incoming: Incoming) -> tuple[Scene, Context] | Reply | None:
        """Where it was said and what may be spoken of there; None: silence; a reply where nothing was asked."""
        digest = self.among.digest(incoming)
        if not incoming.addressed and digest is None:
            return None
        scene = self.among.scene(incoming, digest)
        if not incoming.addressed and not scene.audience.repositories:
            return None
        context = self.among.context(scene)
        match manner(incoming, self.among.setting(scene, context)):
            case Manner.SILENCE:
                return None
            case Manner.GREET:
                return Reply(_greeting(context), to_all=not incoming.private)
        return scene, context

    def _reply(self, scene: Scene, context: Context) -> Reply:
        try:
            command = _command(scene.incoming, context)
            return self._question(scene, context) if command is None else self._command(scene, context, command)
        except MENDABLE as error:
            if isinstance(error, UserError) and error.code == "unknown_repository" and scene.audience.withheld:
                error = UserError("not_shown_here", **error.values)
            return _said(scene, refusal(context, error), None)

    def _command(self, scene: Scene, context: Context, command: ParsedCommand) -> Reply:
        if command.name in _OF_CHANNEL:
            return _said(scene, answer(context, scene.incoming.text, HANDLERS), None, share=command.share)
        if command.name == "preview" and context.is_admin:
            context = replace(context, subjects=context.subjects or self.among.showable(scene))
        _require_some(scene, context)
        if command.name == "preview" and command.repository is None and len(context.subjects) > 1:
            any_of_them = next(iter(context.subjects.values()))  # they have one digest together
            return _said(scene, handled(context, request_of(context, command, any_of_them), HANDLERS), None)
        return self._placed(scene, context, of_command(context, command, _usual(scene, context)), share=command.share)

    def _question(self, scene: Scene, context: Context) -> Reply:
        _require_some(scene, context)
        text = _without_slash(scene.incoming.text, context.command)
        turns = of_question(context, text, _usual(scene, context))
        mistyped = None if sounds_like_a_question(text) else _mistyped(text, context)
        return self._placed(scene, context, turns, mistyped=mistyped)

    def _placed(
        self,
        scene: Scene,
        context: Context,
        turns: Turns,
        *,
        share: bool = False,
        mistyped: CommandProblem | None = None,
    ) -> Reply:
        """The answer, in the thread of a digest where it belongs there; that digest's period is meant then.

        Raises `mistyped`, a text that is nearly a command, where it found nothing as a question.
        """
        ledger, digest, place = self.among.store.ledger(), scene.digest, None
        if digest is None:
            place = place_of(scene.incoming, turns.only_url, ledger.citing)
        if place is not None:
            digest = ledger.posted_at(scene.incoming.platform, scene.incoming.channel, place.thread)
        of_one = partial(self.among.context_of_one, scene, context, digest)
        found = answered_in_turn(context, turns, of_one, HANDLERS, ask)
        if mistyped is not None and found.code in {None, "not_understood"} and not found.answered:
            raise mistyped
        if digest is None and turns.asks_openly and found.answered:
            place = place_of(scene.incoming, only_cited(found.message), ledger.citing)
        return _said(scene, found, place, share=share)


def _usual(scene: Scene, context: Context) -> tuple[str, ...]:
    """The repositories that are meant where none is named: those of the digest, else all."""
    told = () if scene.digest is None else scene.digest.repositories
    return tuple(name for name in told if name in context.subjects) or tuple(context.subjects)


def _command(incoming: Incoming, context: Context) -> ParsedCommand | None:
    """The command that was given; None where a question was asked. Raises CommandProblem."""
    if not incoming.private and not _is_command(incoming, context):
        return None
    try:
        return parse(incoming.text, context.command)
    except CommandProblem:
        if sounds_like_a_question(_without_slash(incoming.text, context.command)):
            return None
        raise


def _is_command(incoming: Incoming, context: Context) -> bool:
    """Whether what was said in public is a command; whoever addresses the bot may end it like a sentence."""
    read = partial(is_command, command=context.command, categories=categories(context), addressed=incoming.addressed)
    return read(incoming.text) or (incoming.addressed and read(without_end(normalised(incoming.text))))


def _mistyped(text: str, context: Context) -> CommandProblem | None:
    """What is wrong with a text that is nearly a command."""
    try:
        parse(text, context.command)
    except CommandProblem as problem:
        return problem if problem.values.get("suggestion") else None
    return None


def _without_slash(text: str, command: str) -> str:
    return re.sub(rf"^\s*{re.escape(command)}(?=\s|$)", "", text, flags=re.IGNORECASE).strip()


def _require_some(scene: Scene, context: Context) -> None:
    """Raise UserError, with the reason, where nothing may be spoken of."""
    if not context.subjects:
        raise UserError(scene.audience.reason or "no_subscription", platform=scene.incoming.platform)


def _said(scene: Scene, found: Answer, place: Place | None, *, share: bool = False) -> Reply:
    """Everybody sees the answer to what everybody saw asked; what was asked in private only when it is shared."""
    to_all = not scene.incoming.private or (share and found.answered)
    return Reply(found.message, to_all, place)


def _greeting(context: Context) -> Message:
    wording = Wording(_without_links)
    repositories = list(context.subjects)
    return Message(wording.blocks("replies/greeting", repositories=repositories, command_name=context.command))


def _without_links(number: int) -> str:
    raise ValueError(f"a greeting names no pull request, asked for {number}")
