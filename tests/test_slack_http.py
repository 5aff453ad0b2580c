"""Slack over HTTP: what is signed by Slack is taken in, anything else is refused, and no copy is handled twice."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.message import Button, Buttons, Message, Plain, Text
from bot.platforms.slack.http import LARGEST, Unreadable, read
from bot.platforms.slack.pace import Pace
from tests.doubles.slack import Slack
from tests.slack_bot import Bot, running

FORM = "application/x-www-form-urlencoded"
PRESSED = Message((Text((Plain("周报"),)), Buttons((Button("风险", "/digest risks"),))))


@pytest.fixture
def slack() -> Iterator[Slack]:
    with Slack() as double:
        yield double


@contextmanager
def served(slack: Slack) -> Iterator[Bot]:
    with running(slack, mode="http", pace=Pace(interval=0.0), timeout=2) as bot:
        yield bot


def post(slack: Slack, body: bytes, **headers: str | None) -> tuple[int, bytes]:
    """Sign and post by our own reckoning; headers given as None are left out."""
    stamp = headers.pop("stamp", None) or str(int(time.time()))
    digest = hmac.new(slack.signing_secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    given: dict[str, str | None] = {
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={digest}",
        "Content-Type": FORM,
    }
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    parts = urlsplit(slack.http.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=5)
    try:
        connection.request(
            "POST", parts.path, body, {name: value for name, value in given.items() if value is not None}
        )
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def command(**changes: Any) -> dict[str, Any]:
    return {"command": "/digest", "text": "top", "user_id": "U1", "channel_id": "C1", "trigger_id": "1.2.a"} | changes


def test_a_command_over_http(slack: Slack) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang])
    with served(slack):
        sent = slack.slash(infra, zhang, "top 3")
        (answer,) = slack.until(lambda: slack.messages(infra, user=zhang))
    assert sent.acked
    assert answer.text == "echo: /digest top 3"


@pytest.mark.parametrize("text", ["pr payload-fix", "payload", "payload=1&x", "风险 payload"])
def test_the_word_payload_is_a_word(slack: Slack, text: str) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("payload-team", [zhang])
    with served(slack) as bot:
        sent = slack.slash(infra, zhang, text)
        slack.until(lambda: slack.messages(infra, user=zhang))
    assert sent.acked
    assert [one.text for one in bot.heard] == [f"/digest {text}"]


def test_a_button_and_a_mention_over_http(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    with served(slack) as bot:
        root = bot.connection.platform.post(infra, PRESSED)
        slack.say(infra, zhang, "风险?", thread=root, mention=True)
        slack.until(lambda: slack.messages(infra, thread=root)[1:])
        slack.press(root, "风险", zhang)
        slack.until(lambda: [one for one in slack.messages(infra, user=zhang) if one.to == zhang])
        slack.until(slack.deliveries.idle)
    assert all(one.acked for one in slack.deliveries.all)
    assert sorted(one.text for one in bot.heard) == ["/digest risks", "风险?"]


@pytest.mark.parametrize("tamper", ["bad_signature", "old_timestamp", "text_timestamp", "no_signature", "other_body"])
def test_what_slack_did_not_sign_is_refused(slack: Slack, tamper: Any) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    slack.deliveries.retry_delays = ()
    with served(slack) as bot:
        slack.http.tamper = tamper
        slack.say(infra, zhang, "风险?", mention=True)
        slack.until(slack.deliveries.idle)
    assert [attempt.status for one in slack.deliveries.all for attempt in one.attempts] == [401, 401]
    assert bot.heard == []
    assert bot.inbox.payloads == []


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Slack_Request_Timestamp": None},
        {"X_Slack_Signature": None},
        {"X_Slack_Signature": ""},
        {"X_Slack_Signature": "v0=\xe9"},
        {"X_Slack_Request_Timestamp": ""},
        {"X_Slack_Request_Timestamp": "1e9"},
        {"X_Slack_Request_Timestamp": "9" * 5_000},
        {"X_Slack_Request_Timestamp": "-1"},
    ],
)
def test_strange_headers_are_refused(slack: Slack, headers: dict[str, str | None]) -> None:
    with served(slack):
        status, _ = post(slack, urlencode(command()).encode(), **headers)
    assert status == 401


@pytest.mark.parametrize(("age", "status"), [(0, 200), (290, 200), (310, 401), (-310, 401), (10_000, 401)])
def test_how_old_a_request_may_be(slack: Slack, age: int, status: int) -> None:
    with served(slack):
        found, _ = post(slack, urlencode(command()).encode(), stamp=str(int(time.time()) - age))
    assert found == status


@pytest.mark.parametrize("body", [b"\xff\xfe", b"{", b"{]", b"payload=x", b"payload=[]", b"[]", b"&;="])
def test_what_cannot_be_read_is_a_bad_request(slack: Slack, body: bytes) -> None:
    with served(slack) as bot:
        status, _ = post(slack, body)
        assert status in {400, 401}
        assert post(slack, urlencode(command()).encode())[0] == 200, "it goes on"
        slack.until(lambda: bot.heard)


def test_foreign_json_is_acknowledged_or_refused(slack: Slack) -> None:
    bodies: list[Any] = [
        {},
        {"user": 5},
        {"type": "event_callback", "event": [], "authorizations": 7},
        {"type": "event_callback", "event": {"type": None}},
        {"channel": {"id": None}, "team": 3, "actions": "x", "type": "block_actions"},
    ]
    with served(slack) as bot:
        statuses = [post(slack, json.dumps(body).encode(), Content_Type="application/json")[0] for body in bodies]
    assert set(statuses) <= {200, 400, 500}
    assert bot.inbox.payloads == []


def test_too_large_a_request_is_not_read(slack: Slack) -> None:
    with served(slack):
        status, _ = post(slack, b"text=" + b"x" * LARGEST)
    assert status == 413


def test_slacks_challenge_is_answered(slack: Slack) -> None:
    with served(slack):
        body = json.dumps({"type": "url_verification", "challenge": "abc"}).encode()
        status, answer = post(slack, body, Content_Type="application/json")
    assert status == 200
    assert b"abc" in answer


def test_slacks_certificate_check_is_answered(slack: Slack) -> None:
    with served(slack) as bot:
        assert post(slack, b"ssl_check=1&token=x")[0] == 200
    assert bot.inbox.payloads == []


def test_a_replay_within_the_window_is_handled_once(slack: Slack) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang])
    with served(slack) as bot:
        slack.slash(infra, zhang, "top")
        slack.say(infra, zhang, "风险?", mention=True)
        slack.until(slack.deliveries.idle)
        slack.until(lambda: len(bot.heard) == 2)
        for request in list(slack.http.sent):
            assert slack.http.replay(request).status == 200
        assert bot.inbox.workers.stop(5)
    assert len(bot.heard) == 2


def test_what_cannot_be_kept_is_asked_for_again(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    slack.deliveries.retry_delays = (0.1,)
    with served(slack) as bot:
        bot.inbox.broken = OSError("disk full")
        ts = slack.say(infra, zhang, "风险?", mention=True)
        slack.until(lambda: [one for one in slack.events_of(ts) if one.attempts and one.attempts[0].outcome])
        bot.inbox.broken = None
        slack.until(lambda: slack.messages(infra, thread=ts))
    assert [attempt.status for attempt in slack.events_of(ts)[0].attempts] == [503, 200]


def test_a_command_that_cannot_be_kept_gets_an_apology(slack: Slack) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang])
    with served(slack) as bot:
        bot.inbox.broken = OSError("disk full")
        slack.slash(infra, zhang, "top")
        (answer,) = slack.until(lambda: slack.messages(infra, user=zhang))
    assert "出错了" in answer.shown


@given(st.binary(max_size=60) | st.text(max_size=40).map(str.encode))
def test_whatever_is_sent_is_read_or_unreadable(body: bytes) -> None:
    with suppress(Unreadable):
        assert isinstance(read(body), dict)


@given(st.dictionaries(st.sampled_from(["command", "text", "channel_name", "user_id"]), st.text(max_size=20)))
def test_a_command_is_read_as_it_was_written(form: dict[str, str]) -> None:
    form = {"command": "/digest", **form}
    kept = {name: value.encode("utf-8", "replace").decode() for name, value in form.items()}
    assert read(urlencode(kept).encode()) == kept
