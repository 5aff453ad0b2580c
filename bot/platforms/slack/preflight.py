"""Whether the tokens are right and Slack can be reached, asked before anything else: one line with the fix if not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from bot.platforms.slack.api import Identity, SlackApi
from bot.platforms.slack.failures import Denied
from bot.ports import NotSent, Refused, ThreadGone, Unsure

_Found = TypeVar("_Found")

_OPEN = "apps.connections.open"
_MEND = {
    "missing_scope": "slack.app_token lacks the scope connections:write: make an app-level token that has it",
    "not_allowed_token_type": "slack.app_token is not an app-level token: it begins with xapp-",
    "link_disabled": "Socket Mode is off: turn it on in the app's settings, or set slack.mode to http",
}


class SlackStartError(Exception):
    """The bot cannot work with Slack, and the user can mend it: one English line with the fix."""


class SlackUnreachableError(SlackStartError):
    """Slack gave no answer that says anything, which may change by itself."""


def identity(api: SlackApi) -> Identity:
    """Who the bot is. Raises SlackStartError."""
    return _checked(api.identity)


def socket_url(app: SlackApi) -> str:
    """An address for one connection, good for some seconds; `app` has the app token. Raises SlackStartError."""
    try:
        url = _checked(lambda: app.read(_OPEN, {}).get("url"))
    except SlackStartError as error:
        code = error.__cause__.code if isinstance(error.__cause__, Denied) else ""
        if code not in _MEND:
            raise
        raise SlackStartError(f"{_OPEN}: {_MEND[code]} ({code})") from error
    if not isinstance(url, str) or not url.startswith(("wss://", "ws://")):
        raise SlackStartError(f"{_OPEN}: Slack gives no address to connect to: check slack.api_url")
    return url


def _checked(ask: Callable[[], _Found]) -> _Found:
    try:
        return ask()
    except (Refused, ThreadGone) as refused:
        raise SlackStartError(str(refused)) from refused
    except (NotSent, Unsure) as error:
        raise SlackUnreachableError(
            f"Slack cannot be reached: {error}: check slack.api_url, the network and the proxy"
        ) from error
