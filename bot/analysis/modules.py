"""Modules learned from a repository's own directories: one is split as long as too much work goes through it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from bot.analysis.features import Features

_FAIR_SHARE = 0.06
"""A directory that more than this share of the changes to source touched is no single module."""

_LEAST = 12
"""One that no more than so many pull requests touched is never split: its parts would say nothing."""


@dataclass(frozen=True, slots=True)
class Modules:
    """The split directories, each with a trailing slash ("" is the top); what lies right below them is a module."""

    split: frozenset[str]

    def of(self, path: str) -> str:
        """The module of a file: the outermost directory on its path that was not split, else its own directory."""
        around = folders(path)
        return next((folder for folder in around if folder not in self.split), around[-1])

    def of_source(self, features: Features) -> frozenset[str]:
        """The modules that a pull request changed source in."""
        return frozenset(self.of(directory) for directory in features.directories)

    def around(self, features: Features) -> frozenset[str]:
        """Those modules and the split directories that hold them, without the top."""
        return frozenset(folder for folder in around(features) if folder and _outer(folder) in self.split)


def _outer(folder: str) -> str:
    return folder[: folder.rfind("/", 0, -1) + 1]


def learned(touched: Mapping[str, int]) -> Modules:
    """The modules of a repository whose directories were touched so often (see `touches`)."""
    most = max(_LEAST, _FAIR_SHARE * touched.get("", 0))
    return Modules(frozenset({"", *(folder for folder, count in touched.items() if count > most)}))


def touches(trailing: Iterable[Features]) -> Counter[str]:
    """How many of the pull requests changed source under each directory; "" counts all that changed any."""
    return Counter(folder for features in trailing for folder in around(features))


def around(features: Features) -> frozenset[str]:
    """Every directory under which a pull request changed source."""
    return frozenset(folder for directory in features.directories for folder in folders(directory))


@lru_cache(maxsize=50_000)
def folders(path: str) -> tuple[str, ...]:
    """The directories that hold a file, the outermost first and each with a trailing slash: "", "a/", "a/b/"."""
    return ("", *(path[: position + 1] for position, char in enumerate(path) if char == "/"))
