"""`risks [category]`: the period's risks, the same counts as in the digest, with the evidence of each."""

from bot.commands import normalised
from bot.digest.facts import by_risk
from bot.digest.reasons import risk_line
from bot.dispatch import Context, Request, UserError
from bot.message import Message, Spans
from bot.models import Assessment, PullRequest
from handlers.asked import assessed, counted, names

_SHOWN = 5


def handle(context: Context, request: Request) -> Message:
    """All categories with their first pull requests, or one category whole. Raises UserError for an unknown one."""
    ranked = assessed(context, request)
    found = by_risk(assessment for _, assessment in ranked)
    wanted = _category(request)
    rows = {one.number: (one, assessment) for one, assessment in ranked}
    groups = [
        {
            "name": name,
            "count": counted(len(numbers)),
            "rows": [_row(request, *rows[number], name) for number in (numbers if wanted else numbers[:_SHOWN])],
            "more": counted(0 if wanted else max(0, len(numbers) - _SHOWN)),
        }
        for name, numbers in found.items()
        if wanted in {None, name}
    ]
    blocks = request.subject.wording.blocks("replies/risks", groups=groups, **names(request))
    return Message(blocks)


def _category(request: Request) -> str | None:
    if not request.command.arguments:
        return None
    asked = request.command.arguments[0].casefold()
    known = list(dict.fromkeys(rule.category for rule in request.subject.rules.risks))
    matching = [name for name in known if asked in normalised(name).casefold()]
    if len(matching) != 1:
        raise UserError("unknown_category", given=request.command.arguments[0], names=known)
    return matching[0]


def _row(request: Request, one: PullRequest, assessment: Assessment, category: str) -> dict[str, object]:
    risk = next(risk for risk in assessment.risks if risk.category == category)
    evidence: Spans = risk_line(risk, request.subject.wording)
    return {"number": one.number, "title": one.title, "evidence": evidence}
