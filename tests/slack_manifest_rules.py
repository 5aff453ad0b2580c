"""What Slack refuses in a manifest, as far as it is published.

Keys and lengths: the JSON schema of github.com/slackapi/manifest-schema (v0.5.0, major version 1, which holds where a
manifest names none). What must fit together: docs.slack.dev/reference/app-manifest and the errors that
docs.slack.dev/reference/methods/apps.manifest.create shows. Which permission an event needs: the event's own page under
docs.slack.dev/reference/events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Words:
    """A text of so many characters."""

    longest: int
    shortest: int = 1
    pattern: str = ""


@dataclass(frozen=True)
class Keys:
    """A mapping that may hold these keys and must hold the needed ones."""

    known: Mapping[str, Any]
    needed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Several:
    """A list of so many items."""

    item: Any
    most: int
    fewest: int = 0
    unique: bool = False


URL = r"https?://"
SCOPE_NAMES = Several(Words(50), 255)
EVENT_NAMES = Several(Words(50), 100, unique=True)
FORM = Keys(
    {
        "_metadata": Keys({"major_version": int, "minor_version": int}),
        "display_information": Keys(
            {
                "name": Words(35),
                "description": Words(140),
                "long_description": Words(4000, shortest=175),
                "background_color": Words(7, shortest=4, pattern="#"),
            },
            ("name",),
        ),
        "features": Keys(
            {
                "app_home": Keys(
                    {"home_tab_enabled": bool, "messages_tab_enabled": bool, "messages_tab_read_only_enabled": bool}
                ),
                "bot_user": Keys({"display_name": Words(80), "always_online": bool}, ("display_name",)),
                "slash_commands": Several(
                    Keys(
                        {
                            "command": Words(32, shortest=2, pattern="/"),
                            "url": Words(3000, pattern=URL),
                            "description": Words(2000),
                            "usage_hint": Words(1000),
                            "should_escape": bool,
                        },
                        ("command", "description"),
                    ),
                    50,
                    fewest=1,
                ),
            }
        ),
        "oauth_config": Keys(
            {"scopes": Keys(dict.fromkeys(("bot", "bot_optional", "user", "user_optional"), SCOPE_NAMES))}
        ),
        "settings": Keys(
            {
                "event_subscriptions": Keys(
                    {"request_url": Words(3500, pattern=URL), "bot_events": EVENT_NAMES, "user_events": EVENT_NAMES}
                ),
                "interactivity": Keys(
                    {"is_enabled": bool, "request_url": Words(3500, pattern=URL)},
                    ("is_enabled",),
                ),
                "org_deploy_enabled": bool,
                "socket_mode_enabled": bool,
                "token_rotation_enabled": bool,
            }
        ),
    },
    ("display_information",),
)
EVENT_SCOPES = {  # one of them must be asked for
    "app_mention": {"app_mentions:read"},
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "message.im": {"im:history"},
    "member_joined_channel": {"channels:read", "groups:read"},
}


def refusals(manifest: Any) -> list[str]:
    """What Slack would say of a manifest; nothing when it takes it."""
    formed = list(_misformed(manifest, FORM, ""))
    return formed or list(_unfitting(manifest))


def _misformed(value: Any, form: Any, at: str) -> Iterator[str]:
    match form:
        case Words():
            fits = isinstance(value, str) and form.shortest <= len(value) <= form.longest
            if not (fits and re.match(form.pattern, value)):
                yield f"{at}: no text of {form.shortest} to {form.longest} characters like {form.pattern!r}"
        case Keys() if isinstance(value, dict):
            yield from (f"{at}/{key}: unknown" for key in value.keys() - form.known.keys())
            yield from (f"{at}/{key}: missing" for key in form.needed if key not in value)
            for key in value.keys() & form.known.keys():
                yield from _misformed(value[key], form.known[key], f"{at}/{key}")
        case Several() if isinstance(value, list):
            if not form.fewest <= len(value) <= form.most or (form.unique and len(set(value)) < len(value)):
                yield f"{at}: expected {form.fewest} to {form.most} items, each once"
            for index, item in enumerate(value):
                yield from _misformed(item, form.item, f"{at}/{index}")
        case _:
            if not (isinstance(form, type) and isinstance(value, form)):
                yield f"{at}: not what is expected"


def _unfitting(manifest: Any) -> Iterator[str]:
    features, settings = manifest.get("features", {}), manifest.get("settings", {})
    scopes = manifest.get("oauth_config", {}).get("scopes", {})
    bot, socket = set(scopes.get("bot", ())), settings.get("socket_mode_enabled", False)
    for name in sorted(set(scopes.get("bot_optional", ())) - bot):
        yield f"/oauth_config/scopes/bot_optional: {name} is not in bot"
    if bot and "bot_user" not in features:
        yield "/features/bot_user: missing, but there are permissions of a bot"
    if "slash_commands" in features and "commands" not in bot:
        yield "/features/slash_commands: needs the permission commands"
    if not socket and not all("url" in command for command in features.get("slash_commands", ())):
        yield "/features/slash_commands: requires a URL or Socket Mode"
    for event in settings.get("event_subscriptions", {}).get("bot_events", ()):
        if not EVENT_SCOPES[event] & bot:
            yield f"/settings/event_subscriptions: {event} needs one of {sorted(EVENT_SCOPES[event])}"
    for part in ("event_subscriptions", "interactivity"):
        if part in settings and not socket and "request_url" not in settings[part]:
            yield f"/settings/{part}: requires either Request URL or Socket Mode"
