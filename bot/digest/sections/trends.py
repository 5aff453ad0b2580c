"""模块与主题趋势: what the week was about, against the span before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.analysis.findings import evidence as said
from bot.analysis.paths import directory
from bot.analysis.topics import shown, topics_of
from bot.digest.view import View
from bot.figures import Count, Word
from bot.message import Block
from bot.models import FindingKind, PullRequest

_ROWS = 8
_FOLDERS = 6
_LEAST = 3
"""Pull requests from which on a topic or a folder is worth a row."""

_SAME = 0.7
"""Two topics whose pull requests overlap by this share are one topic under two names."""


@dataclass(frozen=True, slots=True)
class Row:
    """A topic or folder with its counts; `previous` is None when the span before is not fully covered."""

    name: Word
    now: Count
    previous: Count | None
    fixes: Count
    examples: tuple[int, ...]


def render(view: View) -> tuple[Block, ...]:
    """The section's blocks."""
    return view.blocks(
        "trends",
        topics=_topics(view),
        folders=_folders(view),
        platforms=[one.text for one in view.of(FindingKind.PLATFORMS)],
        unstable=[one.text for one in view.of(FindingKind.UNSTABLE)],
        unusual=[one.text for one in view.of(FindingKind.UNUSUAL)],
    )


def _topics(view: View) -> list[Row]:
    """The topics that most titles name, each set of pull requests once."""
    kept: list[tuple[str, Sequence[PullRequest]]] = []
    by_size = sorted(view.evidence.by_topic.items(), key=lambda item: (-len(item[1]), item[0]))
    for topic, some in by_size:
        if len(some) >= _LEAST and not any(_overlap(some, others) >= _SAME for _, others in kept):
            kept.append((topic, some))
    return [_topic_row(view, topic, some) for topic, some in kept[:_ROWS]]


def _topic_row(view: View, topic: str, some: Sequence[PullRequest]) -> Row:
    spelling = shown(topic, some, view.evidence.rules)
    before = view.week.span(1)
    previous = None if before is None else sum(topic in topics_of(one, view.evidence.rules) for one in before)
    return Row(
        name=said.topic(topic, spelling, some),
        now=view.count(len(some), topic=topic),
        previous=None if previous is None else view.count(previous, topic=topic, span=1),
        fixes=view.count(_fixes(view, some), topic=topic, tag="bugfix"),
        examples=view.evidence.ordered(some)[:2],
    )


def _folders(view: View) -> list[Row]:
    """The source folders that most pull requests changed; of a folder and its parent the telling one."""
    now = _by_folder(view, view.week.pull_requests)
    before = view.week.span(1)
    earlier = None if before is None else {name: len(some) for name, some in _by_folder(view, before).items()}
    names = _telling(Counter({name: len(some) for name, some in now.items()}))
    return [_folder_row(view, name, now[name], earlier) for name in names[:_FOLDERS]]


def _folder_row(view: View, name: str, some: Sequence[PullRequest], earlier: dict[str, int] | None) -> Row:
    filters = {"folder": name, "source": 1}
    return Row(
        name=said.folder(name, some),
        now=view.count(len(some), **filters),
        previous=None if earlier is None else view.count(earlier.get(name, 0), **filters, span=1),
        fixes=view.count(_fixes(view, some), **filters, tag="bugfix"),
        examples=view.evidence.ordered(some)[:2],
    )


def _by_folder(view: View, pull_requests: Iterable[PullRequest]) -> dict[str, list[PullRequest]]:
    """Every folder of source, parents included, with the pull requests that changed something under it."""
    found: dict[str, list[PullRequest]] = {}
    for one in pull_requests:
        for name in {parent for file in view.evidence.source(one) for parent in _parents(file.path)}:
            found.setdefault(name, []).append(one)
    return found


def _parents(path: str) -> list[str]:
    depth = directory(path).count("/")
    return [directory(path, level) for level in range(1, depth + 1)]


def _telling(counts: Counter[str]) -> list[str]:
    """Folders by count, leaving out those that a child mostly explains and those inside one that is kept."""
    total = max(counts.values(), default=0)
    kept: list[str] = []
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        broad = count > total / 3 and any(other.startswith(name) and other != name for other in counts)
        nested = any(name.startswith(other) for other in kept)
        if count >= _LEAST and not broad and not nested:
            kept.append(name)
    return kept


def _fixes(view: View, some: Iterable[PullRequest]) -> int:
    return sum("bugfix" in view.week.assessments[one.number].tags for one in some)


def _overlap(ones: Sequence[PullRequest], others: Sequence[PullRequest]) -> float:
    numbers, known = {one.number for one in ones}, {one.number for one in others}
    return len(numbers & known) / min(len(numbers), len(known))
