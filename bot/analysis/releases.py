"""Which release a pull request is in, by the release tags."""

from __future__ import annotations

from collections.abc import Sequence

from bot.models import PullRequest, Release


def first_release(pull_request: PullRequest, releases: Sequence[Release]) -> Release | None:
    """The first final release that holds a pull request, else the first prerelease; None when it is in none yet."""
    holding = sorted((some for some in releases if some.contains(pull_request)), key=lambda some: some.tagged_at)
    return next((some for some in holding if not some.prerelease), holding[0] if holding else None)


def named(name: str, releases: Sequence[Release]) -> Release | None:
    """The release tag of that name, with or without a leading v."""
    return next((some for some in releases if some.name in {name, f"v{name}"}), None)
