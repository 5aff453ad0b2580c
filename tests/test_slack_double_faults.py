"""The Slack double on bad days: faults of the Web API, the limit on posts, and addresses that are used up."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from http.client import RemoteDisconnected
from typing import Any
from urllib.error import URLError

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from tests.doubles.slack import Message, Slack

NOW = 1_780_000_000.0


@pytest.fixture
def slack() -> Iterator[Slack]:
    with Slack() as double:
        yield double


@pytest.fixture
def client(slack: Slack) -> WebClient:
    return WebClient(slack.bot_token, base_url=slack.api_url, retry_handlers=[])


def post(client: WebClient, channel: str) -> str:
    return str(client.chat_postMessage(channel=channel, text="hello")["ts"])


def refusal_of(client: WebClient, channel: str) -> str:
    """Why a post is refused."""
    with pytest.raises(SlackApiError) as caught:
        post(client, channel)
    return str(caught.value.response["error"])


def test_faults_come_as_often_as_ordered(slack: Slack, client: WebClient) -> None:
    infra = slack.channel("infra")
    slack.fail("chat.postMessage", "ratelimited", after=7)
    slack.fail("chat.postMessage", "internal_error", skip=1)
    slack.fail("chat.postMessage", "http_500")
    with pytest.raises(SlackApiError) as caught:
        post(client, infra)
    assert (caught.value.response.status_code, caught.value.response.headers["Retry-After"]) == (429, "7")
    with pytest.raises(SlackApiError) as caught:
        post(client, infra)
    assert caught.value.response.status_code == 500
    assert refusal_of(client, infra) == "internal_error"
    assert post(client, infra)
    assert [request.status for request in slack.calls("chat.postMessage")] == [429, 500, 200, 200]


@pytest.mark.parametrize(("how", "kept"), [("drop_before", 0), ("drop_after", 1)])
def test_a_dropped_connection_leaves_nothing_or_a_post(slack: Slack, client: WebClient, how: str, kept: int) -> None:
    infra = slack.channel("infra")
    slack.fail("chat.postMessage", how)
    with pytest.raises((URLError, RemoteDisconnected, ConnectionError)):
        post(client, infra)
    assert len(slack.messages(infra)) == kept


@pytest.mark.parametrize(("how", "kept"), [("slow", 0), ("late", 1)])
def test_a_slow_reply_comes_before_or_after_the_post(slack: Slack, how: str, kept: int) -> None:
    client = WebClient(slack.bot_token, base_url=slack.api_url, timeout=1, retry_handlers=[])
    infra = slack.channel("infra")
    slack.fail("chat.postMessage", how, after=1.5)
    with pytest.raises(TimeoutError):
        post(client, infra)
    assert len(slack.messages(infra)) == kept
    slack.until(lambda: slack.messages(infra))
    slack.until(lambda: slack.calls("chat.postMessage"))


def test_one_post_a_second_and_channel() -> None:
    ticks = itertools.count(NOW, 0.0)
    with Slack(rate_limit=True, now=lambda: next(ticks)) as slack:
        client = WebClient(slack.bot_token, base_url=slack.api_url)
        infra, other = slack.channel("infra"), slack.channel("other")
        for _ in range(3):
            post(client, infra)
        assert refusal_of(client, infra) == "ratelimited"
        assert post(client, other)
        slack.advance(1)
        assert post(client, infra)
        assert refusal_of(client, infra) == "ratelimited"


def answer(url: str, **body: Any) -> tuple[int, Any]:
    sent = WebhookClient(url).send_dict(body)
    return sent.status_code, json.loads(sent.body).get("error")


def test_a_response_url_works_five_times_within_half_an_hour(slack: Slack) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang], bot=False)
    url = slack.response_urls.issue(infra, zhang)
    assert [answer(url, text=str(n)) for n in range(5)] == [(200, None)] * 5
    assert answer(url, text="6") == (404, "used_url")
    assert [m.text for m in slack.messages(infra, user=zhang)] == list("01234")
    late = slack.response_urls.issue(infra, zhang)
    slack.advance(1_801)
    assert answer(late, text="late") == (404, "expired_url")
    assert answer(late[:-1], text="?") == (404, "no_such_url")


def test_a_response_url_is_as_strict_as_a_post(slack: Slack) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    url = slack.response_urls.issue(infra, zhang)
    assert answer(url, text="x", blocks=[{"type": "blink"}]) == (400, "invalid_blocks")
    assert answer(url, text="all", response_type="in_channel") == (200, None)
    assert answer(url, text="x", thread_ts="1700000000.000001") == (400, "thread_not_found")
    assert [m.text for m in slack.messages(infra)] == ["all"]


def test_a_response_url_replaces_and_deletes_what_was_pressed(slack: Slack, client: WebClient) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    ts = post(client, infra)
    origin: Message = slack.messages(infra)[0]
    url = slack.response_urls.issue(infra, zhang, origin)
    assert answer(url, text="new", replace_original=True) == (200, None)
    assert [(m.ts, m.text) for m in slack.messages(infra)] == [(ts, "new")]
    assert answer(url, delete_original=True) == (200, None)
    assert slack.messages(infra) == []
