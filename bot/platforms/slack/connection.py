"""Slack as a running bot uses it: what posts, what takes in and what answers, put together from the configuration."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from time import sleep

from pydantic import SecretStr
from starlette.routing import BaseRoute

from bot.config import Slack
from bot.platforms.slack import manifest, preflight
from bot.platforms.slack.answering import Answering
from bot.platforms.slack.api import TIMEOUT, SlackApi
from bot.platforms.slack.arrival import Self
from bot.platforms.slack.firsts import Firsts
from bot.platforms.slack.hands import Hands
from bot.platforms.slack.http import SlackHttp
from bot.platforms.slack.insist import Insistence
from bot.platforms.slack.looking import Looking
from bot.platforms.slack.pace import Pace
from bot.platforms.slack.posting import Poster
from bot.platforms.slack.receive import SlackEvents, Take
from bot.platforms.slack.send import SlackPlatform
from bot.platforms.slack.socket import PING, SlackSocket
from bot.platforms.slack.statuses import Statuses
from bot.platforms.slack.working import SLOW
from bot.ports import Joined, Respond

_log = logging.getLogger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


class SlackConnection:
    """One Slack workspace. Making it asks nothing of Slack: `platform` posts, also without `start`.

    `timeout` is how many seconds a call may take, `slow` after how many it is shown that an answer is made, and `pace`
    how fast channels are posted to; `ping`: seconds between two looks whether the socket lives.
    """

    def __init__(
        self,
        settings: Slack,
        *,
        timeout: int = TIMEOUT,
        slow: float = SLOW,
        pace: Pace | None = None,
        now: Callable[[], datetime] = _now,
        pause: Callable[[float], object] = sleep,
        ping: float = PING,
    ) -> None:
        self._settings = settings
        self._timeout = timeout
        self._now = now
        self._ping = ping
        self._api = SlackApi(settings.bot_token.get_secret_value(), settings.api_url, timeout)
        poster, looking = Poster(self._api, pace or Pace()), Looking(self._api)
        self._firsts = Firsts()
        hands = Hands(poster, looking, Insistence(pause=pause), Statuses(self._api))
        self._answering = Answering(hands, self._firsts, slow=slow, timeout=timeout)
        self._socket: SlackSocket | None = None
        self.platform = SlackPlatform(self._api, poster, looking)

    def handle(self, payload: str, respond: Respond, joined: Callable[[Joined], None]) -> None:
        """Handle an event that was kept: see `Answering.handle`."""
        self._answering.handle(payload, respond, joined)

    def start(self, take: Take) -> list[BaseRoute]:
        """Check the tokens, say what is off for want of permissions, and begin to receive.

        In HTTP mode nothing comes before the routes that are returned are served; in Socket Mode there are none. Raises
        `preflight.SlackStartError`.
        """
        me = preflight.identity(self._api)
        for line in () if me.scopes is None else manifest.missing(me.scopes):
            _log.info("%s", line)
        events = SlackEvents(
            Self(me.user, me.bot, self._settings.command),
            self._settings.api_url,
            take=take,
            apologise=self._answering.apologise,
            firsts=self._firsts,
            now=self._now,
        )
        if self._settings.mode == "http":
            return list(SlackHttp(events, _secret(self._settings.signing_secret)).routes())
        token = _secret(self._settings.app_token)
        url = preflight.socket_url(SlackApi(token, self._settings.api_url, self._timeout, "app_token"))
        self._socket = SlackSocket(events, token, self._settings.api_url, ping=self._ping)
        self._socket.start(url)
        return []

    def ready(self) -> str | None:
        """What is wrong with the connection now; None: nothing. Fulfils `bot.web.Check`."""
        return None if self._socket is None else self._socket.ready()

    def alive(self) -> str | None:
        """What only a restart may mend; None: nothing. Fulfils `bot.web.Check`."""
        return None if self._socket is None else self._socket.alive()

    def stop(self) -> None:
        """Take nothing more in over the socket; what was taken in is still acknowledged, and can still be answered."""
        if self._socket is not None:
            self._socket.stop()


def _secret(secret: object) -> str:
    """A secret that the configuration demands for the chosen mode."""
    if not isinstance(secret, SecretStr):
        raise TypeError("the mode's secret is missing, which the configuration does not let pass")
    return secret.get_secret_value()
