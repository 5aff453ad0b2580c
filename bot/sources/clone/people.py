"""Who a commit's name and e-mail address stand for."""

from __future__ import annotations

import re

from bot.models import AuthorKind

# https://docs.github.com/en/account-and-profile/reference/email-addresses-reference: ID+LOGIN or, until 2017, LOGIN
_NOREPLY = re.compile(r"(?:[0-9]+\+)?([^@+\s]+)@users\.noreply\.[^@\s]+", re.IGNORECASE)
_ROBOT = re.compile(r"\S+\[bot\]|\S+[-_](?:ro)?bot", re.IGNORECASE)
# Accounts of GitHub and of common services that do not say in their name that nobody is behind them.
_SERVICES = frozenset({"copilot", "dependabot", "github-actions", "github actions", "renovate", "web-flow"})


def identify(name: str, email: str) -> tuple[str, AuthorKind]:
    """How to show an author, and what kind it is: the login where the address reveals it, else the name.

    Names ending in `[bot]`, `-bot`, `_bot` or `-robot` are bots; somebody called "Jan Bot" is not.
    """
    name = name.strip()
    noreply = _NOREPLY.fullmatch(email.strip())
    shown = noreply[1] if noreply else name
    if not shown:
        return "ghost", "ghost"
    automatic = any(_ROBOT.fullmatch(word) or word.lower() in _SERVICES for word in (shown, name))
    return shown, "bot" if automatic else "human"
