"""Pull request numbers and titles from commit subjects."""

from __future__ import annotations

import re
from dataclasses import dataclass

# GitHub writes both forms itself: https://docs.github.com/en/pull-requests/collaborating-with-pull-requests
_NUMBER = r"#([1-9][0-9]{0,9})"  # ten digits at most: int() refuses very long ones
_LAST = re.compile(rf"\({_NUMBER}\)\Z")
_TRAILING = re.compile(r"(?:\(#[1-9][0-9]{0,9}\)\s*)+\Z")
_END = 200  # characters of a subject in which its trailing numbers are looked for: keeps a hostile one cheap
_MERGE = re.compile(rf"\AMerge pull request {_NUMBER} from (\S+)\Z")
_GROUP = re.compile(_NUMBER)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a subject says. `title` has no trailing number; `merged` is the OWNER/BRANCH of a merge commit, else ""."""

    number: int | None
    title: str
    merged: str = ""

    @property
    def owner(self) -> str:
        """The account that the merged branch belongs to; "" when the subject names none."""
        return self.merged.partition("/")[0] if "/" in self.merged else ""


def read_subject(subject: str) -> Subject:
    """Read `TITLE (#N)` (the last number counts) or `Merge pull request #N from OWNER/BRANCH`.

    Any other subject has no number and is its own title; a merge's title stands in its body.
    """
    subject = subject.strip()
    if merge := _MERGE.match(subject):
        return Subject(int(merge[1]), subject, merge[2])
    if last := _LAST.search(subject):
        return Subject(int(last[1]), subject[: last.start()].rstrip() or subject)
    return Subject(None, subject)


def named_numbers(subject: str) -> frozenset[int]:
    """Every number that a subject claims to bring: a cherry-pick's `TITLE (#100) (#120)` names both."""
    subject = subject.strip()
    if merge := _MERGE.match(subject):
        return frozenset({int(merge[1])})
    trailing = _TRAILING.search(subject[-_END:])
    return frozenset(int(number) for number in _GROUP.findall(trailing[0])) if trailing else frozenset()


def merge_title(body: str) -> tuple[str, str]:
    """A merge commit's body as the pull request's title (its first line that is not empty, "" if none) and the rest."""
    title, _, rest = body.strip().partition("\n")
    return title.strip(), rest.strip()
