"""Takes in what Slack delivers, over whichever transport: read, kept, acknowledged, nothing more."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus
from threading import Thread
from typing import Any

from slack_bolt import Ack, App, BoltRequest, BoltResponse
from slack_bolt.authorization import AuthorizeResult

from bot.apology import apology, log_failure
from bot.platforms.slack.api import web_client
from bot.platforms.slack.arrival import Arrival, Self, arrival_of
from bot.platforms.slack.firsts import Firsts
from bot.platforms.slack.render import payloads

Take = Callable[[tuple[str, ...], str], None]
"""Keeps an event under its keys, so that a copy is known, and has it handled. Raises where it cannot be kept."""

Apologise = Callable[[Arrival, str], None]
"""Tells whoever gave a command or pressed a button that it failed, under the id that the log has."""

_log = logging.getLogger(__name__)


class SlackEvents:
    """Everything that Slack sends to the app comes through `dispatch`; usable from several threads.

    An event is acknowledged when it is kept, and anything that nobody is to be answered for at once. A command that
    could not be kept is acknowledged with an apology; of events Slack delivers another copy. `now` is the clock.
    """

    def __init__(
        self,
        me: Self,
        api_url: str,
        *,
        take: Take,
        apologise: Apologise,
        firsts: Firsts,
        now: Callable[[], datetime],
    ) -> None:
        self._me = me
        self._take = take
        self._apologise = apologise
        self._firsts = firsts
        self._now = now
        self.app = self._bolt(api_url)

    def dispatch(self, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> BoltResponse:
        """The answer to one delivery, whose origin was checked. A status other than 200 asks for another copy."""
        try:
            request = BoltRequest(mode="socket_mode", body=dict(body), headers=dict(headers or {}))
        except (AttributeError, KeyError, TypeError, ValueError) as error:  # bolt reads more of it than we do
            _log.warning("a delivery that Slack does not make: %r", error)
            return BoltResponse(status=HTTPStatus.BAD_REQUEST, body="")
        return self.app.dispatch(request)

    def _bolt(self, api_url: str) -> App:
        """The app with one middleware that answers everything: none of bolt's own listeners, threads or calls."""

        def received(body: dict[str, Any], ack: Ack) -> BoltResponse:
            return self._received(body, ack)

        # The identity is known: bolt would ask for it while the first command waits for its acknowledgement.
        identity = AuthorizeResult(
            enterprise_id=None, team_id=None, bot_user_id=self._me.user, bot_id=self._me.bot, bot_token=""
        )
        app = App(
            name="digest-bot",
            logger=_bolt_logger(),
            client=web_client(None, api_url),
            authorize=lambda: identity,
            signing_secret="",
            request_verification_enabled=False,  # `http` does it; bolt answers 500 to a timestamp that is no number
            attaching_conversation_kwargs_enabled=False,
        )
        app.middleware(received)
        return app

    def _received(self, body: dict[str, Any], ack: Ack) -> BoltResponse:
        arrival = arrival_of(body, self._me, self._now())
        if arrival is None:
            return ack()
        kept = replace(arrival, token=self._firsts.token())
        try:
            self._take(kept.keys, kept.to_json())
        except Exception:  # noqa: BLE001 - whatever kept it from being kept, Slack must be told
            return self._not_kept(kept, log_failure(f"a {kept.kind} of Slack's could not be kept"), ack)
        return ack()

    def _not_kept(self, arrival: Arrival, failure: str, ack: Ack) -> BoltResponse:
        """Events come again when they are not acknowledged; commands and buttons do not."""
        match arrival.kind:
            case "command":
                words = payloads(apology(failure))[0]
                return ack(text=words.text, blocks=words.blocks)
            case "button":  # the acknowledgement of a button shows nothing
                Thread(target=self._apologise, args=(arrival, failure), name="slack-apology", daemon=True).start()
                return ack()
        return BoltResponse(status=HTTPStatus.SERVICE_UNAVAILABLE, body="")


def _bolt_logger() -> logging.Logger:
    logger = logging.getLogger("slack_bolt.digest_bot")
    logger.setLevel(logging.WARNING)  # below that it writes down what people say
    return logger
