"""`score N`: why a pull request has its importance, term by term."""

from bot.digest.reasons import reason_lines
from bot.dispatch import Context, NothingFound, Request, UserError
from bot.figures import Claim, Measure
from bot.message import Message
from handlers.asked import unknown


def handle(context: Context, request: Request) -> Message:
    """The terms with their points, weightiest first.

    Raises NothingFound for a pull request that is not stored, UserError for one that is older than what is assessed.
    """
    number = int(request.command.arguments[0])
    one = context.store.pull_request(request.subject.name, number)
    if one is None:
        raise NothingFound(Message(unknown(context, request, number)))
    assessment = context.store.assessments(request.subject.name, [number]).get(number)
    if assessment is None:
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
