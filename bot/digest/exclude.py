"""What a channel does not want to read of is taken out of a week, the same way from every span that is compared."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import Literal

from bot.analysis.lineage import reverts_of
from bot.models import ChangedFile, Exclusion, PullRequest, Week

By = Literal["bots", "authors", "paths"]

_ALL_BOTS = "bots"
_OF_AN_APP = "[bot]"


def excluding(week: Week) -> Week:
    """The week without what its reading excludes; that is kept in `left_out`, for what is left out is told.

    Other branches are filtered too, direct commits are not: they have neither a number nor files. A revert of what
    stays is kept, whoever made it: without it the digest would praise what is gone.
    """
    exclude = week.reading.exclude
    if not (exclude.authors or exclude.paths):
        return week
    both = (*week.history, *week.pull_requests)
    unwanted = {one.number for one in (*both, *week.other_branches) if left_out_by(one, exclude)}
    unwanted -= {one.number for one in reverts_of(both, ()) if one.target not in unwanted}
    return replace(
        week,
        pull_requests=_without(week.pull_requests, unwanted),
        history=_without(week.history, unwanted),
        other_branches=_without(week.other_branches, unwanted),
        left_out=(*week.left_out, *(one for one in both if one.number in unwanted)),
    )


def left_out_by(one: PullRequest, exclude: Exclusion) -> By | None:
    """By which part of the setting a pull request is left out, the first that holds; None: it stays.

    A pull request is under the paths when all of its files are, and where they came from. Whoever has no known files,
    or a list of them that the source cut short, stays: nobody can tell.
    """
    logins = {_login(name) for name in exclude.authors}
    if one.author_kind == "bot" and _ALL_BOTS in logins:
        return "bots"
    if _login(one.author) in logins - {_ALL_BOTS}:
        return "authors"
    if one.files and not one.truncated and all(_is_under(file, exclude.paths) for file in one.files):
        return "paths"
    return None


def _without(pull_requests: Iterable[PullRequest], unwanted: Container[int]) -> tuple[PullRequest, ...]:
    return tuple(one for one in pull_requests if one.number not in unwanted)


def _login(name: str) -> str:
    """GitHub's logins know no case; an app's login ends in [bot], which people leave out."""
    return name.strip().removeprefix("@").casefold().removesuffix(_OF_AN_APP)


def _is_under(file: ChangedFile, paths: Iterable[str]) -> bool:
    names = [file.path] if file.previous_path is None else [file.path, file.previous_path]
    folders = [path.strip().removeprefix("./").strip("/") for path in paths]
    return all(any(name == folder or name.startswith(f"{folder}/") for folder in folders) for name in names)
