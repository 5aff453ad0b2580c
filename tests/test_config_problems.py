"""The configuration: one clear line for each mistake, at its place, in the order of the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bot.config import ConfigError, load

Problems = Callable[..., list[str]]
REPOSITORIES = "repositories: [{name: acme/engine}, {name: acme/console}]\n"

NOT_A_LIST = "expected a list such as [a, b], got text"
NOT_AN_ADDRESS = "expected an address such as https://example.com"
NOT_A_DATABASE = "expected sqlite:///FILE or postgresql://HOST/NAME"
NOT_AN_ADMIN = "expected a platform and a user id such as slack:U0123456"
NOT_A_ZONE = "expected an IANA time zone"
NOT_A_NAME = "expected OWNER/NAME such as acme/engine"
NOT_LISTED = "expected the name of a listed repository (did you mean acme/engine?)"
NO_ALIASES = "anchors and aliases (&name, *name) are not used here: put text that begins with & or * in quotes"
SECTIONS = "timezone, web_url, database, github, repositories, slack, lark, llm, server, local, admins, channels"
BOT_FOR_APP = "expected an app token (xapp-…), got a bot token (xoxb-…)"
APP_FOR_BOT = "expected a bot token (xoxb-…), got an app token (xapp-…)"
COLON_HINT = '; check the indentation, and put text that holds ": " in quotes'
SCANNING = "while scanning for the next token"
PORT_TAKEN = "the server listens on 8080 already: choose another port"


@pytest.fixture
def problems(tmp_path: Path) -> Problems:
    def problems(text: str | bytes, **environ: str) -> list[str]:
        path = tmp_path / "config.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(ConfigError) as caught:
            load(path, environ)
        assert str(caught.value) == "\n".join(caught.value.lines)
        assert all(line.isprintable() for line in caught.value.lines)
        return [line.removeprefix(f"{tmp_path}{os.sep}") for line in caught.value.lines]

    return problems


def channel(**changes: str) -> str:
    values = {"platform": "local", "id": "general", "repositories": "[acme/engine]"} | changes
    entry = ", ".join(f"{key}: {value}" for key, value in values.items())
    return f"{REPOSITORIES}local: {{}}\nchannels:\n  - {{{entry}}}\n"


@pytest.mark.parametrize("written", ["25:00", "600", "10:60", "9", "noon", "10:00:00", "-1:00", '"1O:00"'])
def test_no_time(problems: Problems, written: str) -> None:
    shown = written.strip('"')
    expected = f'config.yaml:4: channels[0].time: expected a time such as "09:00", got {shown}'
    assert problems(channel(time=written)) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("timezone: Asia/Beijing", f"timezone: {NOT_A_ZONE} (did you mean Asia/Shanghai?), got Asia/Beijing"),
        ("timezone: nonsense", f"timezone: {NOT_A_ZONE} such as Asia/Shanghai, got nonsense"),
        ("timezone: [a]", "timezone: expected text, got a list"),
        ("timezone:", "timezone: expected a value, got nothing: remove the line to leave it out"),
        ("timezone: ''", "timezone: expected text, got an empty text"),
        ("timezon: UTC", "timezon: unknown key; did you mean timezone?"),
        ("qqq: 1", f"qqq: unknown key; known are {SECTIONS}"),
        ("web_url: github.com", f"web_url: {NOT_AN_ADDRESS}, got github.com"),
        ("web_url: 'https://a b'", f'web_url: {NOT_AN_ADDRESS}, got "https://a b"'),
        ("web_url: http://h:99999", f"web_url: {NOT_AN_ADDRESS}, got http://h:99999"),
        ("web_url: https://u:p@h", "web_url: expected an address without user name and password"),
        ("server: {port: http}", "server.port: expected a whole number, got http"),
        ("server: {port: 70000}", "server.port: expected a number of at most 65535, got 70000"),
        ("server: {port: -1}", "server.port: expected a number of at least 0, got -1"),
        ("server: 8080", "server: expected keys and values, got text"),
        ("server: []", "server: expected keys and values, got an empty list"),
        ("database: {url: mysql://h/d}", f"database.url: {NOT_A_DATABASE}, got mysql://h/d"),
        ("database: {url: 'sqlite://'}", f"database.url: {NOT_A_DATABASE}, got sqlite://"),
        ("database: {url: 'sqlite:///:memory:'}", f"database.url: {NOT_A_DATABASE}, got sqlite:///:memory:"),
        ("admins: [U1]", f"admins[0]: {NOT_AN_ADMIN}, got U1"),
        ("admins: ['teams:U1']", f"admins[0]: {NOT_AN_ADMIN}, got teams:U1"),
        ("admins: ['slack:']", f"admins[0]: {NOT_AN_ADMIN}, got slack:"),
        ("admins: slack:U1", f"admins: {NOT_A_LIST}"),
        ("slack: {app_token: a}", "slack.bot_token: missing: expected the bot token (xoxb-…)"),
        ("slack: {bot_token: a, app_tokn: b}", "slack.app_tokn: unknown key; did you mean app_token?"),
        ("slack: {bot_token: a, app_token: xoxb-1}", f"slack.app_token: {BOT_FOR_APP}"),
        ("slack: {bot_token: xapp-1, app_token: a}", f"slack.bot_token: {APP_FOR_BOT}"),
        ("lark: {app_id: a}", "lark.app_secret: missing: expected the app's secret"),
        ("local: {port: 8080}", f"local.port: {PORT_TAKEN}"),
        ("local: {host: 0.0.0.0, port: 8080}", f"local.port: {PORT_TAKEN}"),
        (
            "slack: {bot_token: a}",
            "slack.app_token: missing: expected the app token (xapp-…), because mode is socket",
        ),
        (
            "slack: {mode: http, bot_token: a}",
            "slack.signing_secret: missing: expected the signing secret, because mode is http",
        ),
        (
            "slack: {bot_token: a, app_token: b, command: digest}",
            "slack.command: expected a slash and a word such as /digest, got digest",
        ),
        (
            "lark: {mode: webhook, app_id: a, app_secret: b}",
            "lark.verification_token: missing: expected the verification token, because mode is webhook",
        ),
        (
            "github: {token: a, app: {id: 1, private_key: k, installation_id: 2}}",
            "github.app: given beside token: keep one of the two",
        ),
        (
            "llm: {base_url: http://h, model: m, weekly_tokens: 0}",
            "llm.weekly_tokens: expected a number of at least 1, got 0",
        ),
    ],
)
def test_one_line_for_one_mistake(problems: Problems, text: str, expected: str) -> None:
    assert problems(REPOSITORIES + text + "\n") == [f"config.yaml:2: {expected}"]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ("{name: engine}", f"[0].name: {NOT_A_NAME}, got engine"),
        ("{name: https://h/acme/engine}", f"[0].name: {NOT_A_NAME}, got https://h/acme/engine"),
        ("{nmae: acme/engine}", "[0].nmae: unknown key; did you mean name?"),
        ("{}", "[0].name: missing: expected OWNER/NAME such as acme/engine"),
        ("acme/engine", "[0]: expected keys and values, got text"),
        ("{name: a/b}, {name: A/B}", "[1].name: A/B is already repositories[0]"),
        ("{name: a/b, path: x}", "[0].path: only a clone has a path: add source: clone, or remove it"),
        ("{name: a/b, path: ~/x}", "[0].path: ~ stands for the home folder, but HOME is not set: write the whole path"),
        ("{name: a/b, source: svn}", "[0].source: expected github or clone, got svn"),
        ("{name: a/b, role: mine}", "[0].role: expected upstream or own, got mine"),
        ("{name: a/b, watch: fp8}", f"[0].watch: {NOT_A_LIST}"),
        ("{name: a/b, watch: [fp8, null]}", "[0].watch[1]: expected text, got nothing"),
        ("", ": expected at least one"),
        (
            "{name: a/b, source: clone}",
            "[0].path: missing: expected the folder of the clone, because source is clone",
        ),
    ],
)
def test_repositories(problems: Problems, entries: str, expected: str) -> None:
    assert problems(f"repositories: [{entries}]\n") == [f"config.yaml:1: repositories{expected}"]


def test_no_repositories_at_all(problems: Problems) -> None:
    assert problems("timezone: UTC\n") == ["config.yaml:1: repositories: missing: expected a list of repositories"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"repositories": "[acme/engin]"}, f".repositories[0]: {NOT_LISTED}, got acme/engin"),
        ({"repositories": "[engine]"}, f".repositories[0]: {NOT_LISTED}, got engine"),
        ({"repositories": "[acme/engine, acme/engine]"}, ".repositories[1]: acme/engine is named twice"),
        ({"repositories": "[]"}, ".repositories: expected at least one"),
        ({"repositories": "acme/engine"}, f".repositories: {NOT_A_LIST}"),
        ({"platform": "slack"}, ".platform: slack is not set up: add the section `slack:`"),
        ({"platform": "teams"}, ".platform: expected slack, lark or local, got teams"),
        ({"day": "mondey"}, ".day: expected a day such as monday or 周一 (did you mean monday?), got mondey"),
        ({"day": "周八"}, ".day: expected a day such as monday or 周一, got 周八"),
        ({"timezone": "UTC+8"}, f".timezone: {NOT_A_ZONE} (did you mean Asia/Shanghai?), got UTC+8"),
        ({"exclude": "{authers: bots}"}, ".exclude.authers: unknown key; did you mean authors?"),
        ({"exclude": "{paths: docs/}"}, f".exclude.paths: {NOT_A_LIST}"),
    ],
)
def test_channels(problems: Problems, changes: Mapping[str, str], expected: str) -> None:
    assert problems(channel(**changes)) == [f"config.yaml:4: channels[0]{expected}"]


def test_the_same_subscription_twice(problems: Problems) -> None:
    again = "  - {platform: local, id: general, repositories: [acme/engine], name: again, day: monday}\n"
    expected = "config.yaml:5: channels[1]: the same subscription is listed above: remove one"
    assert problems(channel() + again) == [expected]


def test_a_variable_that_is_not_set_is_named_with_its_key(problems: Problems) -> None:
    assert problems(REPOSITORIES + "github:\n  token: ${NOWHERE}\n  api_url: ${A-b}\n") == [
        "config.yaml:3: github.token: the environment variable NOWHERE is not set",
        "config.yaml:4: github.api_url: expected a variable such as ${NAME}, got ${A-b}",
    ]


def test_an_empty_variable_is_no_secret(problems: Problems) -> None:
    found = problems(REPOSITORIES + "github: {token: ${EMPTY}}\n", EMPTY="")
    assert found == ["config.yaml:2: github.token: expected a secret, got an empty text"]


def test_secret_files_that_give_nothing(problems: Problems, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "vast").write_bytes(b"x" * 200_000)
    text = """repositories: [{name: acme/engine}]
