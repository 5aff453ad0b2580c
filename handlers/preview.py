"""`preview`: the digest as it would be posted now, shown to nobody but the asker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.digest.build import Digest, build
from bot.digest.posting import messages_of
from bot.digest.several import Failure, several, unread
from bot.dispatch import Context, Request, Subject, UserError, reaching
from bot.message import Buttons, Message
from handlers.asked import counted, loaded, require_covered


def handle(context: Context, request: Request) -> Message:
    """What would be posted of the period, in one message: of the repository named, else of all that are read here.

    Raises UserError when the only repository's period is not stored; of several, those that are not are named in it.
    """
    named = request.command.repository is not None or len(context.subjects) == 1
    messages = messages_of(_digest(context, request)) if named else _of_all(context, request)
    wording = request.subject.wording
    root, thread = (
        wording.blocks("replies/preview", part=part, messages=counted(len(messages) - 1)) for part in ("root", "thread")
    )
    blocks = [*root, *messages[0].blocks, *(thread if messages[1:] else ())]
    blocks += [block for one in messages[1:] for block in one.blocks]
    if context.chat is None:  # nobody could press them
        blocks = [block for block in blocks if not isinstance(block, Buttons)]
    return Message(tuple(blocks), messages[0].summary)


def _of_all(context: Context, request: Request) -> Sequence[Message]:
    digests: list[Digest] = []
    failures: list[Failure] = []
    for subject in context.subjects.values():
        try:
            digests.append(_digest(reaching(context, subject), replace(request, subject=subject)))
        except UserError as error:
            failures.append(Failure(subject.name, _reason(context, subject, error)))
    if digests:
        return several(digests, failures)
    return unread(request.period, failures, request.subject.wording)


def _digest(context: Context, request: Request) -> Digest:
    require_covered(context, request)
    return build(loaded(context, request, request.period), request.subject.rules, request.subject.wording)


def _reason(context: Context, subject: Subject, error: UserError) -> str:
    wording = subject.wording
    return wording.sentence(f"replies/problem/{error.code}", command_name=context.command, **error.values)
