"""Findings of one kind together: some are told, the others are counted and the first of them named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.digest.telling import Told, of_kind
from bot.digest.view import View
from bot.figures import Count
from bot.message import Spans
from bot.models import FindingKind

_NAMED = 6


@dataclass(frozen=True, slots=True)
class Group:
    """The findings of one kind: the sentences that are shown, and of the others how many pull requests carry them.

    Of those `left` names the first; `more` says whether there are others.
    """

    kind: str
    texts: tuple[Spans, ...]
    left: tuple[int, ...]
    left_count: Count
    more: bool


def grouped(view: View, told: Sequence[Told], shown: Iterable[tuple[FindingKind, int]]) -> list[Group]:
    """One group a kind that has findings; of each kind so many are shown."""
    groups = []
    for kind, most in shown:
        some = of_kind(told, kind)
        if some:
            left = _left(view, some[:most], some[most:])
            texts = tuple(one.text for one in some[:most])
            groups.append(
                Group(str(kind), texts, left[:_NAMED], view.count(len(left), numbers=left), len(left) > _NAMED)
            )
    return groups


def _left(view: View, shown: Iterable[Told], rest: Iterable[Told]) -> tuple[int, ...]:
    """The period's pull requests that only findings which are not shown name, in the order of those findings."""
    named = {number for one in shown for number in one.numbers}
    numbers = dict.fromkeys(number for one in rest for number in one.numbers if number not in named)
    return tuple(number for number in numbers if number in view.evidence.pull_requests)
