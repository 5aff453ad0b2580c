"""The sections of config.yaml and what must fit together between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from bot.calendars import OnHoliday
from bot.config.base import Problem, Section, refuse
from bot.config.values import (
    ClockTime,
    DatabaseUrl,
    Day,
    FilePath,
    Port,
    RepositoryName,
    Secret,
    SlashedUrl,
    Text,
    Url,
    Weekday,
    ZoneName,
    expected,
    hint,
    refused,
)
from bot.holidays import UnknownCountryError, require_known
from bot.models import Role
from bot.yamlfile import Bare

Platform = Literal["slack", "lark", "local"]
_EVERY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not listened on

_Item = TypeVar("_Item")
_COMMAND = re.compile(r"/[^\s/]+")
_COUNTRY = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?")


def _typed(value: object) -> object:
    """What goes to a service as it is has numbers and booleans, which the file's reader left as text."""
    match value:
        case dict():
            return {key: _typed(item) for key, item in value.items()}
        case list():
            return [_typed(item) for item in value]
        case Bare():
            return value.typed()
    return value


def _one_or_more(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _some(values: tuple[_Item, ...]) -> tuple[_Item, ...]:
    if not values:
        raise refused("expected at least one")
    return values


def _command(value: str) -> str:
    if not _COMMAND.fullmatch(value):
        raise expected("a slash and a word such as /digest")
    return value


def _country(value: str) -> str:
    code = value.upper()
    if not _COUNTRY.fullmatch(code):
        raise expected("a country's code such as CN, or a part's such as DE-BY")
    try:
        require_known(code)
    except UnknownCountryError:
        raise refused(f"no holidays are known of {value}: check its ISO 3166 code") from None
    return code


def _admin(value: object) -> object:
    if not isinstance(value, str):
        return value
    platform, colon, user = value.partition(":")
    if not (colon and user.strip()) or platform.strip() not in get_args(Platform):
        raise expected("a platform and a user id such as slack:U0123456")
    return {"platform": platform.strip(), "id": user}


class Database(Section):
    url: DatabaseUrl = Field(default="sqlite:///digest-bot.db", validate_default=True)


class GitHubApp(Section):
    id: Text = Field(description="the app's id or client id")
    private_key: Secret = Field(description="the app's private key; private_key_file names its file")
    installation_id: int = Field(ge=1, description="the number of the app's installation")


class GitHub(Section):
    """How GitHub is asked: with a token, as an app, or (both None) not at all."""

    token: Secret | None = None
    app: GitHubApp | None = None
    api_url: Url = "https://api.github.com"

    @model_validator(mode="after")
    def _one_identity(self) -> Self:
        if self.token is not None and self.app is not None:
            refuse([(("app",), refused("given beside token: keep one of the two"))])
        return self


class Repository(Section):
    """One repository. `rules` is a file that overrides tag, risk and file rules for it.

    `visibility` None: not said, so nothing of it is shown where another organisation is known to read along.
    """

    name: RepositoryName = Field(description="OWNER/NAME such as acme/engine")
    source: Literal["github", "clone"] = "github"
    path: FilePath | None = None
    branch: Text | None = None
    role: Role = "upstream"
    baseline: Text | None = None
    watch: tuple[Text, ...] = ()
    rules: FilePath | None = None
    visibility: Literal["public", "private"] | None = None

    @model_validator(mode="after")
    def _path_of_clone(self) -> Self:
        if self.source == "clone" and self.path is None:
            refuse([(("path",), refused("missing: expected the folder of the clone, because source is clone"))])
        if self.source != "clone" and self.path is not None:
            refuse([(("path",), refused("only a clone has a path: add source: clone, or remove it"))])
        return self


class Slack(Section):
    mode: Literal["socket", "http"] = "socket"
    bot_token: Secret = Field(description="the bot token (xoxb-…)")
    app_token: Secret | None = None
    signing_secret: Secret | None = None
    api_url: SlashedUrl = "https://slack.com/api/"
    command: Annotated[Text, AfterValidator(_command)] = "/digest"
    admin_channel: Text | None = None

    @model_validator(mode="after")
    def _mode_has_its_secret(self) -> Self:
        problems: list[Problem] = []
        if self.mode == "socket" and self.app_token is None:
            problems.append(
                (("app_token",), refused("missing: expected the app token (xapp-…), because mode is socket"))
            )
        if self.mode == "http" and self.signing_secret is None:
            problems.append(
                (("signing_secret",), refused("missing: expected the signing secret, because mode is http"))
            )
        # The two tokens are easily swapped, and Slack's own answer to that does not say so.
        if self.bot_token.get_secret_value().startswith("xapp-"):
            problems.append((("bot_token",), refused("expected a bot token (xoxb-…), got an app token (xapp-…)")))
        if self.app_token is not None and self.app_token.get_secret_value().startswith("xoxb-"):
            problems.append((("app_token",), refused("expected an app token (xapp-…), got a bot token (xoxb-…)")))
        refuse(problems)
        return self


class Lark(Section):
    mode: Literal["websocket", "webhook"] = "websocket"
    app_id: Text = Field(description="the app's id (cli_…)")
    app_secret: Secret = Field(description="the app's secret")
    domain: Url = "https://open.feishu.cn"
    encrypt_key: Secret | None = None
    verification_token: Secret | None = None
    admin_channel: Text | None = None

    @model_validator(mode="after")
    def _webhook_is_verified(self) -> Self:
        if self.mode == "webhook" and self.verification_token is None:
            missing = "missing: expected the verification token, because mode is webhook"
            refuse([(("verification_token",), refused(missing))])
        return self


class LanguageModel(Section):
    """An OpenAI-compatible endpoint. `weekly_tokens` is the ceiling of a week."""

    base_url: Url = Field(description="the address of an OpenAI-compatible API")
    api_key: Secret | None = None
    model: Text = Field(description="the model's name")
    extra_body: Annotated[Mapping[str, Any], BeforeValidator(_typed)] = Field(default_factory=dict)
    weekly_tokens: int = Field(default=500_000, ge=1)


class Server(Section):
    host: Text = "127.0.0.1"
    port: Port = 8080


class Local(Section):
    host: Text = "127.0.0.1"
    port: Port = 8081


class Admin(Section):
    """Someone who may subscribe and unsubscribe; written `platform:id`."""

    platform: Platform
    id: Text


class Exclude(Section):
    """What a channel does not want to read of: pull requests of `authors` ("bots" means all bots) and under `paths`."""

    authors: Annotated[tuple[Text, ...], BeforeValidator(_one_or_more)] = ()
    paths: tuple[Text, ...] = ()


class Holidays(Section):
    """Whose holidays a channel's digests name, and what becomes of a digest whose day is one."""

    country: Annotated[Text, AfterValidator(_country)] = Field(description="a country's code such as CN")
    on_holiday: OnHoliday = "post"


class Channel(Section):
    """A subscription. `timezone` None means that of the configuration, `holidays` None nobody's."""

    platform: Platform = Field(description="slack, lark or local")
    id: Text = Field(description="the channel's id on its platform")
    name: Text | None = None
    repositories: Annotated[tuple[Text, ...], AfterValidator(_some)] = Field(
        description="the repositories to report on"
    )
    day: Day = Weekday.MONDAY
    time: ClockTime = Field(default="09:00", validate_default=True)
    timezone: ZoneName | None = None
    listen: Literal["thread", "mention"] = "thread"
    exclude: Exclude = Exclude()
    holidays: Holidays | None = None


class Config(Section):
    """The whole file. A platform, the model or the local page is None where its section is left out."""

    timezone: ZoneName = "Asia/Shanghai"
    web_url: Url = "https://github.com"
    database: Database = Field(default={}, validate_default=True)
    github: GitHub = GitHub()
    repositories: Annotated[tuple[Repository, ...], AfterValidator(_some)] = Field(description="a list of repositories")
    slack: Slack | None = None
    lark: Lark | None = None
    llm: LanguageModel | None = None
    server: Server = Server()
    local: Local | None = None
    admins: tuple[Annotated[Admin, BeforeValidator(_admin)], ...] = ()
    channels: tuple[Channel, ...] = ()

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        refuse([*self._repeated_repositories(), *self._channel_problems(), *self._port_problems()])
        return self

    def _repeated_repositories(self) -> Iterator[Problem]:
        first: dict[str, int] = {}
        for index, repository in enumerate(self.repositories):
            earlier = first.setdefault(repository.name.casefold(), index)
            if earlier != index:
                yield ("repositories", index, "name"), refused(f"{repository.name} is already repositories[{earlier}]")

    def _channel_problems(self) -> Iterator[Problem]:
        names = {repository.name for repository in self.repositories}
        seen = Counter[object]()
        for index, channel in enumerate(self.channels):
            if getattr(self, channel.platform) is None:
                problem = f"{channel.platform} is not set up: add the section `{channel.platform}:`"
                yield ("channels", index, "platform"), refused(problem)
            for position, name in enumerate(channel.repositories):
                path = ("channels", index, "repositories", position)
                if name not in names:
                    yield path, expected(f"the name of a listed repository{hint(name, names)}")
                elif name in channel.repositories[:position]:
                    yield path, refused(f"{name} is named twice")
            subscription = channel.model_copy(update={"name": None})
            seen[subscription] += 1
            if seen[subscription] > 1:
                yield ("channels", index), refused("the same subscription is listed above: remove one")

    def _port_problems(self) -> Iterator[Problem]:
        if self.local is None or self.local.port == 0 or self.local.port != self.server.port:
            return
        hosts = {self.local.host, self.server.host}
        if len(hosts) == 1 or hosts & _EVERY_ADDRESS:
            yield ("local", "port"), refused(f"the server listens on {self.server.port} already: choose another port")
