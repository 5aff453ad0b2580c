"""The double as tests use it: a workspace with one installed app, served on the loopback interface."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

from tests.doubles.slack.chaos import Chaos
from tests.doubles.slack.control import Control
from tests.doubles.slack.people import People
from tests.doubles.slack.reading import Reading
from tests.doubles.slack.server import Server


class Slack(People, Reading, Chaos):
    """`with Slack() as slack:` serves until the block ends. An error inside the double fails the block."""

    def __init__(self, *, port: int = 0, **settings: Any) -> None:
        super().__init__(**settings)
        self._server = Server(self, Control(self), port)
        self.address = f"127.0.0.1:{self._server.server_address[1]}"
        self.app_methods.address = self.response_urls.address = self.address

    @property
    def api_url(self) -> str:
        """What `slack.api_url` in the configuration is set to."""
        return f"http://{self.address}/api/"

    @property
    def bot_token(self) -> str:
        return self.app.bot_token

    @property
    def app_token(self) -> str:
        return self.app.app_token

    @property
    def signing_secret(self) -> str:
        return self.app.signing_secret

    @property
    def bot(self) -> str:
        """The user id of the bot."""
        return self.app.bot_user

    def about(self) -> dict[str, str]:
        """What a bot and a person need to know of a running double."""
        tokens = {"bot_token": self.bot_token, "app_token": self.app_token, "signing_secret": self.signing_secret}
        return {"api_url": self.api_url, "control_url": f"http://{self.address}/control"} | tokens | {"bot": self.bot}

    def scopes(self, only: Iterable[str] | None = None) -> list[str]:
        """The granted scopes; `only` replaces them."""
        if only is not None:
            self.app.scopes = set(only)
        return sorted(self.app.scopes)

    def start(self) -> Self:
        self.deliveries.start()
        self._server.start()
        return self

    def stop(self) -> None:
        """Close every connection and the port."""
        self.connections.drop()
        self.deliveries.stop()
        self._server.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self.errors and error is None:
            raise AssertionError("the Slack double failed:\n" + "\n".join(self.errors))
