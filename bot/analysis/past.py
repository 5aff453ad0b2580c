"""A repository's trailing weeks, against which a pull request is measured."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from bot.analysis.features import Features

_CORE_SHARE = 0.97
"""A core file was changed more often than this share of the source files that were changed at all."""

_CORE_LEAST = 4
"""… and at least this often; in a young repository nothing is core yet."""

_REGISTRY_LINES = 6
"""A file whose usual change is smaller than this many lines is a list that everyone adds to, not a core file."""


class Past:
    """Counts over the trailing pull requests. Building it costs one pass over them."""

    def __init__(self, trailing: Sequence[Features]) -> None:
        self.trailing = trailing
        self._changes: Counter[str] = Counter()
        self._lines: Counter[str] = Counter()
        for features in trailing:
            self._changes.update(features.source.keys())
            self._lines.update(features.source)
        self._folders = Counter(folder for features in trailing for folder in features.directories)
        self._numbers = frozenset(features.number for features in trailing)
        self._sorted: dict[str, Sequence[float]] = {}

    def changes(self, path: str) -> int:
        """How many of the trailing pull requests changed a source file."""
        return self._changes[path]

    @cached_property
    def core(self) -> frozenset[str]:
        """The source files that the repository's work goes through most."""
        counts = sorted(self._changes.values())
        least = max(_CORE_LEAST, counts[int(_CORE_SHARE * len(counts))]) if counts else _CORE_LEAST
        return frozenset(path for path, count in self._changes.items() if count >= least and not self._registry(path))

    def hottest(self, features: Features) -> tuple[str, int]:
        """The touched source file that was changed most often, and how often; its own change is not counted."""
        own = features.number in self._numbers
        changes = [(self._changes[path] - own, path) for path in features.source if not self._registry(path)]
        count, path = max(changes, default=(0, ""))
        return path, count

    def activity(self, features: Features) -> float:
        """The largest share of trailing pull requests that changed one of the touched folders, 0 to 1."""
        own = features.number in self._numbers
        busiest = max((self._folders[folder] - own for folder in features.directories), default=0)
        return busiest / len(self.trailing) if self.trailing else 0.0

    def measure(self, features: Features, name: str) -> float:
        """A measure of `rules/risks.yaml` by its name. Raises AttributeError for a name that is none."""
        match name:
            case "hotness":
                return self.hottest(features)[1]
            case "core_churn":
                return sum(lines for path, lines in features.source.items() if path in self.core)
            case "directories":
                return len(features.directories)
            case "source_files":
                return len(features.source)
            case _:
                return float(getattr(features, name))

    def quantile(self, name: str, share: float) -> float:
        """The value of a measure below which `share` of the trailing changes to source lie; 0 without a past."""
        values = self._values(name)
        return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0

    def rank(self, name: str, value: float) -> float:
        """The share of the trailing changes to source with a smaller measure, 0 to 1; one half without a past."""
        values = self._values(name)
        return bisect_left(values, value) / len(values) if values else 0.5

    def _registry(self, path: str) -> bool:
        changes = self._changes[path]
        return changes >= _CORE_LEAST and self._lines[path] < _REGISTRY_LINES * changes

    def _values(self, name: str) -> Sequence[float]:
        if name not in self._sorted:
            self._sorted[name] = sorted(self.measure(features, name) for features in self.trailing if features.source)
        return self._sorted[name]
