"""What the changed lines of pull requests say outright: patches in, facts out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta

from bot.analysis.diffs.changes import Changes
from bot.analysis.diffs.defaults import changed_defaults
from bot.analysis.diffs.names import flags, vanished, variables
from bot.analysis.diffs.undone import undone_lines
from bot.analysis.diffs.versions import moved_versions
from bot.analysis.diffs.window import Window
from bot.models import DiffFact, Patch

UNDONE_WITHIN = 10  # days


def read(
    patches: Iterable[Patch], is_source: Callable[[str], bool], *, days: int = UNDONE_WITHIN
) -> Iterator[DiffFact]:
    """The facts of each patch in one pass, oldest patch first; `is_source` says which paths are product source.

    To find what was undone, begin the patches `days` days before the first one of interest and leave out the facts
    of the earlier ones. What a revert takes back is reported as undone as well; who tells reverts apart leaves it
    out by `number`. Memory: one patch, and `window.LONGEST_MEMORY` added lines of the last `days` days.
    """
    window = Window(timedelta(days=days))
    for patch in patches:
        changes = Changes(patch, is_source)
        window.forget(patch.merged_at)
        yield from changed_defaults(changes)
        yield from flags(changes)
        yield from variables(changes)
        yield from moved_versions(changes)
        yield from vanished(changes)
        yield from undone_lines(changes, window)
        window.remember(changes)
