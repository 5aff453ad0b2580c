"""`hot [N]`: the files that most pull requests of the period changed."""

from bot.digest.facts import hot_files
from bot.dispatch import Context, Request
from bot.figures import Claim, Word
from bot.message import Message
from handlers.asked import counted, limit, names, require_covered

USUAL = 10


def handle(context: Context, request: Request) -> Message:
    """The ranking of files; generated, vendored, lock and list-like files are counted apart."""
    require_covered(context, request)
    period = request.period
    touching = context.store.touching(request.subject.name, period.since, period.until)
    hot, apart = hot_files(touching, request.subject.rules)
    shown = hot[: limit(request, USUAL, len(hot))]
    rows = [
        {
            "path": Word(file.path, Claim.about("path", numbers=file.pull_requests)),
            "count": counted(len(file.pull_requests)),
            "lines": counted(file.lines),
            "numbers": file.pull_requests,
        }
        for file in shown
    ]
    return Message(
        request.subject.wording.blocks(
            "replies/hot",
            rows=rows,
            more=counted(len(hot) - len(shown)),
            apart=counted(len(apart)),
            **names(request),
        )
    )
