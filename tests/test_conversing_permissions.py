"""Who may see what: no channel and no direct message is shown what it may not see, and each is told why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.commands import COMMANDS
from bot.store.store import Store
from tests.chat import ENGINE, NOW, SECRET, WEB, House, headings, text_of, three_repositories, url_of, urls_in


@pytest.fixture
def house() -> Iterator[House]:
    made = three_repositories()
    yield made
    made.store.close()


def test_a_channel_without_a_subscription_is_told_so(house: House) -> None:
    for text in ("top", "#2 有什么风险", "preview"):
        assert "还没有订阅" in text_of(house.say(text))
    assert "/digest top" in text_of(house.command("help"))
    assert ENGINE not in text_of(house.command("help"))


def test_what_admins_change_in_chat_counts_from_the_next_word_on(house: House) -> None:
    assert "管理员" in text_of(house.command("subscribe acme/engine"))
    house.command("subscribe acme/engine", user="UADMIN")
    assert "#1" in text_of(house.command("top"))
    assert "管理员" in text_of(house.say("unsubscribe", message="1.1", private=True))
    house.command("unsubscribe acme/engine", user="UADMIN")
    assert "还没有订阅" in text_of(house.command("top"))


def test_a_button_of_a_digest_shows_no_more_than_may_be_seen_now(house: House) -> None:
    one = house.subscribe("C1", ENGINE)
    house.post_digest(one, "1.1", [url_of(ENGINE, 2)])
    pressed = {"message": "1.1", "private": True, "external": None}
    assert "#2" in text_of(house.say("top", **pressed))
    assert "#2" in text_of(house.say("wrong 2", **pressed))
    house.store.subscriptions().remove(one.id, "slack:UADMIN", NOW)
    assert not urls_in(house.say("top", **pressed))


def test_a_repository_that_others_subscribe_to_is_unknown_here(house: House) -> None:
    house.subscribe("C1", ENGINE)
    house.subscribe("C2", WEB)
    assert "能问的是：acme/engine" in text_of(house.command("top repo=web-ui"))
    assert "没有找到" in text_of(house.command("pr 101"))


def test_a_repository_that_is_no_longer_configured_is_not_spoken_of(house: House) -> None:
    house.subscribe("C1", "acme/gone")
    assert "还没有订阅" in text_of(house.say("top"))


def test_a_repository_that_was_never_read_is_said_to_be_so() -> None:
    empty = House(Store.in_memory(), {ENGINE: "public"})
    empty.subscribe("C1", ENGINE)
    for text in ("top", "pr 5", "score 5", "#5 有什么风险", "since v1", "谁改了 scheduler"):
        assert "还没有同步" in text_of(empty.say(text)), text
    empty.store.close()


def test_direct_messages_see_what_shared_channels_see(house: House) -> None:
    house.subscribe("C1", ENGINE)
    house.subscribe("C2", WEB)
    direct = {"channel": "D1", "direct": True, "external": None}
    assert "目前没有这样的频道" in text_of(house.say("top", **direct))
    house.rooms.members = {("C1", "U1"): None, ("C2", "U1"): False}
    assert "channels:read" in text_of(house.say("top", **direct))
    house.rooms.members = {("C1", "U1"): None, ("C2", "U1"): True}
    assert "#101" in text_of(house.say("top", **direct))
    assert "#1 " not in text_of(house.say("top", **direct))
    house.rooms.members = {("C1", "U1"): True, ("C2", "U1"): True}
    assert headings(house.say("top", **direct)) == [ENGINE, WEB]


@pytest.mark.parametrize(
    ("external", "seen", "why"),
    [
        (True, {ENGINE}, "其他组织"),
        (None, {ENGINE, WEB}, "其他组织"),
        (False, {ENGINE, WEB, SECRET}, ""),
    ],
)
def test_where_others_read_along_only_what_may_be_seen_is_shown(
    house: House, external: bool | None, seen: set[str], why: str
) -> None:
    house.subscribe("C1", ENGINE, WEB, SECRET)
    house.rooms.externals["C1"] = external
    for reply in (house.command("top"), house.say("top", external=external)):
        assert {name for name in (ENGINE, WEB, SECRET) if name in text_of(reply)} == seen
    refused = text_of(house.command("top repo=secret"))
    assert (why in refused) if why else ("#201" in refused)


def test_where_nothing_may_be_seen_the_reason_is_given(house: House) -> None:
    house.subscribe("C1", SECRET)
    house.rooms.externals["C1"] = True
    assert "visibility: public" in text_of(house.command("top"))
    house.rooms.externals["C1"] = None
    assert "visibility: private" in text_of(house.command("top"))
    for text in (text_of(house.command("top")), text_of(house.say("top", external=True))):
        assert SECRET not in text


def test_what_a_message_tells_of_a_channel_counts_for_later_commands(house: House) -> None:
    house.subscribe("C1", SECRET)
    house.rooms.externals["C1"] = None
    assert "#201" not in text_of(house.command("top"))
    assert "#201" in text_of(house.say("top", external=False))
    assert "#201" in text_of(house.command("top"))
    assert "#201" not in text_of(house.say("top", external=True))
    assert "#201" not in text_of(house.command("top"))


def test_direct_messages_show_nothing_of_a_channel_that_may_not_show_it(house: House) -> None:
    house.subscribe("C1", ENGINE, SECRET)
    house.rooms.members["C1", "U1"] = True
    house.rooms.externals["C1"] = True
    assert SECRET not in text_of(house.say("top", channel="D1", direct=True, external=None))
    house.rooms.externals["C1"] = False
    assert SECRET in text_of(house.say("top", channel="D1", direct=True, external=None))
    assert SECRET not in text_of(house.say("top", channel="D1", direct=True, external=True))


def test_an_admin_may_preview_before_anything_is_subscribed(house: House) -> None:
    assert "engine" in text_of(house.command("preview repo=engine", user="UADMIN"))
    assert "还没有订阅" in text_of(house.command("preview repo=engine"))
    house.rooms.externals["C1"] = True
    assert "vault" not in text_of(house.command("preview", user="UADMIN"))


SAID = st.one_of(
    st.sampled_from([row.name for row in COMMANDS] + [name for row in COMMANDS for name in row.synonyms]),
    st.builds(
        "{} {}".format,
        st.sampled_from(["pr", "score", "top", "risks", "hot", "week", "since", "preview", "wrong", "help", "status"]),
        st.sampled_from(
            ["1", "7", "101", "201", "1 101", "repo=acme/web-ui", "repo=engine", "7 repo=secret", "all", "上周", "v1.0"]
        ),
    ),
    st.builds(
        "{}{}".format,
        st.sampled_from(
            ["#7", "#1 #101", "acme/engine#1", "acme/secret#201", url_of(WEB, 101), "scheduler", "login", ""]
        ),
        st.sampled_from(
            [" 有什么风险？", " 是谁写的", " 讲讲", "", " vault dashboard 谁改了", " repo=acme/secret 是什么"]
        ),
    ),
    st.text(max_size=60),
)


@settings(max_examples=150, deadline=None)
@given(
    text=SAID, how=st.sampled_from(["mention", "command", "thread", "direct"]), user=st.sampled_from(["U1", "UADMIN"])
)
def test_no_channel_is_shown_a_pull_request_of_anothers_repository(text: str, how: str, user: str) -> None:
    seen = {"C1": ENGINE, "C2": WEB}
    for channel, own in seen.items():
        foreign = [f"https://github.example/{name}/" for name in (ENGINE, WEB, SECRET) if name != own]
        preview = user == "UADMIN" and "preview" in text
        if how == "direct":
            reply = SHARED.say(text, channel="D1", direct=True, user=channel)
        elif how == "thread":
            reply = SHARED.say(text, channel=channel, thread=f"{channel}-root", addressed=False, user=user)
        elif how == "command":
            reply = SHARED.command(text, channel=channel, user=user)
        else:
            reply = SHARED.say(text, channel=channel, user=user)
        if reply is not None and not preview:
            assert not [url for url in urls_in(reply) if url.startswith(tuple(foreign))]


def _shared() -> House:
    made = three_repositories()
    for channel, name in (("C1", ENGINE), ("C2", WEB)):
        made.post_digest(made.subscribe(channel, name), f"{channel}-root", [url_of(name, 7)])
        made.rooms.members[channel, channel] = True  # a user named as the channel is in that one alone
    return made


SHARED = _shared()
