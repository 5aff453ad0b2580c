"""The Slack double finds what is alive in a message, and reads what it shows."""

import pytest

from tests.doubles.slack import live, shown
from tests.slack_blocks import Block, actions, button, context, header, raw, rich, said, section, table

ALIVE = [
    ({"text": "<!channel> <!here|here>"}, ["mention:<!channel>", "mention:<!here|here>"]),
    ({"text": "<@U1> <#C1|infra> <!subteam^S1>"}, ["mention:<@U1>", "mention:<#C1|infra>", "mention:<!subteam^S1>"]),
    ({"text": "<https://example.com/a|b>"}, ["link:https://example.com/a"]),
    ({"text": "看https://example.com/1，再看"}, ["link:https://example.com/1"]),
    ({"text": "改了setup.py。"}, ["link:http://setup.py"]),
    ({"text": "v1.2 3.14 main.go foo()"}, []),
    ({"text": "&lt;!channel&gt; @channel #infra #12"}, []),
    ({"text": "x", "link_names": True}, ["mention:link_names"]),
    ({"text": "x", "parse": "full"}, ["mention:parse"]),
    ({"blocks": [section("<!here> https://example.com")]}, ["mention:<!here>", "link:https://example.com"]),
    ({"blocks": [section("https://example.com a.py", verbatim=True)]}, []),
    ({"blocks": [section("<@U1> https://example.com", kind="plain_text")]}, []),
    ({"blocks": [section("<@U1>", verbatim=True)]}, ["mention:<@U1>"]),
    (
        {"blocks": [{"type": "markdown", "text": "[a](https://example.com) <@U1>"}]},
        ["link:https://example.com", "mention:<@U1>"],
    ),
    ({"blocks": [rich(said("<!channel> https://example.com a.py"))]}, []),
    ({"blocks": [rich({"type": "user", "user_id": "U1"})]}, ["mention:user U1"]),
    ({"blocks": [rich({"type": "usergroup", "usergroup_id": "S1"})]}, ["mention:usergroup S1"]),
    ({"blocks": [rich({"type": "channel", "channel_id": "C1"})]}, ["mention:channel C1"]),
    ({"blocks": [rich({"type": "broadcast", "range": "here"})]}, ["mention:broadcast here"]),
    ({"blocks": [rich({"type": "link", "url": "https://example.com/3"})]}, ["link:https://example.com/3"]),
    ({"blocks": [table([[raw("<!channel>"), rich({"type": "user", "user_id": "U1"})]])]}, ["mention:user U1"]),
    ({"blocks": [actions(button(url="https://example.com/4"))]}, ["link:https://example.com/4"]),
    ({"blocks": [context(1) | {"elements": [{"type": "mrkdwn", "text": "<@U1>"}]}]}, ["mention:<@U1>"]),
]


@pytest.mark.parametrize(("payload", "found"), ALIVE)
def test_live_mentions_and_links_are_found_wherever_they_stand(payload: Block, found: list[str]) -> None:
    assert live(payload) == found


def test_hosts_without_a_scheme_can_be_left_out() -> None:
    assert live({"text": "setup.py", "blocks": [section("https://example.com a.py")]}, domains=False) == [
        "link:https://example.com"
    ]


def test_what_is_shown_is_read_in_order() -> None:
    blocks = [
        header("标题"),
        rich(said("a"), {"type": "link", "url": "https://example.com", "text": "#1"}),
        table([[raw("c"), raw("d")]]),
    ]
    assert shown({"text": "essence", "blocks": blocks}) == "标题\na#1\nc\nd"
    assert shown({"text": "essence"}) == "essence"
