"""`release N`: a delivery that was parked for a person is tried again."""

from bot.dispatch import Context, Request, UserError
from bot.message import Message
from handlers.channel import chat_and_team


def handle(context: Context, request: Request) -> Message:
    """Say that it goes on. Raises UserError when there is no such delivery, or it is not parked."""
    chat_and_team(context, "release")
    number = int(request.command.arguments[0])
    ledger = context.store.ledger()
    found = ledger.delivery(number)
    if found is None:
        raise UserError("no_such_delivery", number=number)
    if not ledger.release(number, context.now):
        raise UserError("not_parked", number=number, state=found.state)
    return Message(request.subject.wording.blocks("replies/release", number=number, names=list(found.repositories)))
