"""docs/slack.md: what it tells to paste works, and both languages tell the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bot.config import Config, ConfigError, load
from bot.platforms.slack.manifest import SCOPES, manifest

DOCUMENT = (Path(__file__).parent.parent / "docs" / "slack.md").read_text(encoding="utf-8")
ENGLISH, CHINESE = re.split(r"^## (?:English|中文)$", DOCUMENT, flags=re.MULTILINE)[1:]
ENVIRON = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1", "SLACK_SIGNING_SECRET": "s"}
NAME = json.loads(manifest("/digest", "socket"))["features"]["bot_user"]["display_name"]
LANGUAGES = pytest.mark.parametrize("text", [ENGLISH, CHINESE], ids=["English", "Chinese"])


def blocks(text: str, *languages: str) -> list[str]:
    found = re.findall(r"^```([a-z]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for language, block in found if language in languages]


def loaded(folder: Path, *parts: str) -> Config:
    (folder / "config.yaml").write_text("\n".join(parts), encoding="utf-8")
    return load(folder / "config.yaml", ENVIRON)


@LANGUAGES
def test_the_configuration_of_step_four_is_whole(tmp_path: Path, text: str) -> None:
    config = loaded(tmp_path, blocks(text, "yaml")[0])
    assert config.slack is not None
    assert config.slack.mode == "socket"
    assert config.repositories[0].path == tmp_path / "engine.git"
    assert (config.channels[0].platform, config.admins[0].platform) == ("slack", "slack")


@LANGUAGES
def test_the_configuration_of_http_mode_is_whole(tmp_path: Path, text: str) -> None:
    whole, changes = blocks(text, "yaml")
    without_slack = re.sub(r"^slack:\n(?:  .*\n)+", "", whole, flags=re.MULTILINE)
    config = loaded(tmp_path, without_slack, changes)
    assert config.slack is not None
    assert (config.slack.mode, config.server.port) == ("http", 8080)


def test_both_languages_tell_to_type_the_same() -> None:
    assert blocks(ENGLISH, "yaml") == blocks(CHINESE, "yaml")
    typed = [[re.sub(r"\s*#.*", "", block) for block in blocks(text, "sh", "")] for text in (ENGLISH, CHINESE)]
    assert len(typed[0]) == 4
    assert typed[0] == typed[1]


def test_both_languages_have_the_same_steps_and_the_same_problems() -> None:
    for pattern, least in ((r"^\*\*(\d)\. ", 6), (r"^\| ", 10), (r"^### ", 3)):
        english, chinese = (re.findall(pattern, text, re.MULTILINE) for text in (ENGLISH, CHINESE))
        assert len(english) >= least
        assert english == chinese


@LANGUAGES
def test_it_names_no_permission_that_is_not_asked_for(text: str) -> None:
    named = set(re.findall(r"`([a-z_]+:[a-z]+)`", text)) - {"connections:write"}
    assert named
    assert named <= {scope.name for scope in SCOPES}


@LANGUAGES
def test_the_bot_is_invited_by_the_name_that_it_has(text: str) -> None:
    assert set(re.findall(r"/invite @([A-Za-z ]+)", text)) == {NAME}


@LANGUAGES
def test_the_message_about_swapped_tokens_is_the_real_one(tmp_path: Path, text: str) -> None:
    swapped = blocks(text, "yaml")[0].replace("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN")
    with pytest.raises(ConfigError) as refused:
        loaded(tmp_path, swapped)
    (shown,) = re.findall(r"^\| `(slack\.bot_token: .*?)` \|", text, re.MULTILINE)
    assert shown in str(refused.value)
