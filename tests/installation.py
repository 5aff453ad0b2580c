"""The bot installed in a folder as the documents say, with clones that have pull requests of last week.

    installed = install(tmp_path, SlackSection(api_url), [ChannelEntry("C1")], now=datetime.now(UTC))
    installed.sync()
    with installed.bot() as bot:      # is ready when the block begins, has stopped cleanly when it is left
        until(lambda: double.posts("C1"), 10, "the digest is posted")
        bot.kill()                    # SIGKILL: the block then asks for no clean end
        bot.start()
    assert "posted" in bot.log

The repository is `engine_of_last_week`: 12 pull requests merged in the last whole week, 8 in each of the two before.
`due_before` gives an entry whose delivery was due shortly before; after `installed.owe` the bot owes it and sends it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from bot.config import load
from bot.periods import last_week
from bot.store.store import Store
from bot.subscriptions import configured
from tests import cli
from tests.bot_process import READY, Bot, free_port
from tests.doubles.slack.workspace import App
from tests.factories import ZONE
from tests.repositories import Repository, git


@dataclass(frozen=True)
class SlackSection:
    """The section `slack`; the tokens reach the bot through its environment."""

    api_url: str
    mode: str = "socket"
    bot_token: str = App.bot_token
    app_token: str = App.app_token
    signing_secret: str = App.signing_secret
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def section(self) -> dict[str, Any]:
        secrets = {name: f"${{{name.upper()}}}" for name in ("bot_token", "app_token", "signing_secret")}
        return {"mode": self.mode, "api_url": self.api_url, **secrets, **self.more}

    @property
    def environ(self) -> dict[str, str]:
        return {
            "BOT_TOKEN": self.bot_token,
            "APP_TOKEN": self.app_token,
            "SIGNING_SECRET": self.signing_secret,
        }


@dataclass(frozen=True)
class ChannelEntry:
    """An entry under `channels`."""

    id: str
    repositories: tuple[str, ...] = ("acme/engine",)
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def entry(self) -> dict[str, Any]:
        return {"platform": "slack", "id": self.id, "repositories": list(self.repositories), **self.more}

    def due_before(self, now: datetime, ago: timedelta = timedelta(hours=1)) -> ChannelEntry:
        """The same, due weekly at the time of day that was `ago` before `now`."""
        local = (now - ago).astimezone(ZoneInfo(ZONE))
        return replace(self, more={**self.more, "day": f"{local:%A}".lower(), "time": f"{local:%H:%M}"})


@dataclass(frozen=True)
class Installation:
    """A folder with a configuration, a database and clones. `port` is where the bot's server listens."""

    config: Path
    port: int
    values: Mapping[str, Any]
    environ: Mapping[str, str]

    def sync(self) -> None:
        """Read the clones into the database, as `digest-bot sync` does."""
        done = cli.process("sync", "--config", self.config, environ=self.environ)
        assert done.code == 0, done.err

    def owe(self, now: datetime, ago: timedelta = timedelta(hours=2)) -> None:
        """Have the subscriptions known since `ago` before `now`: what was due since then is owed."""
        config = load(self.config, os.environ | dict(self.environ))
        with Store.open(self.database) as store:
            store.subscriptions().seed(configured(config, now - ago), now - ago)

    @property
    def database(self) -> str:
        """The database's address, its path absolute."""
        config = load(self.config, os.environ | dict(self.environ))
        return config.database.url.get_secret_value()

    def replica(self, name: str = "second") -> Installation:
        """Another bot on the same database and tokens, its server on a port of its own."""
        port = free_port()
        values = {**self.values, "server": {"host": "127.0.0.1", "port": port}}
        return replace(self, config=_written(self.config.with_name(f"{name}.yaml"), values), port=port, values=values)

    @contextmanager
    def bot(self, *, before: str = "", ready: float = READY) -> Iterator[Bot]:
        """A running bot, which must end well where it is left running. `before` is Python that runs first in it."""
        bot = Bot(self.config, self.port, self.environ, before)
        try:
            bot.start(ready)
            yield bot
            if bot.running:
                assert bot.stop() == 0, bot.log
        except BaseException as error:
            error.add_note(f"The bot's log:\n{bot.log}")
            raise
        finally:
            bot.kill()


def install(
    folder: Path,
    slack: SlackSection,
    channels: Sequence[ChannelEntry],
    *,
    now: datetime,
    repositories: Sequence[str] = ("acme/engine",),
    admins: Sequence[str] = (),
    database: str = "sqlite:///bot.db",
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Installation:
    """A configuration in an empty folder, with a clone for each repository as of `now`. `admins` are Slack user ids."""
    port = free_port()
    values = {
        "timezone": ZONE,
        "database": {"url": database},
        "repositories": [_cloned(folder, name, now) for name in repositories],
        "slack": slack.section,
        "server": {"host": "127.0.0.1", "port": port},
        "admins": [f"slack:{user}" for user in admins],
        "channels": [channel.entry for channel in channels],
        **more,
    }
    return Installation(_written(folder / "config.yaml", values), port, values, slack.environ)


def engine_of_last_week(path: Path, now: datetime) -> Repository:
    """Three whole weeks until `now`, on a fresh repository: #1-#8, #11-#18 and, in the last one, #21-#32."""
    made, week = Repository(path), last_week(now, ZONE)
    code = "".join(f"value_{number} = {number}\n" for number in range(120))
    made.commit("Start", {"engine/core.py": code}, at=week.before(3).since)
    for weeks, numbers in ((2, range(1, 9)), (1, range(11, 19)), (0, range(21, 33))):
        begins = week.since - timedelta(weeks=weeks) + timedelta(hours=9)
        for place, number in enumerate(numbers):
            title = cli.HOSTILE if number == 21 else f"[Bugfix] Fix the crash of part {number}"
            files = {"engine/core.py": code.replace(f"value_{number} =", "x ="), f"engine/part_{number}.py": code}
            made.pull(number, title, files, merged_at=begins + timedelta(hours=6 * place))
    return made


def _cloned(folder: Path, name: str, now: datetime) -> dict[str, str]:
    """Mirrored and fetched as docs/slack.md says, so that the clone is known to be complete."""
    short = name.rpartition("/")[2]
    mirror = engine_of_last_week(folder / f"origin-{short}", now).clone(folder / f"{short}.git", "--mirror")
    git(mirror, "fetch", "--quiet")
    return {"name": name, "source": "clone", "path": mirror.name}


def _written(file: Path, values: Mapping[str, Any]) -> Path:
    file.write_text(json.dumps(values, ensure_ascii=False, indent=2), encoding="utf-8")  # JSON is YAML
    return file
