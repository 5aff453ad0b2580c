"""HTTP mode: signed requests to the app's own address.

Source: docs.slack.dev/authentication/verifying-requests-from-slack (v0, HMAC-SHA256 of `v0:timestamp:body`) and
docs.slack.dev/apis/events-api (retry headers, `x-slack-no-retry`, url_verification).
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, Literal
from urllib.parse import urlencode, urlsplit

from tests.doubles.slack.clock import Clock
from tests.doubles.slack.deliveries import Attempt, Delivery

Tamper = Literal["bad_signature", "old_timestamp", "text_timestamp", "no_signature", "other_body"]
Settle = Callable[[Delivery, Attempt, str, Any], None]
TOO_OLD = 600
JSON = "application/json"
OK = 200


class Sent:
    """One request to the app, as it can be replayed, and the app's answer."""

    def __init__(self, headers: Mapping[str, str], body: bytes) -> None:
        self.headers = dict(headers)
        self.body = body
        self.status = 0
        self.answer = b""
        self.answer_headers: dict[str, str] = {}


class HttpDelivery:
    """Posts to `url`. `tamper` is how requests are forged from now on, None: honestly signed."""

    def __init__(self, secret: str, clock: Clock, settle: Settle) -> None:
        self.url = ""
        self.seconds = 3.0
        self.tamper: Tamper | None = None
        self.sent: list[Sent] = []
        self._secret = secret
        self._clock = clock
        self._settle = settle

    def deliver(self, delivery: Delivery, attempt: Attempt) -> str:
        """Post one attempt from a thread of its own; the outcome is settled when the app has answered."""
        threading.Thread(target=self._deliver, args=(delivery, attempt), daemon=True).start()
        return ""

    def post(self, body: bytes, content_type: str, more: Mapping[str, str] | None = None) -> Sent:
        """Sign and post. Raises OSError and http.client.HTTPException when there is no answer."""
        headers = self._headers(body) | {"Content-Type": content_type} | dict(more or {})
        forged = body + (b" " if content_type == JSON else b"&forged=1")
        return self.replay(Sent(headers, forged if self.tamper == "other_body" else body))

    def replay(self, request: Sent) -> Sent:
        """Post the very same request, signature and timestamp included. Raises OSError and HTTPException."""
        sent = Sent(request.headers, request.body)
        self.sent.append(sent)
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=self.seconds)
        try:
            connection.request("POST", parts.path or "/", sent.body, sent.headers)
            answer = connection.getresponse()
            sent.answer, sent.status = answer.read(), answer.status
            sent.answer_headers = {key.lower(): value for key, value in answer.getheaders()}
        finally:
            connection.close()
        return sent

    def verify_url(self) -> bool:
        """Whether the app answers Slack's challenge, as it must before events come."""
        challenge = "challenge-of-the-double"
        sent = self.post(_json({"type": "url_verification", "challenge": challenge}), JSON)
        return sent.status == OK and challenge.encode() in sent.answer

    def _headers(self, body: bytes) -> dict[str, str]:
        now = int(self._clock.now())
        stamp = {"old_timestamp": str(now - TOO_OLD), "text_timestamp": "yesterday"}.get(self.tamper or "", str(now))
        if self.tamper == "no_signature":
            return {"X-Slack-Request-Timestamp": stamp}
        secret = "another secret" if self.tamper == "bad_signature" else self._secret
        digest = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}

    def _deliver(self, delivery: Delivery, attempt: Attempt) -> None:
        body, content_type = _encoded(delivery)
        retried = {"X-Slack-Retry-Num": str(attempt.number), "X-Slack-Retry-Reason": attempt.reason or "http_error"}
        try:
            sent = self.post(body, content_type, retried if attempt.number else {})
        except TimeoutError:
            self._settle(delivery, attempt, "timeout", None)
            return
        except (OSError, http.client.HTTPException):
            self._settle(delivery, attempt, "no_connection", None)
            return
        attempt.status = sent.status
        try:
            self._settle(delivery, attempt, _outcome(sent), _answer(sent))
        except ValueError:
            self._settle(delivery, attempt, "invalid_command_response", None)


def _encoded(delivery: Delivery) -> tuple[bytes, str]:
    form = "application/x-www-form-urlencoded"
    if delivery.kind == "slash_commands":
        return urlencode(delivery.payload).encode(), form
    if delivery.kind == "interactive":
        return urlencode({"payload": json.dumps(delivery.payload)}).encode(), form
    return _json(delivery.payload), JSON


def _json(payload: Any) -> bytes:
    return json.dumps(payload, ensure_ascii=False).encode()


def _outcome(sent: Sent) -> str:
    if sent.status == OK:
        return "acked"
    return "no_retry" if sent.answer_headers.get("x-slack-no-retry") == "1" else "http_error"


def _answer(sent: Sent) -> Any:
    """What an app says in its acknowledgement: JSON, or plain text shown as it is."""
    if not sent.answer.strip():
        return None
    if sent.answer_headers.get("content-type", "").startswith(JSON):
        return json.loads(sent.answer)
    return {"text": sent.answer.decode()}
