"""Several repositories in one delivery: one root, most urgent first, nothing dropped, every figure true."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.analysis import rules
from bot.commands import parse
from bot.digest.build import Digest, build, recount_of
from bot.digest.posting import messages_of
from bot.digest.several import Failure, several, unread
from bot.digest.verify import check
from bot.figures import Claim, Count
from bot.message import Block, Buttons, Heading, Link, ListBlock, Message, PullRequestRef
from bot.models import PullRequest, Reading, Urgency
from bot.rendering.plain import to_plain
from bot.text import Wording
from tests.factories import PERIOD, WEDNESDAY, make_pr, make_week

RULES = rules.load()


def wording(repository: str) -> Wording:
    return Wording(lambda number: f"https://github.example/{repository}/pull/{number}")


def digest_of(repository: str, *pull_requests: PullRequest, **changes: object) -> Digest:
    return build(make_week(*pull_requests, repository=repository, **changes), RULES, wording(repository))


def calm(repository: str, many: int = 3) -> Digest:
    return digest_of(repository, *(make_pr(n, f"[Docs] Page {n}", files={f"docs/{n}.md": (1, 1)}) for n in range(many)))


def hanging(repository: str, many: int = 1) -> Digest:
    fixes = (make_pr(n, f"[Bugfix] Fix hang in part {n}", files={f"engine/{n}.py": (9, 1)}) for n in range(1, many + 1))
    return digest_of(repository, *fixes)


def risky(repository: str) -> Digest:
    return digest_of(repository, make_pr(1, "Bump a part", files={"requirements.txt": (1, 1)}))


def lines(root: Message) -> list[str]:
    return [to_plain(Message((ListBlock((item,)),)))[2:] for item in listed(root).items]


def listed(root: Message) -> ListBlock:
    return next(block for block in root.blocks if isinstance(block, ListBlock))


def text_of(root: Message) -> str:
    return to_plain(Message(tuple(block for block in root.blocks if not isinstance(block, Buttons))))


def bare(message: Message) -> list[Block]:
    """The blocks below the heading, without buttons."""
    return [block for block in message.blocks if not isinstance(block, Buttons | Heading)]


def test_the_most_urgent_comes_first_by_findings_to_act_on_and_then_by_risks() -> None:
    root = several([calm("acme/docs"), risky("acme/pins"), hanging("acme/one"), hanging("acme/three", 3)])[0]
    assert [line.split()[0] for line in lines(root)] == ["three", "one", "pins", "docs"]
    assert "查版本 3：挂起 #1 等" in lines(root)[0]
    assert "查版本 1：挂起 #1 " in f"{lines(root)[1]} "
    assert "风险 1" in lines(root)[2]
    assert "要先看的多的在前" in text_of(root)


def test_period_and_zone_are_said_once_and_the_buttons_stand_last() -> None:
    root = several([calm("acme/a"), calm("acme/b")])[0]
    assert text_of(root).count("2026-03-02～03-08") == 1
    assert text_of(root).count("北京时间") == 1
    assert isinstance(root.blocks[-1], Buttons)
    assert len(root.blocks[-1].buttons) == 4


def test_the_thread_has_every_repository_whole_and_named_in_the_order_of_the_root() -> None:
    digests = [calm("acme/docs"), hanging("acme/engine")]
    _, *thread = several(digests)
    assert [one.summary.split(" · ")[0] for one in thread] == ["engine"] * 7 + ["docs"] * 7
    for name, digest, part in (("engine", digests[1], thread[:7]), ("docs", digests[0], thread[7:])):
        for alone, message in zip(messages_of(digest)[1:], part, strict=True):
            assert to_plain(message).startswith(f"{name} · ")
            assert bare(message) == bare(alone)


def test_links_go_to_their_own_repository() -> None:
    root, *thread = several([hanging("acme/a"), hanging("acme/b")])
    urls = {span.url for span in root.spans() if isinstance(span, PullRequestRef)}
    assert urls == {"https://github.example/acme/a/pull/1", "https://github.example/acme/b/pull/1"}
    for message in thread:
        name = message.summary[0]
        assert all(f"/acme/{name}/" in span.url for span in message.spans() if isinstance(span, PullRequestRef))


def test_a_cards_button_names_its_repository() -> None:
    thread = several([hanging("acme/a"), hanging("acme/b")])[1:]
    commands = [
        button.command
        for one in thread
        for block in one.blocks
        if isinstance(block, Buttons)
        for button in block.buttons
    ]
    assert commands == ["wrong 1 repo=acme/a", "wrong 1 repo=acme/b"]


def test_equal_short_names_are_written_in_full() -> None:
    root = several([hanging("acme/engine", 2), hanging("other/engine"), calm("acme/docs")])[0]
    assert [line.split()[0] for line in lines(root)] == ["acme/engine", "other/engine", "docs"]


def test_what_could_not_be_read_is_named_with_its_reason() -> None:
    reason = "GitHub 返回 502，重试 5 次都是这样，" + "请稍后再试" * 20
    messages = several([calm("acme/docs")], [Failure("acme/gone", reason)])
    assert lines(messages[0])[1].startswith("gone 没有读到：GitHub 返回 502")
    assert lines(messages[0])[1].endswith("…")
    assert f"acme/gone 没有读到：{reason}" in to_plain(messages[-1])
    assert "没有读到 gone" in messages[0].summary


def test_many_that_could_not_be_read_are_counted_in_the_root_and_named_in_the_thread() -> None:
    failures = [Failure(f"acme/gone-{n}", "超时") for n in range(8)]
    messages = several([calm("acme/docs")], failures)
    assert "另有 5 个仓库没有读到" in text_of(messages[0])
    for one in failures:
        assert one.repository in to_plain(messages[-1])


def test_when_nothing_could_be_read_it_is_not_an_empty_week() -> None:
    (message,) = unread(PERIOD, [Failure("acme/a", "令牌失效"), Failure("acme/b", "超时")], wording("acme/a"))
    text = to_plain(message)
    assert "2026-03-02～03-08（北京时间）没能生成" in text
    assert "a 没有读到：令牌失效" in text
    assert "不等于本周没有合入" in text
    assert "没能生成" in message.summary
    with pytest.raises(ValueError, match="unread"):
        several([], [Failure("acme/a", "超时")])


def test_an_incomplete_and_an_empty_repository_say_so_in_their_lines() -> None:
    stale = digest_of("acme/late", make_pr(1), fresh_until=WEDNESDAY + timedelta(minutes=5))
    root = several([stale, digest_of("acme/quiet")])[0]
    found = dict(line.split(" ", 1) for line in lines(root))
    assert "资料只到 03-04 20:05" in found["late"]
    assert "没有合入" in found["quiet"]


def test_what_the_team_watches_is_counted_in_its_line() -> None:
    digest = digest_of("acme/engine", make_pr(1), make_pr(2), reading=Reading(watch=("engine/core.py",)))
    assert "关注 2" in lines(several([digest])[0])[0]


NAMES = st.lists(st.from_regex(r"[a-z0-9._-]{1,100}", fullmatch=True), min_size=1, max_size=30, unique=True)


@settings(max_examples=60, deadline=None)
@given(names=NAMES, many=st.integers(0, 40), failed=st.integers(0, 12), data=st.data())
def test_the_root_fits_a_phone_and_drops_nothing_silently(
    names: list[str], many: int, failed: int, data: st.DataObject
) -> None:
    make = st.sampled_from([calm, risky, hanging])
    digests = [data.draw(make)(f"acme/{name}") for name in names]
    failures = [Failure(f"acme/lost{n}{'x' * many}", "读不到 " * many) for n in range(failed)]
    root, *thread = several(digests, failures)
    assert sum(isinstance(span, PullRequestRef | Link) for span in root.spans()) <= 6
    shown = [line for line in lines(root) if "没有读到" not in line]
    hidden = re.search(r"另有 (\d+) 个仓库见话题", text_of(root))
    assert len(shown) + (int(hidden[1]) if hidden else 0) == len(digests)
    assert len(shown) <= 10
    unread_shown = len(lines(root)) - len(shown)
    uncounted = re.search(r"另有 (\d+) 个仓库没有读到", text_of(root))
    assert unread_shown + (int(uncounted[1]) if uncounted else 0) == failed
    in_thread = "\n".join(to_plain(one) for one in thread)
    assert all(one.repository in in_thread for one in failures)
    assert all(f"{name} · 执行摘要" in in_thread for name in names)
    if not failures and max(map(len, names)) <= 20 and len(names) <= 10:
        assert sum(len(span.text) for span in root.spans()) <= 300


@settings(max_examples=25, deadline=None)
@given(counts=st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_every_figure_of_a_line_is_that_repositorys(counts: list[int]) -> None:
    digests = [hanging(f"acme/r{place}", many) for place, many in enumerate(counts)]
    root = several(digests)[0]
    by_name = {f"r{place}": digest for place, digest in enumerate(digests)}
    for item, line in zip(listed(root).items, lines(root), strict=True):
        digest = by_name[line.split()[0]]
        assert check(item, recount_of(digest.view)).failures == ()
        merged = re.search(r"合入 (\d+)", line)
        assert (int(merged[1]) if merged else 0) == len(digest.week.pull_requests)
        act = {n for one in digest.told if one.finding.urgency is Urgency.ACT for n in one.numbers}
        found = re.search(r"查版本 (\d+)", line)
        assert (int(found[1]) if found else 0) == len(act & {one.number for one in digest.week.pull_requests})


def test_commands_of_buttons_are_commands() -> None:
    for block in several([hanging("acme/a"), hanging("acme/b")])[0].blocks:
        if isinstance(block, Buttons):
            assert [parse(button.command).name for button in block.buttons] == ["risks", "hot", "top", "week"]


def test_a_wrong_figure_is_not_published() -> None:
    digest = hanging("acme/a", 2)
    figures = replace(digest.figures, pull_requests=Count(99, Claim.about("pull_requests")))
    tampered = replace(digest, view=replace(digest.view, figures=figures))
    root = several([tampered, calm("acme/b")])[0]
    assert "99" not in text_of(root)
    assert "a 数字没有通过核对" in lines(root)[0]
