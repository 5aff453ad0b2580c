"""Slack's payloads to arrivals: who said what where, by which keys a copy is known, and what nobody answers."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.platforms.slack.arrival import Arrival, Self, arrival_of
from bot.platforms.slack.wording import typed
from bot.ports import Incoming, Joined

ME = Self(user="UBOT", bot="BBOT")
NOW = datetime(2026, 3, 9, 1, 0, tzinfo=UTC)


def event(kind: str = "message", **changes: Any) -> dict[str, Any]:
    inner = {"type": kind, "channel": "C1", "channel_type": "channel", "user": "U1", "text": "风险?", "ts": "20.5"}
    outer = {"type": "event_callback", "event_id": "Ev1", "team_id": "T1", "is_ext_shared_channel": False}
    return outer | {"event": {key: value for key, value in (inner | changes).items() if value is not None}}


def command(**changes: Any) -> dict[str, Any]:
    return {
        "command": "/digest",
        "text": "top 3",
        "user_id": "U1",
        "channel_id": "C1",
        "channel_name": "infra",
        "trigger_id": "12.34.abc",
        "response_url": "https://hooks.example.com/1",
    } | changes


def button(**changes: Any) -> dict[str, Any]:
    return {
        "type": "block_actions",
        "user": {"id": "U1"},
        "channel": {"id": "C1"},
        "container": {"type": "message", "message_ts": "20.5", "channel_id": "C1", "is_ephemeral": False},
        "message": {"ts": "20.5"},
        "actions": [{"action_id": "digest:0", "type": "button", "value": "/digest risks"}],
        "trigger_id": "12.34.abc",
        "response_url": "https://hooks.example.com/1",
    } | changes


def arrived(body: dict[str, Any]) -> Arrival:
    found = arrival_of(body, ME, NOW)
    assert found is not None
    return found


def incoming(body: dict[str, Any]) -> Incoming:
    what = arrived(body).what
    assert isinstance(what, Incoming)
    return what


def test_command() -> None:
    found = arrived(command())
    assert found.what == Incoming("slack", "C1", "U1", "/digest top 3", private=True)
    assert (found.kind, found.keys, found.at) == ("command", ("trigger:12.34.abc",), NOW)
    assert found.response_url == "https://hooks.example.com/1"


def test_command_under_another_name_is_the_configured_one() -> None:
    renamed = arrival_of(command(command="/digest-staging", text=""), Self("UBOT", "BBOT", "/weekly"), NOW)
    assert renamed is not None
    assert isinstance(renamed.what, Incoming)
    assert renamed.what.text == "/weekly"


def test_command_in_a_direct_message() -> None:
    assert incoming(command(channel_id="D1", channel_name="directmessage")).direct


def test_button() -> None:
    found = arrived(button())
    assert found.what == Incoming("slack", "C1", "U1", "/digest risks", message="20.5", private=True)
    assert (found.kind, found.keys) == ("button", ("trigger:12.34.abc",))


def test_button_in_a_thread_keeps_the_thread() -> None:
    found = incoming(button(message={"ts": "20.5", "thread_ts": "10.1"}))
    assert (found.thread, found.message) == ("10.1", "20.5")


def test_button_on_a_root_with_replies_is_not_in_its_thread() -> None:
    assert incoming(button(message={"ts": "20.5", "thread_ts": "20.5"})).thread is None


def test_button_on_an_ephemeral_message() -> None:
    container = {"message_ts": "20.5", "thread_ts": "10.1", "channel_id": "C1", "is_ephemeral": True}
    body = button(container=container, channel=None)
    del body["message"]
    found = incoming(body)
    assert (found.channel, found.thread, found.message) == ("C1", "10.1", "20.5")


def test_mention_and_message_are_one() -> None:
    mention = arrived(event("app_mention", text="<@UBOT> 风险?", channel_type=None))
    message = arrived({**event(text="<@UBOT> 风险?"), "event_id": "Ev2"})
    assert mention.what == message.what == Incoming("slack", "C1", "U1", "风险?", message="20.5", external=False)
    assert set(mention.keys) & set(message.keys) == {"message:C1:20.5"}
    assert mention.keys[0] != message.keys[0]
    assert mention.keys[-1] == "message:C1:20.5"


def test_unmentioned_text_is_not_addressed() -> None:
    assert not incoming(event(thread_ts="10.1")).addressed


@pytest.mark.parametrize("root", [None, "20.5"])
def test_what_people_say_to_each_other_in_a_channel_is_not_even_kept(root: str | None) -> None:
    assert arrival_of(event(thread_ts=root), ME, NOW) is None


def test_mention_alone_arrives_without_text() -> None:
    found = incoming(event("app_mention", text="<@UBOT>"))
    assert (found.text, found.addressed) == ("", True)


def test_direct_message() -> None:
    found = incoming(event(channel="D1", channel_type="im", text="风险"))
    assert (found.direct, found.addressed, found.private) == (True, True, False)


@pytest.mark.parametrize(("root", "thread"), [("10.1", "10.1"), ("20.5", None), (None, None)])
def test_thread_is_that_of_a_reply(root: str | None, thread: str | None) -> None:
    assert incoming(event(thread_ts=root, text="<@UBOT> 风险?")).thread == thread


@pytest.mark.parametrize("subtype", [None, "thread_broadcast", "file_share"])
def test_what_people_say(subtype: str | None) -> None:
    assert incoming(event(subtype=subtype, thread_ts="10.1")).text == "风险?"


@pytest.mark.parametrize(
    "changes",
    [
        {"bot_id": "B2"},
        {"bot_id": "BBOT"},
        {"bot_profile": {"id": "B2"}},
        {"user": "UBOT"},
        {"user": "USLACKBOT"},
        {"subtype": "bot_message", "bot_id": "B2"},
        {"subtype": "message_changed", "hidden": True},
        {"subtype": "message_deleted", "hidden": True},
        {"subtype": "channel_join"},
        {"subtype": "me_message"},
        {"hidden": True},
        {"edited": {"user": "U1", "ts": "21.0"}},
        {"text": ""},
        {"text": "  \n "},
        {"text": None},
        {"user": None},
        {"ts": None},
        {"ts": "20"},
        {"channel": "C1; DROP"},
    ],
)
def test_nobody_is_answered(changes: dict[str, Any]) -> None:
    assert arrival_of(event(**changes), ME, NOW) is None


def test_an_edit_that_adds_a_mention_is_an_edit() -> None:
    body = event("app_mention", text="<@UBOT> 风险?", edited={"user": "U1", "ts": "21.0"})
    assert arrival_of(body, ME, NOW) is None


def test_slack_connect() -> None:
    assert incoming({**event(thread_ts="10.1"), "is_ext_shared_channel": True}).external is True
    without = event(thread_ts="10.1")
    del without["is_ext_shared_channel"]
    assert incoming(without).external is None


def test_the_bot_joins() -> None:
    found = arrived(event("member_joined_channel", user="UBOT", inviter="U1", text=None, ts=None))
    assert found.what == Joined("slack", "C1", "U1", external=False)
    assert found.keys == ("event:Ev1",)


def test_somebody_else_joins() -> None:
    assert arrival_of(event("member_joined_channel", user="U2"), ME, NOW) is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"type": "event_callback"},
        {"type": "event_callback", "event": {"type": "reaction_added"}},
        {"type": "url_verification", "challenge": "x"},
        {"type": "view_submission", "user": {"id": "U1"}},
        {"type": "block_actions", "user": {"id": "U1"}, "actions": []},
        button(actions=[{"type": "static_select", "value": "x"}]),
        button(actions=[{"type": "button", "url": "https://example.com"}]),
        {"command": "/digest"},
    ],
)
def test_what_is_not_for_the_bot(body: dict[str, Any]) -> None:
    assert arrival_of(body, ME, NOW) is None


def test_a_command_without_trigger_has_a_key_of_its_own() -> None:
    one, other = command(text="top"), command(text="risks")
    del one["trigger_id"], other["trigger_id"]
    assert arrived(one).keys == arrived(copy.deepcopy(one)).keys != arrived(other).keys


@pytest.mark.parametrize(
    "body", [command(), button(), event(thread_ts="10.1"), event("member_joined_channel", user="UBOT")]
)
def test_round_trip(body: dict[str, Any]) -> None:
    found = arrived(body)
    assert Arrival.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<@UBOT> top", "top"),
        ("<@UBOT>: top", "top"),
        ("<@UBOT>，风险", "风险"),
        ("看看 <@UBOT> pr 12", "看看   pr 12"),
        ("风险 <@UBOT|digest>", "风险"),
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
        ("<https://example.com/pull/12|https://example.com/pull/12>", "https://example.com/pull/12"),
        ("<https://example.com/pull/12>", "https://example.com/pull/12"),
        ("<https://example.com/pull/12|#12>", "https://example.com/pull/12"),
        ("<http://setup.py|setup.py> 谁改的", "setup.py 谁改的"),
        ("<mailto:someone@users.example|someone@users.example>", "someone@users.example"),
        ("<#C2|general> 和 <#C3>", "#general 和 #C3"),
        ("<!date^1^{date}|昨天>", "昨天"),
        ("第一行\r\n第二行", "第一行\n第二行"),
        ("a\x00b\u0007", "ab"),
        ("a < b > c", "a < b > c"),
    ],
)
def test_words(markup: str, text: str) -> None:
    assert typed(markup, "UBOT").text == text


@pytest.mark.parametrize(
    ("markup", "to_others"),
    [
        ("<@UBOT> 风险", False),
        ("<@U2> 你看", True),
        ("<!channel> 看", True),
        ("<!here>", True),
        ("<!subteam^S1|@infra> 看", True),
        ("<#C2|general>", False),
        ("<!date^1^{date}|昨天>", False),
    ],
)
def test_who_is_named(markup: str, *, to_others: bool) -> None:
    assert typed(markup, "UBOT").to_others is to_others


TEXTS = st.text(alphabet=st.characters(exclude_categories=()), max_size=40) | st.sampled_from(
    [
        "<@UBOT>",
        "<@U1> <!here>",
        "<https://x|",
        "<<@UBOT>>",
        "&lt;&amp;",
        "20.5",
        "C1",
        "U1",
        "UBOT",
        "message",
        "\ud800",
    ]
)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def foreign(draw: st.DrawFn) -> Any:
    """A payload of Slack in which anything may be anything else."""
    body: Any = copy.deepcopy(draw(st.sampled_from([command(), button(), event(), event("app_mention")])))
    for _ in range(draw(st.integers(0, 4))):
        holder = draw(st.sampled_from([body, *(one for one in body.values() if isinstance(one, dict))]))
        holder[draw(st.sampled_from(sorted(holder)) | TEXTS if holder else TEXTS)] = draw(JSONS)
    return body


@given(st.dictionaries(TEXTS, JSONS, max_size=5) | foreign())
def test_whatever_comes_is_an_arrival_or_nothing(body: dict[str, Any]) -> None:
    found = arrival_of(body, ME, NOW)
    if found is not None:
        assert Arrival.from_json(found.to_json()) == found
        assert found.keys
        assert found.to_json().isascii()
        json.dumps(found.keys).encode("ascii")


@given(TEXTS)
def test_whatever_is_typed_can_be_kept(markup: str) -> None:
    words = typed(markup, "UBOT").text
    assert "<@UBOT>" not in words or "<@UBOT>" not in markup
    words.encode("utf-8")
