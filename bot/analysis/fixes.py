"""What counts as a fix: the title says that product source is mended, and not a test, a build or a document."""

from __future__ import annotations

import re

from bot.analysis.features import Features
from bot.analysis.rules import Rules

_TAG = "bugfix"
_OTHER_TYPES = frozenset({"revert", "docs", "dependencies"})
_AREAS = re.compile(r"\[[^\]]*\]")


def is_fix(features: Features, rules: Rules) -> bool:
    """Whether a pull request mends product source. Bracketed areas say where it was found, not what it mends."""
    if not features.source or features.type in _OTHER_TYPES:
        return False
    mends = _TAG in features.tags or features.fault is not None
    return mends and not rules.fault_exclusions.search(_AREAS.sub(" ", features.title))
