"""`pr N…`: what the facts say of pull requests, one card each."""

from bot.analysis.lineage import reverts_of
from bot.analysis.releases import first_release
from bot.digest.posting import wrong
from bot.digest.reasons import risk_line
from bot.dispatch import Context, NothingFound, Request
from bot.figures import Claim, Measure, Word
from bot.message import Block, Message
from bot.models import Assessment, PullRequest
from handlers.asked import counted, names, unknown

_FILES = 5


def handle(context: Context, request: Request) -> Message:
    """A card for each number; a number that is not stored, or lies outside the period, is said to be so.

    In a chat each card has the button that reports a mistake. Raises NothingFound when none is stored.
    """
    numbers = tuple(map(int, request.command.arguments))
    found = {number: context.store.pull_request(request.subject.name, number) for number in numbers}
    blocks: list[Block] = []
    for number, one in found.items():
        blocks.extend(unknown(context, request, number) if one is None else _card(context, request, one))
        if one is not None and context.chat is not None:
            blocks.append(wrong(number, _report(context, request)))
    if not any(found.values()):
        raise NothingFound(Message(tuple(blocks)))
    return Message(tuple(blocks))


def _report(context: Context, request: Request) -> str:
    """The command of that button; the repository is named where there are several."""
    return f"wrong {{}} repo={request.subject.name}" if len(context.subjects) > 1 else "wrong {}"


def _card(context: Context, request: Request, one: PullRequest) -> tuple[Block, ...]:
    store, name = context.store, request.subject.name
    assessment = store.assessments(name, [one.number]).get(one.number)
    releases = store.releases(name)
    release = first_release(one, releases)
    files = sorted(one.files, key=lambda file: (-file.churn, file.path))
    return request.subject.wording.blocks(
        "replies/pr",
        number=one.number,
        title=one.title,
        author=one.author,
        is_bot=one.author_kind == "bot",
        merged=one.merged_at.astimezone(request.period.zone).date().isoformat(),
        outside=not request.period.contains(one.merged_at),
        base=one.base,
        counted_lines=one.counted,
        file_count=counted(len(files)),
        additions=counted(one.additions),
        deletions=counted(one.deletions),
        files=[_file(file.path, file.churn, one) for file in files[:_FILES]],
        more_files=counted(max(0, len(files) - _FILES)),
        assessment=_assessment(request, assessment, one),
        release=release.name if release else "",
        releases_known=bool(releases),
        reverts=_reverts(context, request, one),
        reviewed=one.reviews is not None,
        **names(request),
    )


def _file(path: str, churn: int, one: PullRequest) -> dict[str, object]:
    return {"path": Word(path, Claim.about("path", numbers=(one.number,))), "lines": counted(churn)}


def _assessment(request: Request, assessment: Assessment | None, one: PullRequest) -> dict[str, object] | None:
    if assessment is None:
        return None
    return {
        "importance": Measure(assessment.importance, Claim.about("importance", number=one.number)),
        "tags": assessment.tags,
        "risks": [
            {"name": risk.category, "evidence": risk_line(risk, request.subject.wording)} for risk in assessment.risks
        ],
    }


def _reverts(context: Context, request: Request, one: PullRequest) -> list[int]:
    """The later pull requests, as far as stored, that undo this one."""
    store, name = context.store, request.subject.name
    later = store.pull_requests(name, one.merged_at, context.now, with_files=False)
    return [reversal.number for reversal in reverts_of(later, ()) if reversal.target == one.number]
