"""The manifest is one that Slack takes, asks for no more than it says, and what it says holds for the code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config import Slack
from bot.platforms.slack.manifest import REQUIRED, SCOPES, ManifestError, Mode, explain, manifest, missing
from tests.slack_manifest_rules import EVENT_SCOPES, refusals

ROOT = Path(__file__).parent.parent
PUBLIC = "https://bot.example.com"
OPTIONAL = ("channels:history", "groups:history", "im:history", "channels:read", "groups:read")
EXPLAINED = {"socket": explain("socket"), "http": explain("http")}


def made(mode: Mode = "socket", command: str = "/digest") -> Any:
    return json.loads(manifest(command, mode, PUBLIC if mode == "http" else None))


@pytest.mark.parametrize("mode", get_args(Mode))
def test_slack_takes_it(mode: Mode) -> None:
    assert refusals(made(mode)) == []


def test_no_permission_comes_or_goes_unnoticed() -> None:
    scopes = made()["oauth_config"]["scopes"]
    assert scopes == {
        "bot": ["commands", "chat:write", "app_mentions:read", *OPTIONAL],
        "bot_optional": list(OPTIONAL),
    }
    assert REQUIRED == ("commands", "chat:write", "app_mentions:read")
    assert set(scopes["bot"]) - set(scopes["bot_optional"]) == set(REQUIRED)


def test_it_subscribes_to_what_the_bot_answers_and_to_nothing_else() -> None:
    events = made()["settings"]["event_subscriptions"]["bot_events"]
    assert sorted(events) == sorted(EVENT_SCOPES)
    assert {(event, scope.name) for scope in SCOPES for event in scope.events} == {
        (event, scope) for event, scopes in EVENT_SCOPES.items() for scope in scopes
    }


def test_in_socket_mode_slack_calls_nobody() -> None:
    text = manifest("/digest", "socket", None)
    assert "http" not in text
    assert json.loads(text)["settings"]["socket_mode_enabled"] is True


@pytest.mark.parametrize("public", [PUBLIC, f"{PUBLIC}/"])
def test_in_http_mode_slack_calls_one_address(public: str) -> None:
    text = manifest("/digest", "http", public)
    assert json.loads(text)["settings"]["socket_mode_enabled"] is False
    assert re.findall(r"https?://[^\"]*", text) == [f"{PUBLIC}/slack/events"] * 3


def test_people_can_write_to_the_bot_directly() -> None:
    home = made()["features"]["app_home"]
    assert (home["messages_tab_enabled"], home["messages_tab_read_only_enabled"]) == (True, False)


def test_the_command_has_the_configured_name_and_arrives_as_typed() -> None:
    (command,) = made(command="/周报")["features"]["slash_commands"]
    assert (command["command"], command["should_escape"]) == ("/周报", False)


def test_it_can_be_read_and_pasted_as_it_is() -> None:
    text = manifest("/digest", "socket", None)
    assert "周报" in text
    assert max(map(len, text.splitlines())) < 500


@pytest.mark.parametrize(
    ("command", "mode", "public", "said"),
    [
        ("/" + "d" * 32, "socket", None, "slack.command"),
        ("/digest", "http", None, "the address it is reached at"),
        *(
            ("/digest", "http", public, "https://bot.example.com")
            for public in ("", "bot.example.com", "http://bot.example.com", "https://", "https://[::1", "https://a b")
        ),
        ("/digest", "http", f"{PUBLIC}?a=b", "https://bot.example.com"),
        ("/digest", "http", f"{PUBLIC}/{'a' * 3000}", "https://bot.example.com"),
    ],
)
def test_what_slack_would_refuse_is_refused_with_the_fix(
    command: str, mode: Mode, public: str | None, said: str
) -> None:
    with pytest.raises(ManifestError, match=re.escape(said)) as refused:
        manifest(command, mode, public)
    assert "\n" not in str(refused.value)


@given(command=st.from_regex(r"/[^\s/]+", fullmatch=True), public=st.text())
def test_whatever_is_configured_becomes_a_manifest_or_one_line(command: str, public: str) -> None:
    try:
        text = manifest(command, "http", public)
    except ManifestError as error:
        text, said = "", str(error)
    else:
        said = ""
    assert said.isprintable()
    assert bool(said) != (text != "" and refusals(json.loads(text)) == [])


def changed(change: Callable[[Any], object]) -> Any:
    copy = deepcopy(made())
    change(copy)
    return copy


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.pop("display_information"),
        lambda m: m.update(extra=1),
        lambda m: m["display_information"].update(name="x" * 36),
        lambda m: m["display_information"].update(description="x" * 141),
        lambda m: m["display_information"].update(long_description="x" * 174),
        lambda m: m["features"].pop("bot_user"),
        lambda m: m["features"].update(slash_commands=[]),
        lambda m: m["features"]["slash_commands"][0].update(command="digest"),
        lambda m: m["features"]["app_home"].update(messages_tab_enabled="true"),
        lambda m: m["oauth_config"]["scopes"]["bot"].remove("commands"),
        lambda m: m["oauth_config"]["scopes"]["bot"].remove("im:history"),
        lambda m: m["oauth_config"]["scopes"]["bot_optional"].append("files:write"),
        lambda m: m["settings"]["event_subscriptions"]["bot_events"].append("app_mention"),
        lambda m: m["settings"].update(socket_mode_enabled=False),
        lambda m: m["settings"]["interactivity"].pop("is_enabled"),
    ],
)
def test_the_rules_see_what_slack_refuses(change: Callable[[Any], object]) -> None:
    assert refusals(changed(change))


@pytest.mark.parametrize("mode", get_args(Mode))
@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.name)
def test_the_explanation_says_for_each_permission_what_it_is_for_and_what_is_lost(mode: Mode, scope: Any) -> None:
    need = "required" if scope.required else "optional"
    assert re.search(
        rf"^- {scope.name} \({need}\)\. For .{{10,}}\. Without it: .{{10,}}\.$", EXPLAINED[mode], re.MULTILINE
    )


@pytest.mark.parametrize("mode", get_args(Mode))
def test_the_explanation_is_whole(mode: Mode) -> None:
    text = EXPLAINED[mode]
    assert "…" not in text, "a wording is longer than a template shows"
    assert re.findall(r"^(.+)\n-+$", text, re.MULTILINE) == [
        "Permissions of the bot",
        "What is stored, and for how long",
        "Which hosts are contacted",
        "Whether code reaches a language model",
    ]


def test_the_explanation_names_the_hosts_of_the_mode() -> None:
    assert ("connections:write" in EXPLAINED["socket"], "WebSocket" in EXPLAINED["socket"]) == (True, True)
    assert ("connections:write" in EXPLAINED["http"], "WebSocket" in EXPLAINED["http"]) == (False, False)
    assert ("/slack/events" in EXPLAINED["http"], "/slack/events" in EXPLAINED["socket"]) == (True, False)
    assert "- slack.com: Slack's API." in EXPLAINED["socket"]
    assert "- slack.example.com:8443: Slack's API." in explain("socket", "https://slack.example.com:8443/api/")


def test_the_host_it_names_by_default_is_the_configuration_s() -> None:
    assert explain() == explain("socket", Slack.model_fields["api_url"].default)


def test_what_is_said_of_github_and_of_models_holds_for_the_code() -> None:
    """A part that contacts one of them must be told of in templates/slack/explain.md.j2."""
    code = [path.read_text(encoding="utf-8") for path in (ROOT / "bot").rglob("*.py") if path.parent.name != "config"]
    assert code
    uses_model = any(re.search(r"config\.llm|\bopenai\b|LanguageModel\b", text) for text in code)
    uses_github = any(re.search(r"config\.github\b|^(?:from|import) github\b", text, re.MULTILINE) for text in code)
    assert ("A language model: not contacted" in explain()) is not uses_model
    assert ("GitHub: not contacted" in explain()) is not uses_github


def test_with_all_permissions_nothing_is_off() -> None:
    assert missing([scope.name for scope in SCOPES] + ["files:write"]) == ()


def test_with_the_required_ones_alone_everything_else_is_off() -> None:
    lines = missing(REQUIRED)
    assert [line.partition(" is not granted: ")[0] for line in lines] == list(OPTIONAL)
    assert all(line.isprintable() for line in lines)


def test_without_a_required_one_that_is_said_too() -> None:
    assert missing(set(OPTIONAL) | {"commands", "app_mentions:read"}) == (
        "chat:write is not granted: nothing can be posted",
    )
