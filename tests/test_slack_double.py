"""The Slack double's Web API and response_url, through the real client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from tests.doubles.slack import FULL_SCOPES, REQUIRED_SCOPES, Slack, live

NOW = 1_780_000_000.0
KEYED = {"event_type": "digest_bot", "event_payload": {"key": "k1"}}


@pytest.fixture
def slack() -> Iterator[Slack]:
    with Slack() as double:
        yield double


@pytest.fixture
def client(slack: Slack) -> WebClient:
    return WebClient(slack.bot_token, base_url=slack.api_url, retry_handlers=[])


def refused(call: Callable[..., Any], **arguments: Any) -> dict[str, Any]:
    """The answer of a call that must be refused."""
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    data: dict[str, Any] = caught.value.response.data
    return data


def post(client: WebClient, channel: str, **more: Any) -> str:
    return str(client.chat_postMessage(channel=channel, **({"text": "hello"} | more))["ts"])


def test_a_post_is_kept_with_its_metadata_and_read_back(slack: Slack, client: WebClient) -> None:
    infra = slack.channel("infra")
    ts = post(client, infra, metadata=KEYED, unfurl_links=False)
    message = client.conversations_history(channel=infra, include_all_metadata=True)["messages"][0]
    assert (message["ts"], message["metadata"], message["app_id"]) == (ts, KEYED, slack.app.app_id)
    assert "metadata" not in client.conversations_history(channel=infra)["messages"][0]
    assert slack.keys() == {"k1": 1}
    assert slack.messages(infra)[0].asked["unfurl_links"] is False


def test_a_thread_is_read_back_with_its_root_first(slack: Slack, client: WebClient) -> None:
    infra = slack.channel("infra")
    root = post(client, infra)
    replies = [post(client, infra, text=str(n), thread_ts=root) for n in range(3)]
    read = client.conversations_replies(channel=infra, ts=root, oldest=replies[0])["messages"]
    assert [message["ts"] for message in read] == [root, *replies[1:]]
    history = client.conversations_history(channel=infra)["messages"]
    assert [(message["ts"], message["reply_count"]) for message in history] == [(root, 3)]
    assert [message.text for message in slack.messages(infra, thread=root)] == ["0", "1", "2"]


def test_history_is_newest_first_by_pages_and_bounds(slack: Slack, client: WebClient) -> None:
    infra = slack.channel("infra")
    sent = [post(client, infra, text=str(n)) for n in range(5)]
    first = client.conversations_history(channel=infra, limit=2)
    assert [m["text"] for m in first["messages"]] == ["4", "3"]
    assert first["has_more"]
    rest = client.conversations_history(channel=infra, limit=9, cursor=first["response_metadata"]["next_cursor"])
    assert [m["text"] for m in rest["messages"]] == ["2", "1", "0"]
    between = client.conversations_history(channel=infra, oldest=sent[0], latest=sent[3])
    assert [m["text"] for m in between["messages"]] == ["2", "1"]
    both = client.conversations_history(channel=infra, oldest=sent[0], latest=sent[1], inclusive=True)
    assert [m["text"] for m in both["messages"]] == ["1", "0"]


def test_a_form_and_a_query_are_taken_like_json(slack: Slack, client: WebClient) -> None:
    infra = slack.channel("infra")
    blocks = json.dumps([{"type": "divider"}])
    client.api_call("chat.postMessage", data={"channel": infra, "text": "form", "blocks": blocks})
    client.api_call("chat.postMessage", params={"channel": infra, "text": "query", "team_id": slack.app.team})
    assert [m.text for m in slack.messages(infra)] == ["form", "query"]
    read = client.api_call("conversations.history", http_verb="GET", params={"channel": infra})
    assert len(read["messages"]) == 2


def test_a_message_beyond_the_rules_is_refused_and_not_kept(slack: Slack, client: WebClient) -> None:
    infra = slack.channel("infra")
    answer = refused(client.chat_postMessage, channel=infra, text="x", blocks=[{"type": "header"}])
    assert answer["error"] == "invalid_blocks"
    assert answer["response_metadata"]["messages"] == [
        "[ERROR] blocks[0]: missing required field: text",
        "[ERROR] blocks[0].text: must be a text object",
    ]
    assert refused(client.chat_postMessage, channel=infra, text="x" * 4_001)["error"] == "msg_too_long"
    assert refused(client.chat_postMessage, channel=infra, text="x", colour="red")["error"] == "invalid_arguments"
    assert slack.everything() == []


@pytest.mark.parametrize(("charts", "status"), [(True, "accepted"), (False, "invalid_blocks")])
def test_charts_are_refused_where_the_workspace_has_none(charts: bool, status: str) -> None:
    pie = {"type": "pie", "segments": [{"label": "a", "value": 1}]}
    blocks = [{"type": "data_visualization", "title": "t", "chart": pie}]
    with Slack(charts=charts) as slack:
        body = json.dumps({"channel": slack.channel("infra"), "text": "x", "blocks": blocks})
        answer = slack.api.call("chat.postMessage", slack.bot_token, json.loads(body))
        assert answer.get("error", "accepted") == status


def test_tokens_are_told_apart(slack: Slack) -> None:
    def ask(token: str | None, method: str) -> Any:
        return refused(WebClient(token, base_url=slack.api_url).api_call, api_method=method)["error"]

    assert ask(slack.app_token, "chat.postMessage") == "not_allowed_token_type"
    assert ask(slack.bot_token, "apps.connections.open") == "not_allowed_token_type"
    assert ask("xoxb-other", "auth.test") == "invalid_auth"
    assert ask(None, "auth.test") == "not_authed"
    assert ask(slack.bot_token, "files.list") == "unknown_method"


def test_without_a_scope_slack_says_what_is_needed() -> None:
    with Slack(scopes=REQUIRED_SCOPES) as slack:
        client = WebClient(slack.bot_token, base_url=slack.api_url)
        infra, secret = slack.channel("infra"), slack.channel("secret", private=True)
        assert post(client, infra)
        answer = refused(client.conversations_history, channel=infra)
        assert (answer["error"], answer["needed"]) == ("missing_scope", "channels:history")
        assert answer["provided"] == "app_mentions:read,chat:write,commands"
        assert refused(client.conversations_replies, channel=secret, ts="1.1")["needed"] == "groups:history"
        assert refused(client.conversations_info, channel=secret)["needed"] == "groups:read"
        assert refused(client.conversations_members, channel=infra)["needed"] == "channels:read"
        asked = refused(client.users_conversations, types="public_channel,private_channel")
        assert asked["needed"] == "channels:read,groups:read"
        assert refused(client.users_info, user=slack.user("zhang"))["needed"] == "users:read"
        assert client.auth_test().headers["x-oauth-scopes"] == "app_mentions:read,chat:write,commands"
        slack.scopes(FULL_SCOPES - {"chat:write"})
        assert refused(client.chat_postMessage, channel=infra, text="x")["needed"] == "chat:write"


def test_only_members_post_and_private_channels_are_hidden(slack: Slack, client: WebClient) -> None:
    def error(channel: str, **more: Any) -> Any:
        return refused(client.chat_postMessage, channel=channel, text="x", **more)["error"]

    assert error(slack.channel("public", bot=False)) == "not_in_channel"
    assert error(slack.channel("private", bot=False, private=True)) == "channel_not_found"
    assert error("C0NOWHERE1") == "channel_not_found"
    assert error(slack.channel("old", archived=True)) == "is_archived"
    infra = slack.channel("infra")
    slack.remove_bot(infra)
    assert error(infra) == "not_in_channel"
    assert refused(client.conversations_history, channel=infra)["error"] == "not_in_channel"


def test_threads_that_are_none_are_refused(slack: Slack, client: WebClient) -> None:
    infra = slack.channel("infra")
    root = post(client, infra)
    reply = post(client, infra, thread_ts=root)
    slack.delete(infra, root)

    def error(thread: str) -> Any:
        return refused(client.chat_postMessage, channel=infra, text="x", thread_ts=thread)["error"]

    assert error(root) == "thread_not_found"
    assert error(reply) == "cannot_reply_to_message"
    assert error("yesterday") == "invalid_thread_ts"
    assert refused(client.conversations_replies, channel=infra, ts=root)["error"] == "thread_not_found"


def test_a_post_to_a_user_is_a_direct_message(slack: Slack, client: WebClient) -> None:
    zhang = slack.user("zhang")
    answer = client.chat_postMessage(channel=zhang, text="hello")
    assert answer["channel"] == slack.dm(zhang)
    assert [m.text for m in slack.messages(slack.dm(zhang))] == ["hello"]


def test_an_ephemeral_message_is_seen_by_one(slack: Slack, client: WebClient) -> None:
    zhang, li = slack.user("zhang"), slack.user("li")
    infra = slack.channel("infra", [zhang])
    client.chat_postEphemeral(channel=infra, user=zhang, text="for you")
    assert [m.text for m in slack.messages(infra, user=zhang)] == ["for you"]
    assert slack.messages(infra) == slack.messages(infra, user=li) == []
    assert client.conversations_history(channel=infra)["messages"] == []
    assert refused(client.chat_postEphemeral, channel=infra, user=li, text="x")["error"] == "user_not_in_channel"


def test_own_messages_are_changed_and_deleted_and_others_not(slack: Slack, client: WebClient) -> None:
    zhang, infra = slack.user("zhang"), slack.channel("infra")
    ts, theirs = post(client, infra, metadata=KEYED), slack.say(infra, zhang, "mine")
    client.chat_update(channel=infra, ts=ts, text="better")
    assert [m.text for m in slack.by_app(infra)] == ["better"]
    assert slack.keys() == {"k1": 1}
    assert refused(client.chat_update, channel=infra, ts=theirs, text="x")["error"] == "cant_update_message"
    assert refused(client.chat_delete, channel=infra, ts=theirs)["error"] == "cant_delete_message"
    client.chat_delete(channel=infra, ts=ts)
    assert refused(client.chat_delete, channel=infra, ts=ts)["error"] == "message_not_found"
    assert (slack.by_app(), slack.keys()) == ([], {})


def test_channels_users_and_links_are_described(slack: Slack, client: WebClient) -> None:
    zhang = slack.user("zhang")
    infra = slack.channel("infra", [zhang], external=True)
    slack.channel("private", [zhang], private=True, bot=False)
    shared = slack.channel("shared", [zhang], private=True)
    assert client.conversations_info(channel=infra)["channel"]["is_ext_shared"] is True
    assert client.conversations_members(channel=infra)["members"] == sorted([zhang, slack.bot])
    found = client.users_conversations(user=zhang, types="public_channel,private_channel")["channels"]
    assert [channel["id"] for channel in found] == [infra, shared]
    assert client.users_info(user=zhang)["user"]["name"] == "zhang"
    root = post(client, infra)
    reply = post(client, infra, thread_ts=root)
    link = client.chat_getPermalink(channel=infra, message_ts=reply)["permalink"]
    assert link.endswith(f"/{infra}/p{reply.replace('.', '')}?thread_ts={root}&cid={infra}")


def test_a_status_is_kept(slack: Slack, client: WebClient) -> None:
    infra = slack.channel("infra")
    root = post(client, infra)
    client.api_call("assistant.threads.setStatus", json={"channel_id": infra, "thread_ts": root, "status": "查询中"})
    assert slack.workspace.statuses == [{"channel": infra, "thread_ts": root, "status": "查询中"}]


def test_a_view_opens_by_a_fresh_trigger_once(slack: Slack, client: WebClient) -> None:
    view = {"type": "modal", "title": {"type": "plain_text", "text": "t"}, "blocks": []}
    trigger = slack.app_methods.new_trigger()
    assert client.views_open(trigger_id=trigger, view=view)["view"]["id"]
    assert refused(client.views_open, trigger_id=trigger, view=view)["error"] == "invalid_trigger_id"
    late = slack.app_methods.new_trigger()
    slack.advance(4)
    assert refused(client.views_open, trigger_id=late, view=view)["error"] == "expired_trigger_id"


def test_what_is_alive_in_the_app_s_messages_is_counted(slack: Slack, client: WebClient) -> None:
    infra = slack.channel("infra")
    post(client, infra, text="<!channel> https://example.com")
    assert slack.alive() == ["mention:<!channel>", "link:https://example.com"]
    assert slack.alive() == live({"text": slack.messages(infra)[0].text})


def control(slack: Slack, verb: str, query: str = "", **body: Any) -> tuple[int, Any]:
    """The status and the answer of an order over HTTP."""
    data = json.dumps(body).encode() if body else None
    try:
        with urlopen(f"http://{slack.address}/control/{verb}{query}", data=data) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_orders_over_http_do_what_the_methods_do(slack: Slack, client: WebClient) -> None:
    zhang = control(slack, "user", name="zhang")[1]["result"]
    infra = control(slack, "channel", name="infra", members=[zhang])[1]["result"]
    root = post(client, infra)
    said = control(slack, "say", channel=infra, user=zhang, text="why?", thread=root)[1]["result"]
    client.chat_postEphemeral(channel=infra, user=zhang, text="because", thread_ts=root)
    shown = [f"[{root}] digest:", "hello", f"    [{said}] zhang:", "    why?"]
    assert control(slack, "show", f"?channel={infra}") == (200, {"result": shown})
    assert control(slack, "show", f"?channel={infra}&user={zhang}")[1]["result"][-1] == "    because"
    assert "say" in control(slack, "")[1]


def test_orders_that_make_no_sense_are_refused(slack: Slack) -> None:
    assert control(slack, "explode")[0] == 404
    assert control(slack, "say", channel="C1")[0] == 400
    assert control(slack, "say", channel="C1", user="U1", text="x")[0] == 400
    assert control(slack, "press", message="1.1", button="x", user="U1") == (400, {"error": "there is no message 1.1"})


def test_the_double_runs_as_a_process_and_is_driven_over_http() -> None:
    command = [sys.executable, "-m", "tests.doubles.slack", "--channel", "infra=C0123456", "--user", "zhang"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONWARNINGS": "error"})
    try:
        assert process.stdout is not None
        about = json.loads(process.stdout.readline())
        post(WebClient(about["bot_token"], base_url=about["api_url"]), "C0123456", metadata=KEYED)
        with urlopen(f"{about['control_url']}/messages?channel=C0123456") as read:  # noqa: S310 - the loopback interface
            assert [message["text"] for message in json.load(read)["result"]] == ["hello"]
        said = json.dumps({"channel": "C0123456", "user": about["users"]["zhang"], "text": "收到"}).encode()
        with urlopen(f"{about['control_url']}/say", data=said) as read:  # noqa: S310
            assert float(json.load(read)["result"]) <= time.time() + 1
    finally:
        process.terminate()
        assert process.wait(timeout=10) == 0
        if process.stdout:
            process.stdout.close()
