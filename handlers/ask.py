"""A question in plain words: pull requests by number, by file, or by the words of titles."""

from __future__ import annotations

from collections.abc import Mapping

from bot.analysis.rules import Rules
from bot.commands import ParsedCommand
from bot.dispatch import Context, Handler, NothingFound, Request, UserError
from bot.figures import Claim, Word
from bot.message import Message
from bot.search.rank import Candidate, Hit, rank
from bot.search.topics import topic_of
from bot.search.understand import Question, understand
from bot.text import terms
from handlers import hot, pr, risks, top
from handlers.asked import Assessed, assessed, counted, names, require_covered

_SHOWN = 6
_WHOLE_PERIOD: Mapping[str, Handler] = {"top": top.handle, "risks": risks.handle, "hot": hot.handle}


def handle(context: Context, request: Request, text: str) -> Message:
    """Answer from the period's pull requests, saying what was understood.

    A question about the whole period gets what the command for it gives. Raises NothingFound when no pull request bears
    on it, and UserError when nothing was understood, and as `assessed` does.
    """
    question = _understood(request, text)
    if question.numbers:
        numbers = tuple(map(str, question.numbers))
        return pr.handle(context, _about(request, ParsedCommand("pr", numbers)))
    topic = topic_of(text)
    if topic is not None and _understood(request, topic[1]).is_empty:
        return _WHOLE_PERIOD[topic[0]](context, _about(request, ParsedCommand(topic[0])))
    require_covered(context, request)
    ranked = assessed(context, request)
    if question.is_empty:
        raise UserError("not_understood", number=next((one.number for one, _ in ranked), None))
    hits = rank(question, _candidates(context, request, ranked))
    answer = _answer(request, question, ranked, hits)
    if not hits:
        raise NothingFound(answer)
    return answer


def _understood(request: Request, text: str) -> Question:
    return understand(text, terms()["tag"], categories_of(request.subject.rules))


def categories_of(rules: Rules) -> tuple[str, ...]:
    """The names of the risk categories, each once."""
    return tuple(dict.fromkeys(rule.category for rule in rules.risks))


def _about(request: Request, command: ParsedCommand) -> Request:
    return Request(command, request.subject, request.period)


def _candidates(context: Context, request: Request, ranked: Assessed) -> list[Candidate]:
    period = request.period
    files: dict[int, list[str]] = {}
    for path, touches in context.store.touching(request.subject.name, period.since, period.until).items():
        for touch in touches:
            files.setdefault(touch.number, []).append(path)
    return [
        Candidate(
            number=one.number,
            title=one.title,
            tags=assessment.tags,
            categories=tuple(risk.category for risk in assessment.risks),
            files=tuple(files.get(one.number, ())),
            importance=assessment.importance,
        )
        for one, assessment in ranked
    ]


def _answer(request: Request, question: Question, ranked: Assessed, hits: list[Hit]) -> Message:
    by_number = {one.number: one for one, _ in ranked}
    rows = [
        {
            "number": hit.number,
            "title": by_number[hit.number].title,
            "author": by_number[hit.number].author,
            "files": [Word(path, Claim.about("path", numbers=(hit.number,))) for path in hit.files[:2]],
        }
        for hit in hits[:_SHOWN]
    ]
    return Message(
        request.subject.wording.blocks(
            "replies/ask",
            question=question,
            rows=rows,
            total=counted(len(ranked)),
            found=counted(len(hits)),
            more=counted(max(0, len(hits) - _SHOWN)),
            nearest=[one.number for one, _ in ranked[:3]],
            **names(request),
        )
    )
