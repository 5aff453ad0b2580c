"""Where an answer belongs: in the thread of the digest that speaks of the pull request, or where it was asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.ports import Place
from tests.chat import ENGINE, House, fill, text_of, three_repositories, url_of
from tests.factories import PERIOD, make_pr


@pytest.fixture
def house() -> Iterator[House]:
    made = three_repositories()
    yield made
    made.store.close()


def test_a_question_elsewhere_about_a_pull_request_of_a_digest_is_answered_in_its_thread(house: House) -> None:
    one = house.subscribe("C1", ENGINE)
    house.post_digest(one, "1.1", [url_of(ENGINE, 1), url_of(ENGINE, 2)])
    for text in ("#2 有什么风险", "pr 2", "score 2", f"{url_of(ENGINE, 2)} 讲了什么", "谁改了 cache"):
        reply = house.say(text)
        assert reply is not None
        assert reply.place == Place("1.1", "1.1-card-2"), text
        assert reply.to_all
    for text in ("#3 有什么风险", "#1 和 #2 有什么风险", "top", "谁改了 scheduler", "risks", "#999 是什么"):
        reply = house.say(text)
        assert reply is not None
        assert reply.place is None, text


def test_an_answer_stays_where_it_is_private_or_in_the_thread_already(house: House) -> None:
    one = house.subscribe("C1", ENGINE)
    house.rooms.members["C1", "U1"] = True
    house.post_digest(one, "1.1", [url_of(ENGINE, 2)])
    here = house.say("#2 有什么风险", thread="1.1")
    direct = house.say("#2 有什么风险", channel="D1", direct=True)
    assert [reply.place for reply in (house.command("pr 2 share"), here, direct) if reply is not None] == [None] * 3


def test_the_digest_in_whose_thread_it_is_answered_gives_the_period(house: House) -> None:
    one = house.subscribe("C1", ENGINE)
    before = PERIOD.before()
    fill(house.store, ENGINE, [make_pr(50, "Older work", merged_at=before.since + timedelta(days=1))])
    house.post_digest(one, "1.1", [url_of(ENGINE, 50)], period=before)
    assert "不在" not in text_of(house.say("#50 是什么"))
    assert "不在" in text_of(house.command("pr 50"))


def test_another_channels_digest_is_no_place_for_an_answer(house: House) -> None:
    house.subscribe("C1", ENGINE)
    house.post_digest(house.subscribe("C2", ENGINE), "1.1", [url_of(ENGINE, 2)])
    reply = house.say("#2 有什么风险")
    assert reply is not None
    assert reply.place is None
