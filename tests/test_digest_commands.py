"""The digest asked for in a chat: the whole of a week, a preview of what would be posted, a card that can be wrong."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.analysis import assess, rules
from bot.commands import parse
from bot.digest.build import build
from bot.digest.posting import messages_of
from bot.dispatch import Chat, Context, Subject, answer, handled, request_of
from bot.message import Buttons, Chart, Message
from bot.models import Exclusion, PullRequest, Reading
from bot.rendering.plain import to_plain
from bot.store.store import Store
from bot.text import Wording
from handlers import HANDLERS
from tests.factories import PERIOD, make_pr

NOW = PERIOD.until + timedelta(hours=9)
RULES = rules.load()
NOTHING = Exclusion()
ENGINE, CONSOLE = "acme/engine", "acme/console"


def subject(name: str, exclude: Exclusion = NOTHING) -> Subject:
    return Subject(name, Reading(exclude=exclude), RULES, Wording(lambda n: f"https://github.example/{name}/pull/{n}"))


def fill(store: Store, name: str, *pull_requests: PullRequest) -> None:
    since = PERIOD.before(14).since
    store.save_history(name, pull_requests)
    store.save_assessments(name, assess.assess(store.pull_requests(name, since, NOW), RULES, since))
    store.mark_covered(name, since, NOW, source="clone", synced_at=NOW)


def chat() -> Chat:
    return Chat("slack", "C1", "U1", None, None, lambda _channel, _message, _thread: "1.0")


@pytest.fixture
def where() -> Context:
    store = Store.in_memory()
    fill(store, ENGINE, make_pr(1, "Fix hang"), make_pr(2), make_pr(3, author="helper[bot]", author_kind="bot"))
    return Context(store, {ENGINE: subject(ENGINE)}, PERIOD, NOW, is_admin=True, chat=chat())


def buttons_of(message: Message) -> list[tuple[str, str]]:
    blocks = (block for block in message.blocks if isinstance(block, Buttons))
    return [(button.label, button.command) for block in blocks for button in block.buttons]


def test_the_button_of_the_whole_digest_gives_the_whole_digest(where: Context) -> None:
    week = where.store.load_week(ENGINE, PERIOD, Reading())
    digest = build(week, RULES, where.subjects[ENGINE].wording)
    command = dict(buttons_of(digest.root))["完整周报"]
    text = to_plain(answer(replace(where, period=PERIOD.before()), command, HANDLERS).message)
    for section in digest.sections:
        assert to_plain(section.message) in text
    assert not buttons_of(answer(where, command, HANDLERS).message)


def test_a_preview_is_what_would_be_posted_in_its_order(where: Context) -> None:
    digest = build(where.store.load_week(ENGINE, PERIOD, Reading()), RULES, where.subjects[ENGINE].wording)
    posted = messages_of(digest)
    found = answer(where, "preview", HANDLERS).message
    text = to_plain(found)
    places = [text.index(to_plain(one)) for one in posted]
    assert places == sorted(places)
    assert f"话题里的 {len(posted) - 1} 条" in text
    assert "还没有发出" in text
    assert buttons_of(found) == [pair for one in posted for pair in buttons_of(one)]
    assert any(isinstance(block, Chart) for block in found.blocks)


def test_a_preview_outside_a_chat_has_no_buttons(where: Context) -> None:
    assert not buttons_of(answer(replace(where, chat=None), "preview", HANDLERS).message)


def test_a_preview_leaves_out_what_the_channel_does_not_want(where: Context) -> None:
    here = replace(where, subjects={ENGINE: subject(ENGINE, Exclusion(("bots",)))})
    assert "另有 1 个按本频道设置略去" in to_plain(answer(here, "preview", HANDLERS).message)
    assert "另有 1 个按本频道设置略去" in to_plain(answer(here, "week 2026-W10", HANDLERS).message)


def test_a_preview_of_several_repositories_names_the_one_that_is_not_stored(where: Context) -> None:
    fill(where.store, CONSOLE, make_pr(7))
    names = (ENGINE, CONSOLE, "acme/new")
    where.store.mark_covered("acme/new", NOW, NOW + timedelta(days=1), source="clone", synced_at=NOW)
    here = replace(where, subjects={name: subject(name) for name in names})
    request = request_of(here, parse("preview"), here.subjects[ENGINE])
    text = to_plain(handled(here, request, HANDLERS).message)
    assert "engine 合入 3" in text
    assert "console 合入 1" in text
    assert "new 没有读到：" in text
    assert "console · 执行摘要" in text


def test_a_preview_of_which_nothing_is_stored_is_no_empty_week(where: Context) -> None:
    old = replace(where, period=PERIOD.before(40))
    assert not answer(old, "preview", HANDLERS).answered
    here = replace(old, subjects={name: subject(name) for name in (ENGINE, CONSOLE)})
    where.store.mark_covered(CONSOLE, NOW, NOW + timedelta(days=1), source="clone", synced_at=NOW)
    request = request_of(here, parse("preview"), here.subjects[ENGINE])
    assert "没能生成" in to_plain(handled(here, request, HANDLERS).message)


def test_each_card_of_an_answer_can_be_reported(where: Context) -> None:
    assert buttons_of(answer(where, "pr 1 2 999", HANDLERS).message) == [
        ("有误 #1", "wrong 1"),
        ("有误 #2", "wrong 2"),
    ]
    assert not buttons_of(answer(replace(where, chat=None), "pr 1", HANDLERS).message)


def test_a_report_names_the_repository_where_there_are_several(where: Context) -> None:
    here = replace(where, subjects={name: subject(name) for name in (ENGINE, CONSOLE)})
    found = answer(here, "pr 1 repo=engine", HANDLERS).message
    assert buttons_of(found) == [("有误 #1", "wrong 1 repo=acme/engine")]
