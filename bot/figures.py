"""Values that remember how they were counted, so that every figure in the prose can be counted again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

Scalar = str | int | float | tuple[int, ...] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a value says of the stored facts; `digest/verify.py` evaluates it from the pull requests alone.

    `of` names what is counted or quoted ("pull_requests", "authors", "title" …), `where` the filter as sorted
    (key, value) pairs. Keys and meanings: the table in `digest/verify.py`.
    """

    of: str
    where: tuple[tuple[str, Scalar], ...] = ()

    @classmethod
    def about(cls, of: str, /, **where: Scalar) -> Claim:
        return cls(of, tuple(sorted(where.items())))


class Count(int):
    """A whole number with its claim. Arithmetic gives a plain int, which the prose may not show."""

    claim: Claim

    def __new__(cls, value: int, claim: Claim) -> Self:
        self = super().__new__(cls, value)
        self.claim = claim
        return self


class Measure(float):
    """A number shown with a fixed count of decimals, with its claim."""

    claim: Claim
    decimals: int

    def __new__(cls, value: float, claim: Claim, decimals: int = 1) -> Self:
        self = super().__new__(cls, round(value, decimals))
        self.claim = claim
        self.decimals = decimals
        return self

    def __str__(self) -> str:
        return f"{float(self):.{self.decimals}f}"


class Word(str):
    """A text taken from the facts (a title, a path, a name, a version), with its claim."""

    __slots__ = ("claim",)
    claim: Claim

    def __new__(cls, value: str, claim: Claim) -> Self:
        self = super().__new__(cls, value)
        self.claim = claim
        return self
