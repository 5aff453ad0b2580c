"""Cuts a text that is too long where it hurts least."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.platforms.slack.limits import PART, beginning, units
from bot.platforms.slack.rich_text import Run, Runs

_MARK = Run("…")  # what was cut goes on in the next part
_ENDS = (re.compile(r".*[。！？；]|.*[.!?;](?= )", re.DOTALL), re.compile(r".*[，、,\s]", re.DOTALL))
_SCRAP = 100  # room below which a new part is begun
_LEAST = 0.5  # of the room: an end before it would waste too much of the message


def cut(runs: Runs, most: int = PART) -> tuple[Runs, ...]:
    """The text in parts of at most `most` by weight, and the two marks; () for nothing.

    A part that goes on ends with …, and one that was begun starts with it; without them the parts are the whole text.
    """
    parts: list[list[Run]] = []
    room = 0
    for whole in runs:
        run: Run | None = whole
        while run is not None:
            if run.weight <= room:
                parts[-1].append(run)
                room -= run.weight
                break
            head, run = _divided(run, room)
            if head is not None:
                parts[-1].append(head)
            if run is not None:
                parts.append([])
                room = most
    return tuple(_marked(part, place, len(parts)) for place, part in enumerate(parts))


def _divided(run: Run, room: int) -> tuple[Run | None, Run | None]:
    """What of a run fits the room, and the rest."""
    room -= units(run.url or "")
    window = beginning(run.text, room) if room >= _SCRAP else ""
    for end in _ENDS:
        if (found := end.match(window)) and units(found[0]) > _LEAST * units(window):
            window = found[0]
            break
    if not window:
        return None, run
    return replace(run, text=window), replace(run, text=run.text[len(window) :])


def _marked(part: list[Run], place: int, count: int) -> Runs:
    before = (_MARK,) if place else ()
    after = (_MARK,) if place < count - 1 else ()
    return (*before, *part, *after)
