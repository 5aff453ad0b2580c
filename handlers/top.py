"""`top [N|all]`: the period's pull requests by importance."""

from bot.dispatch import Context, Request
from bot.figures import Claim, Measure
from bot.message import Message
from handlers.asked import assessed, counted, limit, names

USUAL = 10


def handle(context: Context, request: Request) -> Message:
    """The ranking, with tags and risks; says how many more there are."""
    ranked = assessed(context, request)
    shown = ranked[: limit(request, USUAL, len(ranked))]
    rows = [
        {
            "number": one.number,
            "title": one.title,
            "author": one.author,
            "importance": Measure(assessment.importance, Claim.about("importance", number=one.number)),
            "tags": assessment.tags,
            "risks": [risk.category for risk in assessment.risks],
        }
        for one, assessment in shown
    ]
    return Message(
        request.subject.wording.blocks(
            "replies/top",
            rows=rows,
            total=counted(len(ranked)),
            more=counted(len(ranked) - len(shown)),
            **names(request),
        )
    )
