"""What an error of Slack's Web API means for whoever called: try later, mend something first, or look what happened.

Codes: the pages of docs.slack.dev/reference/methods. An error code means that nothing was done; a broken connection, a
server error and an answer that cannot be read mean that nobody knows.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any
from urllib.error import URLError

from slack_sdk.errors import SlackApiError

from bot.ports import NotSent, Refused, ThreadGone, Unsure

_CODE = re.compile(r"[a-z][a-z0-9_]*")
_UNKNOWN_OUTCOME = frozenset({"fatal_error", "internal_error", "request_timeout", "service_unavailable", "timeout"})
_LATER = frozenset({"accesslimited", "rate_limited", "ratelimited", "team_added_to_org"})
_NOT_ACCEPTED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})
_NO_CONNECTION = frozenset({errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN})
_TOKEN = "Slack does not accept the token: reinstall the app and configure its new slack.{token}"  # noqa: S105 - a text

# error code -> what to do
_FIXES: Mapping[str, str] = MappingProxyType(
    {
        "account_inactive": _TOKEN,
        "invalid_auth": _TOKEN,
        "not_authed": _TOKEN,
        "token_expired": _TOKEN,
        "token_revoked": _TOKEN,
        "not_allowed_token_type": "it is another kind of token: slack.bot_token is xoxb-…, slack.app_token xapp-…",
        "channel_not_found": "the bot does not know the channel {channel}: check its id, and invite the bot there",
        "not_in_channel": "the bot is not in the channel {channel}: invite it there",
        "user_not_in_channel": "the user is not in the channel {channel}: nobody would see it",
        "is_archived": "the channel {channel} is archived: unarchive it, or remove its subscription",
        "missing_scope": "the app lacks the permission {needed}: add it to the app's scopes and reinstall the app",
        "no_permission": "the workspace does not permit it in {channel}: ask its administrators",
        "restricted_action": "the workspace does not let the bot post in {channel}: ask its administrators",
        "ekm_access_denied": "the workspace's administrators have suspended posting: ask them",
        "org_login_required": "the workspace is being moved to an organisation: try again when that is done",
        "team_access_not_granted": "the app is not granted access to this workspace: ask its administrators",
        "unknown_method": "the address has no such method: check slack.api_url",
    }
)


class NotAccepted(Refused):
    """Slack refuses the form of a message: another form of the same may be accepted. `too_long`: it was its length."""

    def __init__(self, reason: str, *, too_long: bool) -> None:
        super().__init__(reason)
        self.too_long = too_long


class Denied(Refused):
    """Slack refuses the call; `code` is its word for why."""

    def __init__(self, reason: str, code: str) -> None:
        super().__init__(reason)
        self.code = code


Failure = NotSent | Refused | Unsure | ThreadGone


def answered(error: SlackApiError, call: str, channel: str | None, token: str = "bot_token") -> Failure:  # noqa: S107 - a key
    """What an answer of Slack means that is not a success. `call` is the method, `token` the setting."""
    status, data = _answer(error)
    code = data.get("error")
    if status == HTTPStatus.TOO_MANY_REQUESTS or code in _LATER:
        return NotSent(f"Slack asks to wait before {call}", _seconds(error))
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT or code in _UNKNOWN_OUTCOME:
        return Unsure(f"{call}: Slack failed ({status} {code if _is_code(code) else ''})".replace(" )", ")"))
    if not _is_code(code):
        return _unreadable(status, call)
    return refused(str(code), call, channel, data, token)


def refused(
    code: str,
    call: str,
    channel: str | None,
    data: Mapping[str, Any],
    token: str = "bot_token",  # noqa: S107
) -> Failure:
    """What an error code of Slack means that says why nothing was done."""
    if code == "thread_not_found":
        return ThreadGone(f"the thread's root in {channel} was deleted")
    if code in _NOT_ACCEPTED:
        why = "; ".join(str(line) for line in _list(data.get("errors")))[:300]
        reason = f"{call}: Slack does not accept the message ({code}{f': {why}' if why else ''}): report it as a bug"
        return NotAccepted(reason, too_long=code.endswith("too_long"))
    fix = _FIXES.get(code, "see the method's page at docs.slack.dev")
    said = fix.format(channel=channel, needed=data.get("needed") or "it needs", token=token)
    return Denied(f"{call}: {said} ({code})", code)


def unanswered(error: Exception, call: str, address: str) -> Failure:
    """What it means that there was no answer, or none that the SDK could read."""
    reason = error.reason if isinstance(error, URLError) else error
    said = f"{call}: {address}: {reason}"
    if isinstance(reason, ssl.SSLCertVerificationError):
        return Refused(f"{said}: check slack.api_url and the certificates of this machine")
    nothing_sent = isinstance(reason, socket.gaierror) or (
        isinstance(reason, OSError) and reason.errno in _NO_CONNECTION
    )
    return NotSent(said) if nothing_sent else Unsure(said)


def _answer(error: SlackApiError) -> tuple[int, Mapping[str, Any]]:
    response = error.response
    data = getattr(response, "data", None)
    return int(getattr(response, "status_code", 0)), data if isinstance(data, dict) else {}


def _unreadable(status: int, call: str) -> Failure:
    if status >= HTTPStatus.BAD_REQUEST:
        return Refused(f"{call}: HTTP {status} from something that is not Slack: check slack.api_url and the proxy")
    return Unsure(f"{call}: an answer that cannot be read (HTTP {status})")


def _seconds(error: SlackApiError) -> float | None:
    headers = getattr(error.response, "headers", None) or {}
    given = next((value for name, value in dict(headers).items() if name.lower() == "retry-after"), None)
    given = given[0] if isinstance(given, list) and given else given
    return float(given) if isinstance(given, str) and given.isdecimal() and given.isascii() else None


def _is_code(code: object) -> bool:
    return isinstance(code, str) and _CODE.fullmatch(code) is not None


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