github:
  token: abc
  token_file: empty
slack:
  bot_token_file: nowhere
  app_token_file: empty
  signing_secret_file: binary
lark:
  app_id: x
  app_secret_file: .
  encrypt_key_file: vast
  verification_token_file: [a]
"""
    assert problems(text) == [
        "config.yaml:4: github.token_file: given beside token: keep one of the two",
        f"config.yaml:6: slack.bot_token_file: cannot read {tmp_path}/nowhere: No such file or directory",
        f"config.yaml:7: slack.app_token_file: the file {tmp_path}/empty is empty",
        f"config.yaml:8: slack.signing_secret_file: the file {tmp_path}/binary is not UTF-8 text",
        f"config.yaml:11: lark.app_secret_file: cannot read {tmp_path}: Is a directory",
        f"config.yaml:12: lark.encrypt_key_file: the file {tmp_path}/vast is too large for a secret",
        "config.yaml:13: lark.verification_token_file: expected the path of a file, got a list",
    ]


def test_mistakes_are_told_together_in_the_order_of_the_file(problems: Problems) -> None:
    text = """timezone: Asia/Bejing
repositories:
  - nam: acme/engine
  - name: console
github:
  tokn: abc
  api_url: nowhere
server:
  port: x
"""
    assert [line.split(": ")[:2] for line in problems(text)] == [
        ["config.yaml:1", "timezone"],
        ["config.yaml:3", "repositories[0].nam"],
        ["config.yaml:4", "repositories[1].name"],
        ["config.yaml:6", "github.tokn"],
        ["config.yaml:7", "github.api_url"],
        ["config.yaml:9", "server.port"],
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ": empty: expected keys and values such as those of config.example.yaml"),
        ("# nothing yet\n", ": empty: expected keys and values such as those of config.example.yaml"),
        ("- a\n", ":1: expected keys and values, got a list"),
        ("words\n", ":1: expected keys and values, got text"),
        (b"timezone: UTC\nweb_url: \xff\n", ":2: not UTF-8 text: save the file as UTF-8"),
        (b"timezone: UTC\nweb_url: \x00\n", ":2: unexpected character U+0000"),
        ("timezone: UTC\ntimezone: UTC\n", ":2: timezone: given twice, first on line 1"),
        ("server:\n  port: 1\n  host: a\n  port: 2\n", ":4: server.port: given twice, first on line 2"),
        ("a: &x [1]\nb: [*x, *x]\n", f":1: a: {NO_ALIASES}"),
        ("b: 1\na: *.md\n", f":2: a: {NO_ALIASES}"),
        ("a: !secret b\n", ":1: a: tags (!name) are not used here: put text that begins with ! in quotes"),
        ("a: 1\n---\nb: 2\n", ":2: a second document begins here (---): expected one"),
        ("? [a]\n: b\n", ":1: expected a word as the key"),
        ("a: " + "[" * 100, ":1: nested more than 20 levels deep"),
        (b"#" * 400_000, ": larger than 300,000 bytes: is it a configuration?"),
        (
            "b: 1\na: [1, 2\n\n",
            ":2: not valid YAML: while parsing a flow sequence: expected ',' or ']', but got '<stream end>'",
        ),
        (
            "a: b: c\n",
            f":1: not valid YAML: mapping values are not allowed here{COLON_HINT}",
        ),
        (
            "timezone: UTC\n\tserver: 1\n",
            rf":2: not valid YAML: {SCANNING}: found character '\t' that cannot start any token; indent with spaces",
        ),
    ],
)
def test_files_that_are_no_configuration(problems: Problems, text: str | bytes, expected: str) -> None:
    assert problems(text) == [f"config.yaml{expected}"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "none.yaml", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(ConfigError) as caught:
            load(path, {})
        assert caught.value.lines == (f"{path}: cannot read the configuration: {reason}",)
