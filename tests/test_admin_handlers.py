"""The commands about a channel, given to the bot as people give them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversing.respond import Conversing
from bot.conversing.scene import Surroundings
from bot.message import PullRequestRef
from bot.ports import Incoming, NotSent, Refused, Reply
from bot.store.ledger import Plan
from bot.store.subscriptions import Subscription
from bot.team import Team
from tests.chat import ENGINE, NOW, SECRET, WEB, House, subject, text_of, three_repositories, url_of
from tests.chat_room import ChatRoom, Posted
from tests.factories import PERIOD

ADMIN = "UADMIN"


@dataclass
class Office(House):
    """The house with a chat that keeps what is posted and fails as it is told, and a channel for its admins."""

    room: ChatRoom = field(default_factory=ChatRoom)
    admin_channel: str | None = "CADMIN"
    now = NOW

    @property
    def bot(self) -> Conversing:
        channels = {} if self.admin_channel is None else {"slack": self.admin_channel}
        team = Team("Asia/Shanghai", self.repositories, self.admins, channels)
        catalogue = {name: subject(name) for name in self.repositories}
        surroundings = Surroundings(self.store, catalogue, team, {"slack": self.room}, lambda: self.now)
        return Conversing(surroundings)

    def admin(self, text: str, **changes: Any) -> str:
        return text_of(self.command(text, user=ADMIN, **changes))

    def mention(self, text: str, **changes: Any) -> Reply:
        reply = self.say(text, **changes)
        assert reply is not None
        return reply

    @property
    def subscribed(self) -> tuple[Subscription, ...]:
        return self.store.subscriptions().of("slack", "C1")

    @property
    def posted(self) -> list[Posted]:
        return self.room.posted

    def park(self, one: Subscription, note: str = "not_in_channel: invite the bot") -> int:
        ledger, lease = self.store.ledger(), timedelta(minutes=1)
        ledger.plan([Plan("slack", one.channel, one.id, PERIOD, one.repositories, NOW)], NOW)
        claim = ledger.claim("test", NOW, lease, lease)
        assert claim is not None
        ledger.finish(claim, "parked", NOW, note)
        return claim.id


@pytest.fixture
def office() -> Iterator[Office]:
    house = three_repositories()
    with house.store:
        yield Office(house.store, house.repositories)


# subscribe


def test_a_channel_that_changes_its_time_keeps_its_holidays(office: Office) -> None:
    office.subscribe("C1", ENGINE, country="CN", on_holiday="skip")
    said = office.admin("subscribe 周二 10:00")
    assert "每周二 10:00" in said
    assert said.splitlines()[2].endswith("周二 10:00。逢 CN 假期不发。")
    assert "逢 CN 假期不发" in office.admin("status")


def test_an_admin_subscribes_a_channel_and_hears_of_the_next_digest(office: Office) -> None:
    said = office.admin(f"subscribe {ENGINE}")
    assert "已订阅 acme/engine：每周一 09:00（北京时间）" in said
    assert "下一期：03-16 周一 09:00" in said
    (one,) = office.subscribed
    assert (one.repositories, one.day, f"{one.time:%H:%M}", one.timezone) == ((ENGINE,), 0, "09:00", "Asia/Shanghai")
    assert (one.added_at, one.from_file, one.changed_by) == (NOW, False, "slack:UADMIN")


@pytest.mark.parametrize(
    "text",
    [
        "subscribe acme/engine web-ui 周三 18:30",
        "订阅 ENGINE、web-ui 周三 下午6点半",
        "订阅 每周三 18:30 repo=engine acme/web-ui",
        "SUBSCRIBE wednesday 18:30 acme/web-ui and acme/engine",
    ],
)
def test_repositories_day_and_time_are_understood_in_any_order(office: Office, text: str) -> None:
    said = office.admin(text)
    (one,) = office.subscribed
    assert (set(one.repositories), one.day, f"{one.time:%H:%M}") == ({ENGINE, WEB}, 2, "18:30")
    assert "每周三 18:30" in said
    assert "下一期：03-11 周三 18:30" in said


def test_subscribing_again_changes_the_time_and_no_more(office: Office) -> None:
    office.admin(f"subscribe {ENGINE} 周二 10:00")
    before = office.subscribed[0]
    assert "已经订阅了" in office.admin(f"subscribe {ENGINE}")
    assert office.subscribed == (before,)
    assert "已改 acme/engine 的投递时间：每周五 10:00" in office.admin("subscribe 周五")  # the only one is meant
    assert office.subscribed == (replace(before, day=4),)
    office.admin(f"subscribe {WEB}")
    assert [one.repositories for one in office.subscribed] == [(ENGINE,), (WEB,)]
    assert "请写明订阅哪个仓库" in office.admin("subscribe 周四")


def test_a_change_in_chat_keeps_what_the_file_says_besides(office: Office) -> None:
    listed = office.subscribe("C1", ENGINE, name="周报", timezone="Asia/Tokyo", exclude_paths=("docs/",))
    office.admin(f"subscribe {ENGINE} 11:00")
    (one,) = office.subscribed
    assert (one.id, one.name, one.timezone, one.exclude_paths) == (listed.id, "周报", "Asia/Tokyo", ("docs/",))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("subscribe", "请写明订阅哪个仓库"),
        ("subscribe acme/other", "没有「acme/other」这个仓库可选。可选的是：acme/engine"),
        ("subscribe engine 25:00", "「25:00」是多出来的"),
        ("subscribe engine 周一 周二", "多出来的"),
    ],
)
def test_a_subscription_that_cannot_be_is_refused_with_the_reason(office: Office, text: str, why: str) -> None:
    assert why in office.admin(text)
    assert office.subscribed == ()


@pytest.mark.parametrize("text", ["subscribe acme/engine", "unsubscribe", "release 1", "correct x", "preview"])
def test_only_admins_may(office: Office, text: str) -> None:
    office.subscribe("C1", ENGINE)
    before = office.subscribed
    said = text_of(office.command(text, user="U1"))
    assert f"{text.split(maxsplit=1)[0]} 只有管理员能用" in said
    assert "只有管理员能用" in text_of(office.command(text, user=ADMIN.lower()))
    assert "只有管理员能用" in text_of(office.mention(text, user="U1", thread="1.1"))
    assert office.subscribed == before
    assert office.posted == []


def test_what_may_not_be_shown_to_those_who_read_along_is_not_subscribed_to(office: Office) -> None:
    office.room.outside = True
    assert "acme/engine" in office.admin(f"subscribe {ENGINE}")
    said = office.admin("subscribe secret")
    assert "acme/secret 不能订阅到这里" in said
    assert "其他组织的成员" in said
    for text in ("subscribe acme/other", "help", "status"):
        assert SECRET not in office.admin(text)
    assert [one.repositories for one in office.subscribed] == [(ENGINE,)]
    office.room.outside = None
    assert "不能订阅到这里" in office.admin("subscribe secret")
    office.room.outside = False
    assert "已订阅 acme/secret" in office.admin("subscribe secret")


def test_in_a_direct_message_there_is_no_channel_to_subscribe(office: Office) -> None:
    for text in (f"subscribe {ENGINE}", "unsubscribe all"):
        assert "要在那个频道里用" in office.admin(text, channel="D1", direct=True)


# unsubscribe


def test_unsubscribing_ends_the_only_one_or_the_one_that_is_named(office: Office) -> None:
    assert "没有订阅" in office.admin("unsubscribe")
    office.subscribe("C1", ENGINE)
    office.subscribe("C1", ENGINE, WEB)
    office.subscribe("C2", ENGINE)
    said = office.admin("退订")
    assert "acme/engine；acme/engine+acme/web-ui" in said or "acme/engine+acme/web-ui；acme/engine" in said
    assert "这个频道的订阅有" in office.admin("退订 web-ui")
    said = office.admin("退订 web-ui engine")
    assert "已退订 acme/engine、acme/web-ui，不再投递" in said
    assert "还在投递：acme/engine（每周一 09:00）" in said
    assert "已退订 acme/engine" in office.admin("unsubscribe")
    assert office.subscribed == ()
    assert [one.channel for one in office.store.subscriptions().all()] == ["C2"]


def test_all_can_be_ended_at_once(office: Office) -> None:
    office.subscribe("C1", ENGINE)
    office.subscribe("C1", WEB)
    office.admin("unsubscribe all")
    assert office.subscribed == ()
    assert "还没有订阅任何仓库" in office.admin("top")


# status


def test_status_says_what_comes_what_came_and_how_old_the_data_is(office: Office) -> None:
    office.post_digest(office.subscribe("C1", ENGINE, from_file=True), "1.1")
    office.subscribe("C2", WEB)
    office.now = NOW + timedelta(days=1, hours=2)
    said = text_of(office.command("status", user="U1"))
    assert "acme/engine · 每周一 09:00（北京时间）· 下一期 03-16 周一 09:00" in said
    assert "上一期 2026-03-02～03-08 已于 03-09 10:00 投递" in said
    assert "acme/engine：1 天 2 小时前" in said
    assert "web-ui" not in said


def test_status_tells_the_file_from_the_chat(office: Office) -> None:
    listed = Subscription("1", "slack", "C1", (ENGINE,), 0, office_time(), "Asia/Shanghai", NOW)
    office.store.subscriptions().seed([listed], NOW)
    assert "来自配置文件" in text_of(office.command("status"))
    office.admin("subscribe 周三")
    assert "来自配置文件（在聊天里改过）" in text_of(office.command("status"))
    office.admin("unsubscribe")
    office.admin(f"subscribe {ENGINE}")
    assert "来自聊天" in text_of(office.command("status"))


def office_time() -> Any:
    return NOW.time().replace(hour=9, tzinfo=None)


def test_status_where_there_is_nothing(office: Office) -> None:
    assert "这个频道没有订阅" in text_of(office.command("status", user="U1"))
    assert "subscribe" in office.admin("status")
    assert "按频道看" in text_of(office.command("status", user="U1", channel="D1", direct=True))


def test_an_admin_sees_all_channels_in_a_direct_message(office: Office) -> None:
    office.subscribe("C1", ENGINE)
    office.subscribe("C2", SECRET, name="保险库")
    office.park(office.subscribe("C3", WEB))
    said = office.admin("status", channel="D1", direct=True)
    for part in ("slack C1 · acme/engine", "slack 保险库 · acme/secret", "slack C3 · acme/web-ui", "not_in_channel"):
        assert part in said
    assert "保险库" not in office.admin("status")


def test_what_is_parked_is_said_with_the_way_out_and_released_by_an_admin(office: Office) -> None:
    one = office.subscribe("C1", ENGINE)
    number = office.park(one)
    said = text_of(office.command("status", user="U1"))
    assert f"2026-03-02～03-08 这一期停住，等管理员处理（acme/engine，第 {number} 号投递）" in said
    assert "not_in_channel: invite the bot" in said
    assert f"/digest release {number}" in said
    assert "已放行" in office.admin(f"release {number}")
    delivery = office.store.ledger().delivery(number)
    assert delivery is not None
    assert delivery.state == "planned"
    assert "没有停住（等待投递）" in office.admin(f"放行 {number}")
    assert "没有第 99 号投递" in office.admin("release 99")
    assert "等待投递" in text_of(office.command("status"))


# wrong


def test_a_report_reaches_the_admins_with_who_where_what_and_how_to_correct(office: Office) -> None:
    office.post_digest(office.subscribe("C1", ENGINE), "1.1", [url_of(ENGINE, 1)])
    said = text_of(office.command("wrong 1", user="U7", thread="1.1", message="1.1-card-1"))
    assert "已转给管理员（acme/engine#1" in said
    (told,) = office.posted
    assert (told.channel, told.thread) == ("CADMIN", None)
    for part in ("acme/engine#1", "U7", "原处", "correct 正确的内容"):
        assert part in told.text
    report = office.store.reports().told_by("slack", "CADMIN", told.id)
    assert report is not None
    assert (report.said.channel, report.said.thread, report.said.message) == ("C1", "1.1", "1.1-card-1")


def test_a_report_keeps_the_words_and_is_said_in_many_ways(office: Office) -> None:
    office.post_digest(office.subscribe("C1", ENGINE, WEB), "1.1")
    for number, text in enumerate(
        [
            "有误 #7 repo=web-ui 标签“错”了，应为 max=5",
            "报错：图表的标题 不对。",
            "wrong 101 not mine",
            "有误 #7",
            "有误",
        ]
    ):
        office.mention(text, thread="1.1", message=f"1.{number}")
    texts = [one.text for one in office.posted]
    assert len(texts) == 5
    assert "acme/web-ui#7" in texts[0]
    assert "标签“错”了，应为 max=5" in texts[0]
    assert "图表的标题 不对。" in texts[1]
    assert "acme/web-ui#101" in texts[2]  # only one of the repositories has it
    assert "#7" in texts[3]
    assert "acme/web-ui#7" not in texts[3]  # both have it


def test_a_report_from_elsewhere_is_about_the_digest_that_speaks_of_it(office: Office) -> None:
    one = office.subscribe("C1", ENGINE)
    office.post_digest(one, "1.1", [url_of(ENGINE, 1)], PERIOD.before())
    office.post_digest(one, "2.2", [url_of(ENGINE, 2)])
    for text in ("wrong 1", "wrong 3"):
        office.command(text)
    office.say("有误", thread="5.5")
    threads = [office.store.reports().told_by("slack", "CADMIN", told.id) for told in office.posted]
    assert [one.said.thread for one in threads if one] == ["1.1", "2.2", "5.5"]


def test_the_same_report_twice_is_one(office: Office) -> None:
    office.post_digest(office.subscribe("C1", ENGINE), "1.1")
    for minutes in (0, 1, 9):
        office.now = NOW + timedelta(minutes=minutes)
        assert "已转给管理员" in text_of(office.command("wrong 1", thread="1.1", message="1.2"))
    assert len(office.posted) == 1
    office.command("wrong 1", thread="1.1", message="1.2", user="U8")
    office.now = NOW + timedelta(minutes=11)
    office.command("wrong 1", thread="1.1", message="1.2")
    assert len(office.posted) == 3


def test_without_a_channel_for_it_each_admin_is_told_directly(office: Office) -> None:
    office.admin_channel, office.admins = None, ("slack:UADMIN", "slack:UTWO", "lark:ou_x")
    office.post_digest(office.subscribe("C1", ENGINE), "1.1")
    office.room.failures = [Refused("the user is gone")]
    office.command("wrong 1", thread="1.1")
    assert [one.channel for one in office.posted] == ["UTWO"]
    office.command("wrong 2", thread="1.1")
    assert [one.channel for one in office.posted] == ["UTWO", "UADMIN", "UTWO"]


def test_where_nobody_can_be_told_the_reporter_hears_why(office: Office) -> None:
    office.room.failures = [NotSent("ratelimited")]
    said = text_of(office.command("wrong"))
    assert "没能转告管理员（ratelimited）" in said
    assert "已转给管理员" in text_of(office.command("wrong"))  # the same report, told at last
    office.admin_channel, office.admins = None, ()
    assert "没有配置管理员" in text_of(office.command("wrong 3"))
    assert len(office.posted) == 1


def test_a_report_names_only_what_may_be_shown(office: Office) -> None:
    office.subscribe("C1", ENGINE)
    said = text_of(office.command("wrong 201 repo=secret"))
    assert "没有「secret」" in said
    assert SECRET not in said
    assert office.posted == []


# correct


def test_a_correction_under_a_report_stands_in_the_digests_thread(office: Office) -> None:
    office.post_digest(office.subscribe("C1", ENGINE), "1.1", [url_of(ENGINE, 1)])
    office.command("wrong 1 作者错了", thread="1.1", message="1.1-card-1")
    told = office.posted[-1]
    reply = office.mention("correct #1 的作者是「甲」，不是乙。", user=ADMIN, channel="CADMIN", thread=told.id)
    assert "更正已发到那个频道的话题里：查看" in text_of(reply)
    posted = office.posted[-1]
    assert (posted.channel, posted.thread) == ("C1", "1.1")
    assert posted.text.strip() == "更正：#1 的作者是「甲」，不是乙。"
    report = office.store.reports().told_by("slack", "CADMIN", told.id)
    assert report is not None
    assert report.corrected_at == NOW


def test_a_correction_is_written_in_the_digests_own_thread_too(office: Office) -> None:
    office.post_digest(office.subscribe("C1", ENGINE), "1.1")
    assert "更正已发在这个频道的话题里" in text_of(office.mention("更正：作者是甲", user=ADMIN, thread="1.1"))
    assert [(one.channel, one.thread, one.text.strip()) for one in office.posted] == [("C1", "1.1", "更正：作者是甲")]


def test_each_admin_may_correct_under_the_message_that_told_them(office: Office) -> None:
    office.admin_channel, office.admins = None, ("slack:UADMIN", "slack:UTWO")
    office.post_digest(office.subscribe("C1", ENGINE), "1.1")
    office.command("wrong 1", thread="1.1")
    for told in tuple(office.posted):
        office.mention("correct right", user=told.channel, channel=f"D{told.channel}", direct=True, thread=told.id)
    assert [(one.channel, one.thread) for one in office.posted[2:]] == [("C1", "1.1")] * 2


def test_a_correction_elsewhere_is_refused_with_the_place_to_write_it(office: Office) -> None:
    office.subscribe("C1", ENGINE)
    for changes in ({}, {"thread": "7.7"}):
        assert "更正要写在周报的话题里" in text_of(office.mention("correct x", user=ADMIN, **changes))
    assert "后面还缺内容" in text_of(office.mention("/digest correct", user=ADMIN, thread="7.7"))
    assert office.posted == []


def test_a_correction_that_could_not_be_posted_is_not_said_to_be(office: Office) -> None:
    office.post_digest(office.subscribe("C1", ENGINE), "1.1")
    office.room.failures = [NotSent("ratelimited")]
    assert "没有发出：ratelimited" in text_of(office.mention("correct x", user=ADMIN, thread="1.1"))
    office.room.deleted = {"1.1"}
    assert "已被删除" in text_of(office.mention("correct x", user=ADMIN, thread="1.1"))
    assert office.posted == []


def test_a_long_correction_is_posted_whole(office: Office) -> None:
    office.post_digest(office.subscribe("C1", ENGINE), "1.1")
    text = "长" * 2000
    office.mention(f"更正 {text}", user=ADMIN, thread="1.1")
    assert office.posted[-1].text.strip() == f"更正：{text}"


def test_a_correction_is_text_and_nothing_else(office: Office) -> None:
    office.post_digest(office.subscribe("C1", ENGINE), "1.1")
    office.mention("更正 **粗** `码` <!channel> [x](https://evil.example) #1", user=ADMIN, thread="1.1")
    assert office.posted[-1].text.strip() == "更正：**粗** `码` <!channel> [x](https://evil.example) #1"


# help


def test_help_names_what_the_asker_may_do(office: Office) -> None:
    office.subscribe("C1", ENGINE)
    everybody, admin = text_of(office.command("help", user="U1")), office.admin("help")
    for name in ("wrong", "status", "top", "since"):
        assert f"/digest {name}" in everybody
    for name in ("subscribe", "unsubscribe", "preview", "release", "correct"):
        assert f"/digest {name}" not in everybody
        assert f"/digest {name}" in admin
    assert "（有误）" in everybody
    assert "话题里用不了斜杠命令" in everybody
    assert len(admin) < 1200
    assert not any(isinstance(span, PullRequestRef) for span in office.command("help").message.spans())


words = st.sampled_from(
    [
        *("subscribe", "unsubscribe", "status", "wrong", "correct", "release", "订阅", "退订", "有误", "更正", "放行"),
        *(ENGINE, WEB, "engine", "all", "周一", "09:00", "9点", "#1", "7", "99", "repo=engine", "share", "<!channel>"),
        *("“", "，", "：", "\u202e", "**x**", "`"),
    ]
)


@given(st.one_of(st.lists(words, max_size=5).map(" ".join), st.text(max_size=30)), st.booleans(), st.booleans())
def test_whatever_is_typed_gets_an_answer(text: str, admin: bool, in_thread: bool) -> None:
    office = Office(CHATTY.store, CHATTY.repositories)
    user, thread = ADMIN if admin else "U1", "1.1" if in_thread else None
    said = text_of(office.command(text, user=user, thread=thread))
    assert said.strip()
    assert "\u202e" not in said
    for posted in office.posted:
        assert "\u202e" not in posted.text


CHATTY = three_repositories()


def test_silence_is_kept_where_nobody_spoke_to_the_bot(office: Office) -> None:
    office.post_digest(office.subscribe("C1", ENGINE), "1.1")
    for text in ("有误", "更正：我刚才说错了", "wrong thread, sorry", "报错了", "订阅 me"):
        incoming = Incoming("slack", "C1", "U1", text, thread="1.1", message="9.9", addressed=False)
        assert office.bot.respond(incoming) is None
    assert office.posted == []
    told = Incoming("slack", "C1", "U1", "有误 #1 作者错了", thread="1.1", message="9.9", addressed=False)
    assert office.bot.respond(told) is not None
    assert len(office.posted) == 1
