"""The real Socket Mode client of slack-sdk, connected to the Slack double."""

from __future__ import annotations

from typing import Any

from slack_sdk import WebClient
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from tests.doubles.slack import Slack


class App:
    """A client that keeps what it gets and acknowledges it, unless told not to."""

    def __init__(self, slack: Slack) -> None:
        self.slack = slack
        self.got: list[SocketModeRequest] = []
        self.acknowledges = True
        self.answer: dict[str, Any] | None = None
        web = WebClient(slack.app_token, base_url=slack.api_url)
        self.client = SocketModeClient(slack.app_token, web_client=web, ping_interval=0.2)
        self.client.socket_mode_request_listeners.append(self._take)

    def connect(self) -> App:
        before = self.slack.connected()
        self.client.connect()
        self.slack.until(lambda: self.slack.connected() > before)
        return self

    def close(self) -> None:
        """The double hangs up first: the client waits for three seconds on a socket that is open."""
        self.client.auto_reconnect_enabled = False
        self.slack.drop()
        self.client.close()

    def _take(self, client: BaseSocketModeClient, request: SocketModeRequest) -> None:
        self.got.append(request)
        if self.acknowledges:
            client.send_socket_mode_response(SocketModeResponse(request.envelope_id, self.answer))

    def events(self) -> list[tuple[str, str | None]]:
        inner = [request.payload["event"] for request in list(self.got) if request.type == "events_api"]
        return [(event["type"], event.get("subtype")) for event in inner]
