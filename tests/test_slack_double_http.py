"""The Slack double's HTTP delivery, to a server that hands each request to the real slack-bolt."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from slack_bolt import App, BoltRequest, Say
from slack_sdk import WebClient
from slack_sdk.signature import SignatureVerifier

from tests.doubles.slack import Slack
from tests.doubles.slack.http_delivery import Tamper

JSON = "application/json"


class Endpoint(ThreadingHTTPServer):
    """The app's address. `statuses` are answered first, without asking the app; None: no answer within the time."""

    daemon_threads = True

    def __init__(self, slack: Slack) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        client = WebClient(slack.bot_token, base_url=slack.api_url)
        self.app = App(client=client, signing_secret=slack.signing_secret, process_before_response=True)
        self.statuses: list[int | None] = []
        self.no_retry = False
        self.headers: list[dict[str, str]] = []
        self.given_up = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/slack/events"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the signature of the base class
        """Say nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.headers.append({key.lower(): value for key, value in self.headers.items()})
        status = self.server.statuses.pop(0) if self.server.statuses else 0
        if status is None:
            self.server.given_up.wait(5)
        elif status:
            self._say(status, {"x-slack-no-retry": "1"} if self.server.no_retry else {}, "")
        else:
            request = BoltRequest(body=body, headers={key: [value] for key, value in self.headers.items()})
            answer = self.server.app.dispatch(request)
            self._say(answer.status, {key: value[0] for key, value in answer.headers.items()}, answer.body)

    def _say(self, status: int, headers: dict[str, str], body: str) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body.encode())


@pytest.fixture
def slack() -> Iterator[Slack]:
    with Slack() as double:
        yield double


@pytest.fixture
def endpoint(slack: Slack) -> Iterator[Endpoint]:
    with Endpoint(slack) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        slack.use_http(server.url, verify=False)
        yield server
        server.given_up.set()
        server.shutdown()
        thread.join()


def test_the_address_is_verified_before_anything_is_sent(slack: Slack, endpoint: Endpoint) -> None:
    assert slack.use_http(endpoint.url) is True
    endpoint.statuses = [500]
    assert slack.use_http(endpoint.url) is False


def test_events_reach_the_app_once_acknowledged(slack: Slack, endpoint: Endpoint) -> None:
    said = []
    endpoint.app.event("app_mention")(lambda event: said.append(event["text"]))
    endpoint.app.event("message")(lambda: None)
    slack.say(slack.channel("infra"), slack.user("zhang"), "top", mention=True)
    slack.until(slack.deliveries.idle)
    assert said == [f"<@{slack.bot}> top"]
    assert [delivery.attempts[0].status for delivery in slack.deliveries.all] == [200, 200]


def tried(slack: Slack, times: int) -> bool:
    """Whether the first delivery was tried so often, to the end."""
    attempts = slack.deliveries.all[0].attempts if slack.deliveries.all else []
    return len(attempts) == times and bool(attempts[-1].outcome)


def test_a_failed_event_is_sent_three_more_times(slack: Slack, endpoint: Endpoint) -> None:
    slack.deliveries.retry_delays, slack.http.seconds = (0.0, 60.0, 300.0), 0.2
    endpoint.statuses = [500, None, 503, 500]
    slack.emit({"type": "team_rename", "name": "x"})
    for seconds, tries in ((0, 2), (60, 3), (300, 4)):
        slack.advance(seconds)
        slack.until(partial(tried, slack, tries))
    slack.until(lambda: slack.deliveries.all[0].failed)
    retries = [(h.get("x-slack-retry-num"), h.get("x-slack-retry-reason")) for h in endpoint.headers]
    assert retries == [(None, None), ("1", "http_error"), ("2", "http_timeout"), ("3", "http_error")]


def test_an_app_can_decline_repetitions(slack: Slack, endpoint: Endpoint) -> None:
    endpoint.statuses, endpoint.no_retry = [500], True
    slack.emit({"type": "team_rename", "name": "x"})
    slack.until(lambda: slack.deliveries.all[0].failed)
    assert slack.deliveries.all[0].failed == "no_retry"
    assert slack.deliveries.idle()


@pytest.mark.parametrize("tamper", ["bad_signature", "old_timestamp", "other_body", "no_signature"])
def test_what_is_not_honestly_signed_is_turned_away(slack: Slack, endpoint: Endpoint, tamper: Tamper) -> None:
    slack.http.tamper = tamper
    assert slack.http.post(json.dumps({"type": "event_callback"}).encode(), JSON).status == 401
    assert len(endpoint.headers) == 1


def test_a_timestamp_in_words_is_signed_as_such(slack: Slack, endpoint: Endpoint) -> None:
    slack.http.tamper = "text_timestamp"
    endpoint.statuses = [401]
    sent = slack.http.post(b"{}", JSON)
    assert sent.headers["X-Slack-Request-Timestamp"] == "yesterday"
    verifier = SignatureVerifier(slack.signing_secret)
    assert sent.headers["X-Slack-Signature"] == verifier.generate_signature(timestamp="yesterday", body=b"{}")


def test_a_replay_is_the_very_same_request(slack: Slack, endpoint: Endpoint) -> None:
    first = slack.http.post(json.dumps({"type": "url_verification", "challenge": "c"}).encode(), JSON)
    again = slack.http.replay(first)
    assert (first.status, again.status) == (200, 200)
    assert endpoint.headers[0]["x-slack-signature"] == endpoint.headers[1]["x-slack-signature"]


def test_a_command_is_a_form_and_its_answer_is_shown(slack: Slack, endpoint: Endpoint) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    endpoint.app.command("/digest")(lambda ack, command: ack(f"got {command['text']}"))
    command = slack.slash(infra, zhang, "top 3 & 中文")
    slack.until(lambda: command.acked)
    assert [m.text for m in slack.messages(infra, user=zhang)] == ["got top 3 & 中文"]


def test_a_pressed_button_arrives(slack: Slack, endpoint: Endpoint) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    button = {"type": "button", "text": {"type": "plain_text", "text": "风险"}, "action_id": "a", "value": "risks"}
    blocks = [{"type": "actions", "elements": [button]}]
    WebClient(slack.bot_token, base_url=slack.api_url).chat_postMessage(channel=infra, text="x", blocks=blocks)
    values = []

    @endpoint.app.action("a")
    def pressed(ack: Any, body: dict[str, Any], say: Say) -> None:
        ack()
        values.append(body["actions"][0]["value"])
        say("done")

    slack.press(slack.messages(infra)[0].ts, "风险", zhang)
    slack.until(lambda: [m.text for m in slack.messages(infra)] == ["x", "done"])
    assert values == ["risks"]


def test_an_unanswered_command_fails_for_its_user(slack: Slack, endpoint: Endpoint) -> None:
    slack.http.seconds, endpoint.statuses = 0.1, [None, 500]
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    first = slack.slash(infra, zhang, "top")
    assert slack.until(lambda: first.failed) == "timeout"
    second = slack.slash(infra, zhang, "top")
    assert slack.until(lambda: second.failed) == "http_error"
    slack.use_http("http://127.0.0.1:9/slack/events", verify=False)
    third = slack.slash(infra, zhang, "top")
    assert slack.until(lambda: third.failed) == "no_connection"
