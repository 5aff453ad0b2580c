"""The configuration: what it takes, what it keeps to itself, and that nothing but a ConfigError comes of garbage."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.config import Config, ConfigError, Weekday, load

Load = Callable[..., Config]
REPOSITORIES = "repositories: [{name: acme/engine}, {name: acme/console}]\n"
CANARIES = ("xoxb-canary", "xapp-canary", "sig-canary", "ghp_canary", "pw-canary", "key-canary")


@pytest.fixture
def read(tmp_path: Path) -> Load:
    def read(text: str | bytes, **environ: str) -> Config:
        path = tmp_path / "config.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load(path, environ)

    return read


def channel(**changes: str) -> str:
    values = {"platform": "local", "id": "general", "repositories": "[acme/engine]"} | changes
    entry = ", ".join(f"{key}: {value}" for key, value in values.items())
    return f"{REPOSITORIES}local: {{}}\nchannels:\n  - {{{entry}}}\n"


def test_defaults(read: Load, tmp_path: Path) -> None:
    config = read(REPOSITORIES)
    assert (config.timezone, config.web_url) == ("Asia/Shanghai", "https://github.com")
    assert config.database.url.get_secret_value() == f"sqlite:///{tmp_path}/digest-bot.db"
    assert (config.github.api_url, config.github.token) == ("https://api.github.com", None)
    assert (config.server.host, config.server.port) == ("127.0.0.1", 8080)
    assert (config.slack, config.lark, config.llm, config.local) == (None, None, None, None)
    repository = config.repositories[0]
    assert (repository.source, repository.role, repository.watch) == ("github", "upstream", ())
    assert (repository.baseline, repository.rules, repository.path, repository.branch) == (None, None, None, None)


def test_defaults_of_optional_sections(read: Load) -> None:
    config = read(
        REPOSITORIES + "local: {}\nslack: {bot_token: a, app_token: b}\nlark: {app_id: c, app_secret: d}\n"
        "llm: {base_url: http://127.0.0.1:9/v1/, model: m}\n"
    )
    assert config.slack is not None
    assert (config.slack.mode, config.slack.command) == ("socket", "/digest")
    assert config.slack.api_url == "https://slack.com/api/"
    assert config.lark is not None
    assert (config.lark.mode, config.lark.domain) == ("websocket", "https://open.feishu.cn")
    assert config.llm is not None
    assert (config.llm.base_url, config.llm.weekly_tokens) == ("http://127.0.0.1:9/v1", 500_000)
    assert config.local is not None
    assert config.local.port == 8081


def test_defaults_of_a_channel(read: Load) -> None:
    subscription = read(channel()).channels[0]
    assert (subscription.day, subscription.time) == (Weekday.MONDAY, time(9))
    assert (subscription.timezone, subscription.name) == (None, None)
    assert (subscription.exclude.authors, subscription.exclude.paths) == ((), ())


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("10:00", time(10)),
        ("09:00", time(9)),
        ("9:05", time(9, 5)),
        ("00:00", time(0)),
        ("23:59", time(23, 59)),
        ('"09:00"', time(9)),
        ("09：30", time(9, 30)),
    ],
)
@pytest.mark.parametrize("directive", ["", "%YAML 1.1\n---\n"])
def test_a_time_means_what_it_says_quoted_or_not(read: Load, written: str, meant: time, directive: str) -> None:
    assert read(directive + channel(time=written)).channels[0].time == meant


@given(hour=st.integers(0, 23), minute=st.integers(0, 59))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_minute_of_the_day(read: Load, hour: int, minute: int) -> None:
    assert read(channel(time=f"{hour:02}:{minute:02}")).channels[0].time == time(hour, minute)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("monday", Weekday.MONDAY),
        ("Tue", Weekday.TUESDAY),
        ("FRIDAY", Weekday.FRIDAY),
        ("周一", Weekday.MONDAY),
        ("星期三", Weekday.WEDNESDAY),
        ("礼拜六", Weekday.SATURDAY),
        ("周日", Weekday.SUNDAY),
        ("星期天", Weekday.SUNDAY),
    ],
)
def test_days(read: Load, written: str, meant: Weekday) -> None:
    assert read(channel(day=written)).channels[0].day is meant


def test_text_is_not_guessed_to_be_something_else(read: Load) -> None:
    config = read("repositories: [{name: acme/engine, baseline: 1.10, branch: no, watch: [0x10, on, 2026-01-01]}]\n")
    repository = config.repositories[0]
    assert (repository.baseline, repository.branch) == ("1.10", "no")
    assert repository.watch == ("0x10", "on", "2026-01-01")


def test_extra_body_has_types(read: Load) -> None:
    body = "{temperature: 0.7, top_k: 20, thinking: False, seed: '7', stop: null, nested: {list: [1, x, true]}}"
    config = read(REPOSITORIES + f"llm: {{base_url: http://127.0.0.1:9, model: 4.10, extra_body: {body}}}\n")
    assert config.llm is not None
    assert config.llm.model == "4.10"
    nested = {"list": [1, "x", True]}
    typed = {"temperature": 0.7, "top_k": 20, "thinking": False, "seed": "7", "stop": None, "nested": nested}
    assert config.llm.extra_body == typed


def test_variables_also_inside_braces_and_longer_text(read: Load) -> None:
    text = (
        "{repositories: [{name: ${OWNER}/engine}], server: {port: ${PORT}}, "
        "github: {token: ${SECRET}, api_url: 'https://${HOST}/api'}}  # ${COMMENT}"
    )
    config = read(text, OWNER="acme", PORT="9000", SECRET="a: {b}", HOST="git.example.com")  # noqa: S106 - invented
    assert (config.repositories[0].name, config.server.port) == ("acme/engine", 9000)
    assert config.github.api_url == "https://git.example.com/api"
    assert config.github.token is not None
    assert config.github.token.get_secret_value() == "a: {b}"


def test_secrets_from_files(read: Load, tmp_path: Path) -> None:
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/app.pem").write_text("line 1\nline 2\n\n", encoding="utf-8")
    (tmp_path / "secrets/bot").write_bytes(b"\xef\xbb\xbfxoxb-canary\r\n")
    (tmp_path / "address").write_text("postgresql://h/d\n", encoding="utf-8")
    config = read(
        REPOSITORIES + "github: {app: {id: 1, private_key_file: secrets/app.pem, installation_id: 2}}\n"
        "slack: {bot_token_file: ~/secrets/bot, app_token: xapp-canary}\ndatabase: {url_file: ./address}\n",
        HOME=str(tmp_path),
    )
    assert config.github.app is not None
    assert config.github.app.private_key.get_secret_value() == "line 1\nline 2"
    assert config.slack is not None
    assert config.slack.bot_token.get_secret_value() == "xoxb-canary"
    assert config.database.url.get_secret_value() == "postgresql://h/d"


def test_relative_paths_count_from_the_folder_of_the_file(read: Load, tmp_path: Path) -> None:
    config = read(
        "repositories:\n  - {name: acme/a, source: clone, path: a.git, rules: ./rules.yaml}\n"
        "  - {name: acme/b, source: clone, path: /srv/b.git}\n  - {name: acme/c, source: clone, path: ~/c}\n"
        "database: {url: 'sqlite:///data/bot.db?timeout=9'}\n",
        HOME="/home/dev",
    )
    first, second, third = config.repositories
    assert (first.path, first.rules) == (tmp_path / "a.git", tmp_path / "rules.yaml")
    assert (second.path, third.path) == (Path("/srv/b.git"), Path("/home/dev/c"))
    assert config.database.url.get_secret_value() == f"sqlite:///{tmp_path}/data/bot.db?timeout=9"


@pytest.mark.parametrize("url", ["sqlite:////var/lib/bot.db", "postgresql://bot:pw@db.example.com:5432/bot"])
def test_an_absolute_database_stays(read: Load, url: str) -> None:
    assert read(REPOSITORIES + f"database: {{url: '{url}'}}\n").database.url.get_secret_value() == url


def test_a_relative_name_of_the_file_gives_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.yaml").write_text(REPOSITORIES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load(Path("config.yaml"), {}).database.url.get_secret_value() == f"sqlite:///{tmp_path}/digest-bot.db"


def test_the_same_port_on_another_address_and_any_free_port_are_fine(read: Load) -> None:
    assert read(REPOSITORIES + "local: {host: 127.0.0.2, port: 8080}\n").local
    assert read(REPOSITORIES + "local: {port: 0}\nserver: {port: 0}\n").local


def test_one_channel_may_have_several_subscriptions(read: Load) -> None:
    entry = "  - {platform: local, id: general, repositories: [acme/engine]}\n"
    assert len(read(channel(day="周五") + entry).channels) == 2


def test_excluded_authors_are_a_word_or_a_list(read: Load) -> None:
    assert read(channel(exclude="{authors: bots}")).channels[0].exclude.authors == ("bots",)
    assert read(channel(exclude="{authors: [a, b]}")).channels[0].exclude.authors == ("a", "b")


def test_admins(read: Load) -> None:
    admins = read(REPOSITORIES + "admins: [slack:U0123456, 'lark:ou_abc']\n").admins
    assert [(admin.platform, admin.id) for admin in admins] == [("slack", "U0123456"), ("lark", "ou_abc")]


def test_a_byte_order_mark_and_windows_line_ends_are_fine(read: Load) -> None:
    assert read(b"\xef\xbb\xbftimezone: UTC\r\n" + REPOSITORIES.encode()).timezone == "UTC"


def test_the_models_do_not_change(read: Load) -> None:
    config = read(REPOSITORIES)
    with pytest.raises(ValidationError):
        config.timezone = "UTC"


def test_secrets_are_shown_nowhere(read: Load) -> None:
    config = read(
        REPOSITORIES + "slack: {bot_token: xoxb-canary, app_token: ${APP}, signing_secret: sig-canary}\n"
        "github: {token: ghp_canary}\ndatabase: {url: postgresql://bot:pw-canary@db.example.com/bot}\n"
        "llm: {base_url: http://h, model: m, api_key: key-canary}\n",
        APP="xapp-canary",
    )
    shown = repr(config) + str(config) + config.model_dump_json()
    assert not [canary for canary in CANARIES if canary in shown]


@pytest.mark.parametrize(
    "text",
    [
        "slack: {bot_token: [xoxb-canary], app_token: {a: xapp-canary}, signing_secret_file: [sig-canary]}",
        "slack: {mode: xoxb-canary, bot_token: xapp-canary, app_token: xoxb-canary}",
        "slack: xoxb-canary",
        "slack: key-canary",
        "slack: [key-canary]",
        "github: {token_file: ghp_canary}",
        "github: {tokn: key-canary, ghp_canary: 1}",
        "github: {token: key-canary, app: {id: 1, private_key: pw-canary, installation_id: sk-pw-canary}}",
        "database: {url: mysql://bot:pw-canary@db.example.com/bot}",
        "web_url: https://bot:pw-canary@example.com",
        "timezone: ${SECRET}",
        "server: {port: ${SECRET}}",
        "admins: ['${SECRET}']",
    ],
)
def test_no_mistake_tells_a_secret(read: Load, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(REPOSITORIES + text + "\n", SECRET="key-canary")  # noqa: S106 - invented
    assert not [canary for canary in CANARIES if canary in str(caught.value)], caught.value.lines
    assert caught.value.__context__ is None  # what a traceback would show as well


_VOCABULARY = """timezone web_url database github repositories slack lark llm server local admins channels url token
    token_file app id name source path branch role watch rules mode bot_token port host platform day time exclude
    authors extra_body UTC acme/engine clone monday 09:00 ${A} ${ ${NO} null ~ ~/x [] {} 1 -1 .5 '' "a: b" "\\0"
    "\\UFFFFFFFF" *a &a !a <<"""
_WORDS = st.sampled_from(_VOCABULARY.split())
_TREES = st.recursive(_WORDS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS, inner, max_size=4))
_BROAD = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _complaint(read: Load, content: str | bytes, **environ: str) -> str:
    try:
        read(content, **environ)
    except ConfigError as error:
        return str(error)
    return ""


def _flow(tree: object) -> str:
    match tree:
        case list():
            return "[" + ", ".join(_flow(item) for item in tree) + "]"
        case dict():
            return "{" + ", ".join(f"{key}: {_flow(value)}" for key, value in tree.items()) + "}"
    return str(tree)


@_BROAD
@given(st.binary(max_size=300))
def test_any_bytes_give_a_configuration_or_a_config_error(read: Load, content: bytes) -> None:
    assert _complaint(read, content).replace("\n", " ").isprintable()


@_BROAD
@given(st.text(alphabet="ab:-?[]{},&*!|>%@`'\"\\# \n\t0\u0085\u2028\ue000\ue001$", max_size=120))
def test_any_punctuation_gives_a_configuration_or_a_config_error(read: Load, text: str) -> None:
    assert _complaint(read, text, A="1").replace("\n", " ").isprintable()


@_BROAD
@given(st.dictionaries(_WORDS, _TREES, max_size=6))
def test_any_shape_gives_a_configuration_or_a_config_error(read: Load, tree: dict[str, object]) -> None:
    text = "\n".join(f"{key}: {_flow(value)}" for key, value in tree.items())
    assert _complaint(read, text, A="\ud800\n", HOME="").replace("\n", " ").isprintable()
