"""The permissions of the Slack app: the manifest to paste, why each is asked for, and what is off without it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import urlsplit

from ruamel.yaml import YAML

from bot.message import Message
from bot.rendering.plain import to_plain
from bot.text import Wording, packaged

Mode = Literal["socket", "http"]

EVENTS_PATH = "/slack/events"
"""Where Slack delivers in HTTP mode: events, commands and pressed buttons alike."""

_LONGEST_COMMAND = 32  # characters with the slash: the published schema of manifests
_LONGEST_URL = 3000  # the same


class ManifestError(ValueError):
    """No manifest can be made of what was given: one English line with the fix."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A permission of the bot token. `events` are what Slack delivers only to those who have it."""

    name: str
    required: bool = False
    events: tuple[str, ...] = ()


# The one list: the manifest, the explanation and what is off at start are computed from it.
SCOPES = (
    Scope("commands", required=True),
    Scope("chat:write", required=True),
    Scope("app_mentions:read", required=True, events=("app_mention",)),
    Scope("channels:history", events=("message.channels",)),
    Scope("groups:history", events=("message.groups",)),
    Scope("im:history", events=("message.im",)),
    Scope("channels:read", events=("member_joined_channel",)),
    Scope("groups:read", events=("member_joined_channel",)),
)
REQUIRED = tuple(scope.name for scope in SCOPES if scope.required)


def manifest(command: str, mode: Mode, public_url: str | None = None) -> str:
    """The app's manifest as JSON, as Slack's "From a manifest" takes it.

    `command` is the slash command's name with its slash. `public_url` is where Slack reaches the bot's server in HTTP
    mode; socket mode needs none. Raises ManifestError. Source of the form: docs.slack.dev/reference/app-manifest.
    """
    if len(command) > _LONGEST_COMMAND:
        raise ManifestError(f"slack.command is longer than the {_LONGEST_COMMAND} characters Slack takes: shorten it")
    url = _delivery_url(public_url) if mode == "http" else None
    words = _words()
    said = {
        "display_information": {name: words[name] for name in ("name", "description", "long_description")},
        "features": _features(words, command, url),
        "oauth_config": {"scopes": _scopes()},
        "settings": _settings(url),
    }
    return json.dumps(said, ensure_ascii=False, indent=2)


def explain(mode: Mode = "socket", api_url: str = "https://slack.com/api/") -> str:
    """For each permission what it is for and what is lost without it; what is stored, and which hosts are contacted.

    English, for whoever installs the app. `api_url` is the address of Slack's API.
    """
    words = _words()["scopes"]
    rows = [(scope, {"name": scope.name, "purpose": words[scope.name]["for"], **words[scope.name]}) for scope in SCOPES]
    blocks = Wording(str).blocks(
        "slack/explain",
        required=[row for scope, row in rows if scope.required],
        optional=[row for scope, row in rows if not scope.required],
        socket=mode == "socket",
        api_host=urlsplit(api_url).netloc,
    )
    return to_plain(Message(blocks))


def missing(granted: Collection[str]) -> tuple[str, ...]:
    """What is off because a permission was not granted: one English line for each, in the order of the manifest.

    `granted` are the scopes of the bot token, as Slack names them in `x-oauth-scopes`.
    """
    words = _words()["scopes"]
    return tuple(
        f"{scope.name} is not granted: {words[scope.name]['without']}" for scope in SCOPES if scope.name not in granted
    )


def _features(words: Mapping[str, Any], command: str, url: str | None) -> dict[str, Any]:
    return {
        # Without its messages tab nobody can write to the bot directly.
        "app_home": {
            "home_tab_enabled": False,
            "messages_tab_enabled": True,
            "messages_tab_read_only_enabled": False,
        },
        "bot_user": {"display_name": words["name"], "always_online": True},
        # Escaped, `@name` and `#channel` would arrive as ids that nobody typed.
        "slash_commands": [{"command": command, **words["command"], "should_escape": False, **_at("url", url)}],
    }


def _scopes() -> dict[str, list[str]]:
    """Slack takes as optional only what stands in the whole list too."""
    optional = [scope.name for scope in SCOPES if not scope.required]
    return {"bot": [scope.name for scope in SCOPES], "bot_optional": optional}


def _settings(url: str | None) -> dict[str, Any]:
    return {
        "event_subscriptions": {**_at("request_url", url), "bot_events": list(dict.fromkeys(_events()))},
        "interactivity": {"is_enabled": True, **_at("request_url", url)},
        "org_deploy_enabled": False,
        "socket_mode_enabled": url is None,
        "token_rotation_enabled": False,  # a rotated token would have to be stored; this one is only configured
    }


def _events() -> Iterator[str]:
    for scope in SCOPES:
        yield from scope.events


def _at(key: str, url: str | None) -> dict[str, str]:
    return {} if url is None else {key: url}


def _delivery_url(public_url: str | None) -> str:
    if public_url is None:
        raise ManifestError(
            "in HTTP mode Slack calls the bot: give the address it is reached at, --public-url https://…"
        )
    url = f"{public_url.rstrip('/')}{EVENTS_PATH}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme == "https" and parts.hostname and not (parts.query or parts.fragment)
    except ValueError:  # half an IPv6 address
        usable = False
    if not usable or not url.isprintable() or " " in url or len(url) > _LONGEST_URL:
        raise ManifestError(
            "the public address must be one that Slack can call, such as --public-url https://bot.example.com"
        )
    return url


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = YAML(typ="safe").load(packaged("slack/manifest.yaml"))
    return loaded
