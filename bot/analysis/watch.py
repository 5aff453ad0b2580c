"""What a team watches: paths and words that its configuration names."""

from __future__ import annotations

from bot.models import PullRequest, Reading


def hits(pull_request: PullRequest, reading: Reading) -> tuple[str, ...]:
    """The watched paths and words that a pull request touches: a path by its beginning, a word in the title."""
    return tuple(watched for watched in reading.watch if _touches(pull_request, watched))


def _touches(pull_request: PullRequest, watched: str) -> bool:
    if watched.casefold() in pull_request.title.casefold():
        return True
    folder = watched.rstrip("/")
    return any(file.path == folder or file.path.startswith(f"{folder}/") for file in pull_request.files)
