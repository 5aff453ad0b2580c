"""Subscriptions: what the file lists, what admins changed in chat, and what becomes of either at the next start."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from threading import Barrier, Thread
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.config import Config
from bot.store.store import Store
from bot.store.subscriptions import Subscription, subscription_id
from bot.subscriptions import configured, timing
from bot.team import Team

NOW = datetime(2026, 3, 9, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=3)
BY = "slack:U1"


def make_config(*channels: dict[str, Any], **changes: Any) -> Config:
    defaults: dict[str, Any] = {
        "repositories": [{"name": "acme/engine"}, {"name": "acme/console", "visibility": "public"}],
        "slack": {"bot_token": "xoxb-1", "app_token": "xapp-1", "admin_channel": "CADMIN"},
        "lark": {"app_id": "cli_1", "app_secret": "x"},
        "channels": list(channels),
    }
    return Config.model_validate(defaults | changes)


def channel(**changes: Any) -> dict[str, Any]:
    return {"platform": "slack", "id": "C1", "repositories": ["acme/engine"]} | changes


def listed(*channels: dict[str, Any]) -> tuple[Subscription, ...]:
    return configured(make_config(*channels), NOW)


# What the configuration lists


def test_every_field_of_the_file_arrives(store: Store) -> None:
    entry = channel(
        name="周报",
        repositories=["acme/engine", "acme/console"],
        day="周五",
        time="18:30",
        timezone="Asia/Tokyo",
        listen="mention",
        exclude={"authors": "bots", "paths": ["docs/"]},
    )
    store.subscriptions().seed(listed(entry, channel()), NOW)
    first, second = store.subscriptions().of("slack", "C1")
    one, usual = (first, second) if first.name else (second, first)
    assert one.repositories == ("acme/engine", "acme/console")
    assert (one.name, one.day, one.time, one.timezone) == ("周报", 4, time(18, 30), "Asia/Tokyo")
    assert (one.exclude_authors, one.exclude_paths, one.listen) == (("bots",), ("docs/",), "mention")
    assert (one.added_at, one.from_file, one.changed_by) == (NOW, True, None)
    assert (usual.day, usual.time, usual.timezone, usual.listen) == (0, time(9), "Asia/Shanghai", "thread")
    assert len({one.id, usual.id}) == 2


def test_the_id_outlasts_a_change_of_time_and_tells_equals_apart() -> None:
    (one,) = listed(channel())
    changes: list[dict[str, Any]] = [{"day": "friday"}, {"time": "10:00"}, {"timezone": "UTC"}, {"name": "n"}]
    for change in [*changes, {"listen": "mention"}]:
        assert listed(channel(**change))[0].id == one.id
    others: list[dict[str, Any]] = [
        {"id": "C2"},
        {"repositories": ["acme/console"]},
        {"exclude": {"paths": ["docs/"]}},
        {"platform": "lark"},
    ]
    assert one.id not in {listed(channel(**other))[0].id for other in others}
    twice = listed(channel(), channel(day="friday"))
    assert twice[0].id == one.id != twice[1].id


names = st.lists(st.text(max_size=8), max_size=3)


@given(names, names, names, st.randoms(use_true_random=False))
def test_the_id_knows_no_order_and_mixes_nothing_up(
    repositories: list[str], authors: list[str], paths: list[str], random: Any
) -> None:
    one = subscription_id("slack", "C1", repositories, exclude_authors=authors, exclude_paths=paths)
    assert len(one) == 40
    shuffled = random.sample(repositories, len(repositories))
    assert subscription_id("slack", "C1", shuffled, exclude_authors=authors, exclude_paths=paths) == one
    if sorted(authors) != sorted(paths):
        assert subscription_id("slack", "C1", repositories, exclude_authors=paths, exclude_paths=authors) != one


def test_a_second_start_changes_nothing_and_keeps_the_age(store: Store) -> None:
    store.subscriptions().seed(listed(channel()), NOW)
    before = store.subscriptions().all()
    store.subscriptions().seed(listed(channel()), LATER)
    assert store.subscriptions().all() == before
    assert before[0].added_at == NOW


def test_what_changed_in_the_file_follows_it(store: Store) -> None:
    store.subscriptions().seed(listed(channel()), NOW)
    store.subscriptions().seed(listed(channel(day="friday", name="n")), LATER)
    (one,) = store.subscriptions().all()
    assert (one.day, one.name, one.added_at) == (4, "n", NOW)


def test_what_is_gone_from_the_file_ends_and_begins_anew_when_it_returns(store: Store) -> None:
    store.subscriptions().seed(listed(channel(), channel(id="C2")), NOW)
    store.subscriptions().seed(listed(channel(id="C2")), LATER)
    assert [one.channel for one in store.subscriptions().all()] == ["C2"]
    store.subscriptions().seed(listed(channel(), channel(id="C2")), LATER + timedelta(days=1))
    assert [(one.channel, one.added_at) for one in store.subscriptions().all()] == [
        ("C1", LATER + timedelta(days=1)),
        ("C2", NOW),
    ]


# What was changed in chat


def test_what_was_changed_in_chat_is_not_changed_back(store: Store) -> None:
    subscriptions = store.subscriptions()
    subscriptions.seed(listed(channel()), NOW)
    (one,) = subscriptions.all()
    kept = subscriptions.add(replace(one, day=2), BY, LATER)
    assert (kept.added_at, kept.from_file, kept.changed_by) == (NOW, True, BY)
    subscriptions.seed(listed(channel(day="friday")), LATER)
    assert subscriptions.all() == (kept,)
    subscriptions.seed((), LATER)
    assert subscriptions.all() == ()


def test_what_cannot_be_changed_in_chat_follows_the_file_all_the_same(store: Store) -> None:
    subscriptions = store.subscriptions()
    subscriptions.seed(listed(channel()), NOW)
    (one,) = subscriptions.all()
    kept = subscriptions.add(replace(one, day=2), BY, LATER)
    holidays = {"country": "CN", "on_holiday": "shift"}
    subscriptions.seed(listed(channel(day="friday", name="n", listen="mention", holidays=holidays)), LATER)
    expected = replace(kept, name="n", listen="mention", country="CN", on_holiday="shift")
    assert subscriptions.all() == (expected,)
    subscriptions.seed(listed(channel()), LATER)
    assert subscriptions.all() == (kept,)


def test_what_was_removed_in_chat_stays_removed_while_the_file_lists_it(store: Store) -> None:
    subscriptions = store.subscriptions()
    subscriptions.seed(listed(channel()), NOW)
    (one,) = subscriptions.all()
    assert subscriptions.remove(one.id, BY, LATER)
    assert not subscriptions.remove(one.id, BY, LATER)
    subscriptions.seed(listed(channel()), LATER)
    assert subscriptions.all() == ()
    subscriptions.seed((), LATER)
    subscriptions.seed(listed(channel()), LATER)  # somebody took it out of the file and put it in again
    assert [kept.added_at for kept in subscriptions.all()] == [LATER]


def test_what_was_added_in_chat_is_no_business_of_the_file(store: Store) -> None:
    subscriptions = store.subscriptions()
    (one,) = listed(channel())
    kept = subscriptions.add(one, BY, NOW)
    assert not kept.from_file
    subscriptions.seed((), LATER)
    assert subscriptions.all() == (kept,)
    assert subscriptions.remove(kept.id, BY, LATER)
    subscriptions.seed(listed(channel()), LATER)
    assert [found.from_file for found in subscriptions.all()] == [True]


def test_they_are_sorted_by_code_point(store: Store) -> None:
    names = ("b", "A", "a", "-c", "B", "一", "é", "_")
    store.subscriptions().seed(listed(*(channel(id=name) for name in names)), NOW)
    assert [one.channel for one in store.subscriptions().all()] == sorted(names)


def test_what_is_subscribed_again_begins_anew(store: Store) -> None:
    subscriptions = store.subscriptions()
    subscriptions.seed(listed(channel()), NOW)
    (one,) = subscriptions.all()
    subscriptions.remove(one.id, BY, NOW)
    again = subscriptions.add(one, BY, LATER)
    assert (again.added_at, again.from_file) == (LATER, False)
    assert subscriptions.of("slack", "C1") == (again,)
    assert subscriptions.of("lark", "C1") == ()


def test_replicas_that_start_at_once_agree(address: str) -> None:
    entries = [channel(id=f"C{number}") for number in range(20)]
    start, failures = Barrier(4), list[Exception]()

    def replica() -> None:
        try:
            with Store.open(address) as store:
                start.wait()
                store.subscriptions().seed(listed(*entries), NOW)
        except Exception as error:  # noqa: BLE001 - told in the test's own thread
            failures.append(error)

    Store.open(address).close()
    threads = [Thread(target=replica) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with Store.open(address) as store:
        assert len(store.subscriptions().all()) == 20


# How they are told, and who runs the bot


def test_the_next_digest_is_told_in_the_subscriptions_own_zone() -> None:
    (one,) = listed(channel(day="tuesday", time="00:30", timezone="Asia/Tokyo"))
    told = timing(one, datetime(2026, 3, 9, 14, tzinfo=UTC))
    assert told == {
        "weekday": "周二",
        "time": "00:30",
        "zone": "东京时间",
        "next_day": date(2026, 3, 10),
        "next_weekday": "周二",
        "next_time": "00:30",
        "holidays": {
            "country": None,
            "on_holiday": "post",
            "moved_from": None,
            "skipped": [],
            "unarranged": None,
        },
    }


def test_the_team_is_read_from_the_configuration() -> None:
    team = Team.of(make_config(admins=["slack:U1", "lark:ou_1", "slack:U2"]))
    assert team.admins_on("slack") == ("U1", "U2")
    assert team.admins_on("lark") == ("ou_1",)
    assert team.admin_channel("slack") == "CADMIN"
    assert team.admin_channel("lark") is None
    assert team.repositories == {"acme/engine": None, "acme/console": "public"}
