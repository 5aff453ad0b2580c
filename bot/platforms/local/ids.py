"""Ids of messages as addresses and forms carry them."""

from __future__ import annotations

_LARGEST = 2**31 - 1  # PostgreSQL's INTEGER
_DIGITS = len(str(_LARGEST))


def number_in(text: str | None) -> int | None:
    """The id that a text names; None for what is no id."""
    if not text or len(text) > _DIGITS or not (text.isascii() and text.isdigit()):
        return None
    number = int(text)
    return number if number <= _LARGEST else None
