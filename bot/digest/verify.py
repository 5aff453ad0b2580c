"""Checks what a digest says against the facts: every figure, number, name, path and date of its text.

A span that carries a claim must say what the claim's recount gives; a pull-request reference must be one the facts
hold; and a digit that carries no claim fails, for then nobody knows where it came from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.digest.recount import Filters, Recount
from bot.digest.telling import period_label
from bot.digest.verify_days import QUOTES as DAYS
from bot.figures import Claim
from bot.message import Block, Code, Heading, ListBlock, Message, Plain, PullRequestRef, Span, Table, spans_of
from bot.text import clean, shown, term

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Failure:
    """A span that the facts do not bear out."""

    text: str
    claim: Claim | None


@dataclass(frozen=True, slots=True)
class Verification:
    """How many spans were checked, and which failed."""

    checked: int = 0
    failures: tuple[Failure, ...] = ()

    def __add__(self, other: Verification) -> Verification:
        return Verification(self.checked + other.checked, self.failures + other.failures)


def verified(message: Message, recount: Recount) -> tuple[Message, Verification]:
    """The message without the paragraphs, list items and table rows that fail, and the result of the check."""
    kept: list[Block] = []
    result = Verification()
    for block in message.blocks:
        sound, checked = _sound(block, recount)
        result += checked
        if sound is not None:
            kept.append(sound)
    return replace(message, blocks=tuple(kept)), result


def check(spans: Sequence[Span], recount: Recount) -> Verification:
    """Check the spans that say something of the facts."""
    said = [span for span in spans if _says_something(span)]
    failed = tuple(Failure(span.text, _claim(span)) for span in said if not _holds(span, recount))
    return Verification(len(said), failed)


def _sound(block: Block, recount: Recount) -> tuple[Block | None, Verification]:
    match block:
        case ListBlock(items=items):
            results = [(item, check(item, recount)) for item in items]
            kept = tuple(item for item, result in results if not result.failures)
            return (replace(block, items=kept) if kept else None), sum((r for _, r in results), Verification())
        case Table(rows=rows):
            checks = [(row, check([span for cell in row for span in cell], recount)) for row in rows]
            sound = tuple(row for row, result in checks if not result.failures)
            return (replace(block, rows=sound) if sound else None), sum((r for _, r in checks), Verification())
        case _:
            result = check(tuple(spans_of(block)), recount)
            return (None if result.failures and not isinstance(block, Heading) else block), result


def _says_something(span: Span) -> bool:
    return isinstance(span, PullRequestRef) or _claim(span) is not None or _DIGIT.search(span.text) is not None


def _claim(span: Span) -> Claim | None:
    return span.claim if isinstance(span, Plain | Code) else None


def _holds(span: Span, recount: Recount) -> bool:
    if isinstance(span, PullRequestRef):
        return span.number in recount.known
    claim = _claim(span)
    if claim is None:
        return False
    if recount.counts(claim):
        return _same_figure(span.text, recount.value(claim))
    return _QUOTES[claim.of](recount, span.text, dict(claim.where))


def _same_figure(text: str, value: float | None) -> bool:
    if value is None:
        return False
    decimals = len(text.partition(".")[2])
    if isinstance(value, float) and decimals:
        return text == f"{value:.{decimals}f}"
    return value == int(value) and text == f"{int(value):,}"


def _numbers(filters: Filters) -> tuple[int, ...]:
    numbers = filters["numbers"] if "numbers" in filters else (filters["number"],)
    return tuple(number for number in numbers if isinstance(number, int)) if isinstance(numbers, tuple) else ()


def _title(recount: Recount, text: str, filters: Filters) -> bool:
    return any(text == shown(recount.known[number].title) for number in _numbers(filters))


def _author(recount: Recount, text: str, filters: Filters) -> bool:
    return any(text == shown(recount.known[number].author) for number in _numbers(filters))


def _path(recount: Recount, text: str, filters: Filters) -> bool:
    return any(text == shown(file.path) for number in _numbers(filters) for file in recount.known[number].files)


def _previous_path(recount: Recount, text: str, filters: Filters) -> bool:
    files = (file for number in _numbers(filters) for file in recount.known[number].files)
    return any(text == shown(file.previous_path) for file in files if file.previous_path)


def _folder(recount: Recount, text: str, filters: Filters) -> bool:
    files = (file for number in _numbers(filters) for file in recount.known[number].files)
    start = text.removesuffix("…")  # where it is longer than anybody reads
    return any(clean(file.path).startswith(start) or f"/{start}" in clean(file.path) for file in files)


def _topic(recount: Recount, text: str, filters: Filters) -> bool:
    return any(text in clean(recount.known[number].title) for number in _numbers(filters))


def _diff(recount: Recount, text: str, filters: Filters) -> bool:
    facts = [fact for fact in recount.week.diff_facts if fact.number == filters["number"]]
    return any(text in {shown(part) for part in (fact.name, fact.old, fact.new, fact.path)} for fact in facts)


def _release(recount: Recount, text: str, filters: Filters) -> bool:
    release = next((release for release in recount.week.releases if release.name == text), None)
    return release is not None and all(release.contains(recount.known[number]) for number in _of(filters))


def _of(filters: Filters) -> tuple[int, ...]:
    return _numbers(filters) if {"number", "numbers"} & filters.keys() else ()


def _date(recount: Recount, text: str, filters: Filters) -> bool:
    del recount
    return text in str(filters["day"])


def _quote(recount: Recount, text: str, filters: Filters) -> bool:
    for number in _numbers(filters):
        one = recount.known[number]
        said = [comment.body for thread in one.threads or () for comment in thread.comments]
        said += [comment.body for comment in one.comments or ()] + [review.body for review in one.reviews or ()]
        said += [comment.author for thread in one.threads or () for comment in thread.comments]
        said += [thread.path for thread in one.threads or ()]
        if any(text.rstrip("…") in clean(body) for body in (*said, one.body)):
            return True
    return False


def _setting(recount: Recount, text: str, filters: Filters) -> bool:
    del filters
    exclude = recount.week.reading.exclude
    return any(text == shown(name) for name in (*exclude.authors, *exclude.paths))


_QUOTES: Mapping[str, Callable[[Recount, str, Filters], bool]] = {
    "title": _title,
    "author": _author,
    "title_part": _topic,
    "path": _path,
    "previous_path": _previous_path,
    "folder": _folder,
    "topic": _topic,
    "diff": _diff,
    "release": _release,
    "tag": lambda recount, text, filters: (
        text == filters["name"] and any(r.name == text for r in recount.week.releases)
    ),
    "repository": lambda recount, text, _: text in recount.week.repository,
    "period": lambda recount, text, _: text == period_label(recount.week.period),
    "timezone": lambda recount, text, _: (
        text in {recount.week.period.timezone, term(recount.week.period.timezone, "timezone")}
    ),
    "date": _date,
    "time": lambda recount, text, _: (
        recount.week.fresh_until is not None
        and text == f"{recount.week.fresh_until.astimezone(recount.week.period.zone):%H:%M}"
    ),
    "quote": _quote,
    "setting": _setting,
    **DAYS,
    "number": lambda recount, text, filters: (
        text == f"#{filters['number']}" and bool({*_numbers(filters)} & recount.known.keys())
    ),
}
