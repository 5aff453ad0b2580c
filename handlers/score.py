"""`score N`: why a pull request has its importance, term by term."""

from bot.digest.reasons import reason_lines
from bot.dispatch import Context, Request, UserError
from bot.figures import Claim, Measure
from bot.message import Message


def handle(context: Context, request: Request) -> Message:
    """The terms with their points, weightiest first. Raises UserError for a pull request that is not stored."""
    number = int(request.command.arguments[0])
    one = context.store.pull_request(request.subject.name, number)
    assessment = context.store.assessments(request.subject.name, [number]).get(number) if one else None
    if one is None or assessment is None:
        raise UserError("no_assessment", number=number)
    terms = [
        {"points": Measure(reason.points, Claim.about("listed"), 2), "raises": reason.points > 0, "text": line}
        for reason, line in reason_lines(assessment, request.subject.wording)
    ]
    return Message(
        request.subject.wording.blocks(
            "replies/score",
            number=number,
            title=one.title,
            importance=Measure(assessment.importance, Claim.about("importance", number=number)),
            terms=terms,
        )
    )
