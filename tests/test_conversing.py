"""What is said in a channel, in a digest's thread and in private, over a real store: who is answered, and with what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot import jobs
from bot.apology import apologising
from bot.conversing.respond import Conversing
from bot.periods import last_week
from bot.ports import Incoming, Silent
from bot.sources.sample import REPOSITORY, SampleSource
from bot.store.reading import Reach
from bot.store.store import Store
from tests.chat import ENGINE, NOW, WEB, House, fill, headings, subject, text_of, three_repositories, url_of, urls_in
from tests.factories import PERIOD, make_pr


@pytest.fixture
def house() -> Iterator[House]:
    made = three_repositories()
    yield made
    made.store.close()


# Manners


def test_in_a_digests_thread_a_question_is_answered_and_chatter_is_not(house: House) -> None:
    house.post_digest(house.subscribe("C1", ENGINE), "1.1")
    assert "#1" in text_of(house.say("谁改了 scheduler", thread="1.1", addressed=False))
    assert "#2" in text_of(house.say("#2 有什么风险", thread="1.1", addressed=False))
    assert "#1" in text_of(house.say("top", thread="1.1", addressed=False))
    for chatter in ("收到", "谢谢", "👍", "我来看 #2", "@张三 你看看 #2", url_of(ENGINE, 2)):
        assert house.say(chatter, thread="1.1", addressed=False) is None, chatter
    assert house.say("#2 有什么风险", thread="1.1", addressed=False, to_others=True) is None


@pytest.mark.parametrize("thread", [None, "5.5"])
def test_elsewhere_only_what_is_addressed_is_answered(house: House, thread: str | None) -> None:
    house.post_digest(house.subscribe("C1", ENGINE), "1.1")
    assert house.say("#2 有什么风险", thread=thread, addressed=False) is None
    assert house.say("top", thread=thread, addressed=False) is None
    assert house.say("#2 有什么风险", thread=thread) is not None


def test_what_cannot_be_judged_gets_an_apology_only_where_the_bot_was_asked(house: House) -> None:
    def broken() -> datetime:
        raise OSError("planted")

    house.post_digest(house.subscribe("C9", ENGINE), "9.0")
    respond = apologising(Conversing(replace(house.bot.among, now=broken)).respond)
    asked = Incoming("slack", "C9", "U1", "哪些 PR 缺少测试？", thread="9.0")
    assert "出错了" in text_of(respond(asked))
    assert respond(replace(asked, text="收到", addressed=False)) is None


def test_who_listens_to_mentions_only_is_not_spoken_to(house: House) -> None:
    house.post_digest(house.subscribe("C1", ENGINE, listen="mention"), "1.1")
    assert house.say("#2 有什么风险", thread="1.1", addressed=False) is None
    assert "cache" in text_of(house.say("#2 有什么风险", thread="1.1"))


def test_a_digest_whose_subscription_ended_is_not_listened_to(house: House) -> None:
    ended = house.subscribe("C1", ENGINE)
    house.post_digest(ended, "1.1")
    house.store.subscriptions().remove(ended.id, "slack:UADMIN", NOW)
    assert house.say("#2 有什么风险", thread="1.1", addressed=False) is None
    assert "subscribe" in text_of(house.say("#2 有什么风险", thread="1.1"))
    house.subscribe("C1", WEB)
    assert house.say("#101 有什么风险", thread="1.1", addressed=False) is None


def test_an_empty_mention_and_a_greeting_are_told_what_can_be_asked(house: House) -> None:
    house.subscribe("C1", ENGINE)
    for text in ("", "?", "你好", "在吗？"):
        said = text_of(house.say(text))
        assert ENGINE in said
        assert "/digest help" in said
    assert "/digest top" in text_of(house.command(""))


@pytest.mark.parametrize("text", ["谢谢", "收到！", "👍", "ok, thanks"])
def test_thanks_are_not_answered_even_where_they_are_meant_for_the_bot(house: House, text: str) -> None:
    house.subscribe("C1", ENGINE)
    assert house.say(text) is None
    assert house.say(text, channel="D1", direct=True) is None


# Commands and questions


@pytest.mark.parametrize(
    "text", ["top", "重点", "top 2 share", "risks", "hot", "pr 2", "score 2", "since v1.0", "week 上周"]
)
def test_the_same_words_are_answered_as_a_command_a_mention_and_in_a_direct_message(house: House, text: str) -> None:
    house.subscribe("C1", ENGINE)
    house.rooms.members["C1", "U1"] = True
    answers = [house.command(text), house.say(text), house.say(text, channel="D1", direct=True, external=None)]
    assert len({text_of(one) for one in answers}) == 1
    assert [one.to_all for one in answers if one is not None] == ["share" in text, True, True]


def test_a_slash_command_that_is_a_question_is_answered_as_one(house: House) -> None:
    house.subscribe("C1", ENGINE)
    assert "cache" in text_of(house.command("#2 有什么风险？"))
    assert "scheduler" in text_of(house.command("谁改了 scheduler"))


def test_a_typing_mistake_gets_the_nearest_command(house: House) -> None:
    house.subscribe("C1", ENGINE)
    assert "top 5" in text_of(house.command("tpo 5"))
    assert "top 5" in text_of(house.say("tpo 5"))
    assert "没有「tpo」" not in text_of(house.say("scheduler"))


def test_a_question_about_the_whole_period_gets_what_the_command_gives(house: House) -> None:
    house.subscribe("C1", WEB)
    for question, command in (
        ("这周有哪些风险？", "risks"),
        ("what are the risks this week?", "risks"),
        ("最重要的 PR 是哪个", "top"),
        ("重点是什么？", "top"),
        ("which PRs are most important?", "top"),
        ("改动最多的文件有哪些", "hot"),
    ):
        assert text_of(house.say(question)) == text_of(house.say(command)), question
    assert "没有读懂" in text_of(house.say("是这样吗？"))
    house.subscribe("C1", ENGINE)
    assert text_of(house.say("是这样吗？")).count("没有读懂") == 1


def test_whoever_addresses_the_bot_may_end_a_command_like_a_sentence(house: House) -> None:
    house.subscribe("C1", ENGINE)
    assert text_of(house.say("风险？")) == text_of(house.say("风险"))


def test_an_answer_is_shared_only_when_it_is_one(house: House) -> None:
    house.subscribe("C1", ENGINE)
    assert house.command("top share").to_all
    assert not house.command("top nonsense share").to_all
    assert not house.command("pr 999 share").to_all


# Several repositories


def test_a_repository_that_has_just_begun_is_no_gap_in_a_preview_of_several(house: House) -> None:
    house.subscribe("C1", ENGINE, WEB)
    young = House(Store.in_memory(), {ENGINE: "public", WEB: "public"})
    began = PERIOD.since + timedelta(days=1)
    for name in (ENGINE, WEB):
        young.store.save_history(name, [])
        reach = Reach(began, NOW)
        young.store.mark_covered(name, began, NOW, source="clone", synced_at=NOW, reach=reach)
    young.subscribe("C1", ENGINE, WEB)
    said = text_of(young.command("preview", user="UADMIN"))
    assert "还没有同步" not in said
    assert "未能读取" not in said
    young.store.close()


def test_each_repository_answers_in_turn_under_its_name(house: House) -> None:
    house.subscribe("C1", ENGINE, WEB)
    for text in ("top", "risks", "hot", "week"):
        reply = house.command(text)
        assert [name for name in headings(reply) if name.startswith("acme/")] == [ENGINE, WEB]
    assert headings(house.command("top repo=web-ui")) == []
    assert "#101" in text_of(house.command("top repo=web-ui"))
    assert "#1 " not in text_of(house.command("top repo=web-ui"))


def test_a_number_is_looked_for_in_every_repository(house: House) -> None:
    house.subscribe("C1", ENGINE, WEB)
    assert urls_in(house.command("pr 101")) == {url_of(WEB, 101)}
    assert urls_in(house.command("score 2")) == {url_of(ENGINE, 2)}
    assert urls_in(house.command("pr 2 101")) == {url_of(ENGINE, 2), url_of(WEB, 101)}
    assert "acme/engine、acme/web-ui 都有 #7" in text_of(house.command("pr 7"))
    assert urls_in(house.command("pr 7 repo=engine")) == {url_of(ENGINE, 7)}
    assert urls_in(house.say("acme/web-ui#7 是什么")) == {url_of(WEB, 7)}
    assert urls_in(house.say("#7 是什么 repo=web-ui")) == {url_of(WEB, 7)}
    assert "没有找到 #999" in text_of(house.command("pr 999"))
    both = house.command("pr 2 999")
    assert urls_in(both) == {url_of(ENGINE, 2)}
    assert "没有找到 #999" in text_of(both)


def test_questions_find_their_repository(house: House) -> None:
    house.subscribe("C1", ENGINE, WEB)
    assert urls_in(house.say("#101 有什么风险")) == {url_of(WEB, 101)}
    assert urls_in(house.say(f"{url_of(WEB, 7)} 讲了什么")) == {url_of(WEB, 7)}
    assert urls_in(house.say("acme/engine#2 和 acme/web-ui#7 是什么")) == {url_of(ENGINE, 2), url_of(WEB, 7)}
    assert "都有 #7" in text_of(house.say("#7 是什么"))
    found = house.say("谁改了 dashboard")
    assert headings(found) == [WEB]
    assert "acme/engine 里没有相关的 PR" in text_of(found)
    assert headings(house.say("谁改了 scheduler 和 login")) == [ENGINE, WEB]
    assert "acme/other" in text_of(house.say("acme/other#5 是什么"))
    assert not urls_in(house.say("https://github.example/acme/other/pull/2 讲了什么"))


def test_a_release_that_one_repository_knows_is_enough(house: House) -> None:
    house.subscribe("C1", ENGINE, WEB)
    said = text_of(house.command("since v1.0"))
    assert "#1" in said
    assert "没有名为" not in said
    assert "没有名为" in text_of(house.command("since v9"))


def test_in_a_thread_the_digests_repositories_are_meant_and_others_can_be_named(house: House) -> None:
    digest = house.subscribe("C1", WEB)
    house.subscribe("C1", ENGINE)
    house.post_digest(digest, "1.1")
    assert urls_in(house.say("pr 7", thread="1.1")) == {url_of(WEB, 7)}
    assert "acme/engine" not in text_of(house.say("top", thread="1.1"))
    assert urls_in(house.say("pr 2", thread="1.1")) == {url_of(ENGINE, 2)}
    assert urls_in(house.say("pr 7 repo=engine", thread="1.1")) == {url_of(ENGINE, 7)}


def test_one_digest_of_several_repositories_is_previewed_at_once(house: House) -> None:
    house.subscribe("C1", ENGINE, WEB)
    said = text_of(house.command("preview", user="UADMIN"))
    assert "engine" in said
    assert "web-ui" in said
    assert "管理员" in text_of(house.command("preview"))


# The period


def test_a_digests_thread_speaks_of_its_own_period(house: House) -> None:
    before = PERIOD.before()
    fill(house.store, ENGINE, [make_pr(50, "Older work", merged_at=before.since + timedelta(days=1))])
    one = house.subscribe("C1", ENGINE)
    house.post_digest(one, "1.1", period=before)
    assert "#50" in text_of(house.say("top", thread="1.1", addressed=False))
    assert "#50" not in text_of(house.say("top"))
    button = house.say("top", message="1.1", private=True)
    assert "#50" in text_of(button)


def test_the_last_whole_week_is_that_of_the_subscriptions_zone(house: House) -> None:
    """At NOW it is Monday in Shanghai and still Sunday in Honolulu."""
    house.subscribe("C1", ENGINE, timezone="Pacific/Honolulu")
    late = NOW.astimezone(UTC)
    assert last_week(late, "Pacific/Honolulu") != PERIOD
    assert "02-23" in text_of(house.command("top"))
    house.subscribe("C2", ENGINE)
    assert "03-02" in text_of(house.command("top", channel="C2"))


def test_an_answer_says_until_when_its_facts_are_complete(house: House) -> None:
    house.subscribe("C1", ENGINE)
    fresh = PERIOD.until - timedelta(days=1)
    house.store.mark_covered(
        ENGINE, PERIOD.since, NOW, source="clone", synced_at=NOW, reach=Reach(PERIOD.before(14).since, fresh)
    )
    assert "资料截至" in text_of(house.command("top"))
    house.subscribe("C2", WEB)
    assert "资料截至" not in text_of(house.command("top", channel="C2"))


def test_what_a_subscription_leaves_out_is_left_out_of_a_week(house: House) -> None:
    house.subscribe("C1", ENGINE, exclude_paths=("engine/cache.py",))
    house.subscribe("C2", ENGINE)
    assert "合入 3 个 PR" in text_of(house.command("week"))
    assert "合入 4 个 PR" in text_of(house.command("week", channel="C2"))


def test_a_week_names_the_holidays_of_the_channels_country(house: House) -> None:
    house.subscribe("C1", ENGINE, country="KR", exclude_paths=("engine/cache.py",))
    house.subscribe("C2", ENGINE, country="KR")
    house.subscribe("C2", ENGINE, country="DE", exclude_paths=("engine/cache.py",))
    week = text_of(house.command("week"))
    assert "本周逢Independence Movement Day" in week
    assert "合入 3 个 PR" in week
    assert "工作日" not in text_of(house.command("week", channel="C2"))  # which of them it was read for is not known


def test_in_a_thread_only_that_digests_exclusion_counts(house: House) -> None:
    house.subscribe("C1", ENGINE)
    house.post_digest(house.subscribe("C1", ENGINE, WEB, exclude_paths=("engine/cache.py",)), "1.1")
    assert "合入 3 个 PR" in text_of(house.say("week 2026-03-02 repo=engine", thread="1.1"))


# The bundled sample


def test_the_sample_is_spoken_of_as_any_repository(tmp_path: object) -> None:
    now = datetime(2026, 3, 10, 2, tzinfo=UTC)
    with Store.open(f"sqlite:///{tmp_path}/bot.db") as store:
        source = SampleSource(now, "Asia/Shanghai")
        target = jobs.Target(REPOSITORY, source, store, subject(REPOSITORY).rules)
        jobs.sync(target, source.begins_at(), now, now=now, progress=Silent())
        house = House(store, {REPOSITORY: "public"})
        house.subscribe("C1", REPOSITORY)
        assert "合入" in text_of(house.say("top"))
        assert urls_in(house.say("哪些 PR 缺少测试覆盖？"))
