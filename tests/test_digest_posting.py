"""A digest as a channel gets it: a root for a phone, a thread in order, each message with its essence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.analysis import rules
from bot.commands import parse
from bot.digest.build import SECTIONS, Digest, build, whole
from bot.digest.posting import messages_of
from bot.digest.recount import Recount
from bot.digest.verify import check
from bot.message import Buttons, Chart, Heading, Link, ListBlock, Message, PullRequestRef, spans_of
from bot.models import Period, PullRequest, Reading
from bot.periods import parse_week
from bot.rendering.html import to_html
from bot.rendering.markdown import to_markdown
from bot.rendering.plain import to_plain
from bot.text import Wording, term
from tests.factories import PERIOD, WEDNESDAY, ZONE, make_file, make_pr, make_week
from tests.test_digest import sample_digest, url

RULES = rules.load()


def digest_of(*pull_requests: PullRequest, **changes: object) -> Digest:
    return build(make_week(*pull_requests, **changes), RULES, Wording(url))


def buttons_of(message: Message) -> list[tuple[str, str]]:
    blocks = (block for block in message.blocks if isinstance(block, Buttons))
    return [(button.label, button.command) for block in blocks for button in block.buttons]


def length(message: Message) -> int:
    return sum(len(span.text) for span in message.spans())


def links(message: Message) -> int:
    return sum(isinstance(span, PullRequestRef | Link) for span in message.spans())


def test_the_root_comes_first_then_charts_then_the_six_sections_under_their_headings() -> None:
    digest = sample_digest()
    root, charts, *sections = messages_of(digest)
    assert root == digest.root
    assert charts.blocks
    assert all(isinstance(block, Chart) for block in charts.blocks)
    assert [to_plain(Message(one.blocks[:1])).splitlines()[0] for one in sections] == [
        term(name, "section") for name, _ in SECTIONS
    ]


def test_nothing_of_a_section_is_lost_in_the_thread() -> None:
    digest = sample_digest()
    for section, message in zip(digest.sections, messages_of(digest)[-6:], strict=True):
        assert list(section.message.spans()) == list(message.spans())[1:]


def test_every_message_says_its_essence_in_one_line() -> None:
    for message in messages_of(sample_digest()):
        assert 0 < len(message.summary) <= 200
        assert "\n" not in message.summary
    summaries = [one.summary for one in messages_of(sample_digest())]
    assert summaries[2].startswith("执行摘要：本周合入 63 个 PR，上周 54 个")
    assert summaries[5].startswith("风险观察：核心路径变更 8、外部依赖 4")


def test_each_card_has_a_button_that_reports_it() -> None:
    digest = sample_digest()
    cards = messages_of(digest)[-2]
    assert buttons_of(cards) == [(f"有误 #{card.number}", f"wrong {card.number}") for card in digest.cards]
    first = next(place for place, block in enumerate(cards.blocks) if isinstance(block, Buttons))
    assert [span.number for span in spans_of(cards.blocks[first - 1]) if isinstance(span, PullRequestRef)] == [
        digest.cards[0].number
    ]


def test_where_mistakes_cannot_be_reported_the_cards_stay_a_list() -> None:
    cards = messages_of(sample_digest(), correctable=False)[-2]
    assert not buttons_of(cards)
    assert any(isinstance(block, ListBlock) for block in cards.blocks)


def test_the_whole_digest_has_no_buttons_in_any_form() -> None:
    message = whole(sample_digest())
    assert not buttons_of(message)
    for rendered in (to_plain(message), to_markdown(message), to_html(message)):
        assert "有误" not in rendered
        assert "week=" not in rendered


def test_the_buttons_of_a_week_ask_about_that_week() -> None:
    found = buttons_of(digest_of(make_pr()).root)
    assert [label for label, _ in found] == ["风险", "热点文件", "重点PR", "完整周报"]
    for _, command in found:
        parsed = parse(command)
        week = parsed.week or parsed.arguments[0]
        assert parse_week(week, ZONE, PERIOD.until + timedelta(days=30)) == PERIOD
    assert parse(found[-1][1]).name == "week"


@pytest.mark.parametrize("days", [1, 6, 8, 59])
def test_the_buttons_of_another_span_name_no_week(days: int) -> None:
    first = datetime(2026, 3, 2, tzinfo=ZoneInfo(ZONE))
    period = Period(first, first + timedelta(days=days), ZONE)
    commands = [command for _, command in buttons_of(digest_of(make_pr(), period=period).root)]
    assert commands == ["risks", "hot", "top", "top all"]


def test_a_week_that_does_not_begin_on_monday_is_not_called_by_a_number() -> None:
    first = datetime(2026, 3, 1, tzinfo=ZoneInfo(ZONE))
    period = Period(first, first + timedelta(days=7), ZONE)
    assert ("完整周报", "top all") in buttons_of(digest_of(make_pr(), period=period).root)


# The root on a phone

LONG = "a-very-long-folder-name/" * 8
TITLES = st.one_of(
    st.sampled_from(
        [
            "[Bugfix] Fix hang when a request is cancelled",
            "Fix race in the scheduler",
            "Fix out-of-bounds read in the kernel",
            "[Security] Reject path traversal",
            "Remove the legacy allocator",
            "Enable prefetching by default",
            "Update torch to 2.11",
            'Revert "Add the cache" (#1)',
            "[Refactor][2/N] Move the layers",
            "Support a new model",
        ]
    ),
    st.text(max_size=300),
)
PATHS = st.sampled_from(
    ["engine/core.py", "engine/kernels/paged.cu", "requirements.txt", "docs/a.md", "tests/test_core.py", f"{LONG}x.py"]
)


@st.composite
def pull_requests(draw: st.DrawFn) -> list[PullRequest]:
    many = draw(st.integers(0, 25))
    return [
        make_pr(
            number,
            draw(TITLES),
            merged_at=WEDNESDAY + timedelta(minutes=number),
            author=draw(st.sampled_from(["ann", "bo", "helper[bot]"])),
            files=tuple(make_file(path, draw(st.integers(0, 900)), 5) for path in draw(st.sets(PATHS, max_size=3))),
        )
        for number in range(1, many + 1)
    ]


@settings(max_examples=60, deadline=None)
@given(
    pulls=pull_requests(),
    role=st.sampled_from(["own", "upstream"]),
    stale=st.booleans(),
    watch=st.booleans(),
    name=st.sampled_from(["acme/engine", f"acme/{'n' * 100}"]),
)
def test_the_root_fits_a_phone_whatever_happened(
    pulls: list[PullRequest], role: str, stale: bool, watch: bool, name: str
) -> None:
    reading = Reading("own" if role == "own" else "upstream", ("engine/kernels",) if watch else ())
    digest = digest_of(
        *pulls, repository=name, reading=reading, fresh_until=WEDNESDAY + timedelta(minutes=9) if stale else None
    )
    assert length(digest.root) <= 300
    assert links(digest.root) <= 6
    assert digest.verification.failures == ()
    recount = Recount(digest.week, RULES, digest.view.evidence.measured)
    assert check(list(digest.root.spans()), recount).failures == ()
    for message in messages_of(digest):
        assert message.summary
        assert len(message.summary) <= 300


def test_what_does_not_fit_a_phone_gives_way_and_what_asks_to_act_stays() -> None:
    folder = "a-very-long-folder-name/" * 12
    series = [
        make_pr(n, f"[Refactor] Move layer {n}", files={f"{folder}part_{n}.py": (400, 300)}, author=f"dev-{n}")
        for n in range(1, 6)
    ]
    digest = digest_of(*series, make_pr(9, "Fix hang in the scheduler"), reading=Reading(watch=("engine/core.py",)))
    assert folder[:200] in to_plain(whole(digest))
    assert folder[:200] not in to_plain(digest.root)
    assert "挂起 #9" in to_plain(digest.root)
    assert length(digest.root) <= 300
    assert digest.verification.failures == ()


def test_the_root_of_the_sample_fits_a_phone_and_links_six_at_most() -> None:
    for role in ("upstream", "own"):
        root = sample_digest(role).root
        assert length(root) <= 300
        assert 1 <= links(root) <= 6


# Empty, incomplete


def every(digest: Digest) -> Iterator[str]:
    for message in messages_of(digest):
        if not any(isinstance(block, Chart) for block in message.blocks):
            yield to_plain(replace(message, blocks=tuple(b for b in message.blocks if not isinstance(b, Buttons))))


def test_an_empty_week_is_said_to_be_empty_in_the_root_and_in_one_message_of_all_sections() -> None:
    root, sections = every(digest_of(history=[make_pr(9, merged_at=PERIOD.before().since)]))
    assert "本周没有合入 PR（上周 1" in root
    assert "没有 PR 合入默认分支" in sections
    for title in (term(name, "section") for name, _ in SECTIONS):
        assert title in sections
    assert sections.count("本周没有") >= 5


def test_an_incomplete_week_is_said_to_be_so_in_root_and_every_section() -> None:
    digest = digest_of(make_pr(1), make_pr(2), fresh_until=WEDNESDAY + timedelta(minutes=5))
    root, *sections = every(digest)
    assert "资料不全：只到 03-04 20:05" in root
    for text in sections:
        assert "资料只到 03-04 20:05" in text
        assert "不是整段对整段" in text
    assert digest.verification.failures == ()


def test_a_week_of_which_nothing_is_known_is_not_called_empty() -> None:
    digest = digest_of(fresh_until=PERIOD.since, reading=Reading(watch=("engine/",)))
    root, *sections = every(digest)
    assert "还没有本周的资料" in root
    assert "资料不全：只到 03-02 00:00" in root
    assert "没有合入" not in root
    assert "合入 0" not in digest.root.summary
    assert "命中" not in root
    for text in sections:
        assert "还没有本周的 PR" in text


def test_a_period_that_the_source_does_not_reach_the_end_of_is_no_point_of_a_chart() -> None:
    for fresh, last in ((None, "03-02"), (WEDNESDAY + timedelta(minutes=5), "02-23")):
        charts = messages_of(digest_of(make_pr(1), history=busy_past(), fresh_until=fresh))[1]
        line = next(block for block in charts.blocks if isinstance(block, Chart) and block.kind == "line")
        assert line.labels[-1] == last


def test_without_a_span_before_there_is_no_column_for_it() -> None:
    text = to_plain(
        whole(digest_of(*(make_pr(n, "[Kernel] Add a thing") for n in range(1, 6)), covered_since=PERIOD.since))
    )
    assert "上周" not in text.replace("没有可比的上周数据", "")
    assert "首次追踪" in text


def test_many_of_a_kind_are_counted_and_some_named() -> None:
    pulls = [
        make_pr(
            n, f"Remove part {n}", files=[make_file(f"engine/part_{n}.py", 0, 400, status="removed")], author=f"dev-{n}"
        )
        for n in range(1, 31)
    ]
    digest = digest_of(*(replace(one, files=tuple(one.files)) for one in pulls))
    text = to_plain(digest.sections[1].message)
    assert "同类另有 24 个 PR：" in text
    assert digest.verification.failures == ()


def test_headings_stand_first() -> None:
    for message in messages_of(sample_digest())[2:]:
        assert isinstance(message.blocks[0], Heading)


def busy_past() -> list[PullRequest]:
    """Twenty pull requests in each of the 13 weeks before."""
    return [
        make_pr(
            1000 * back + n, merged_at=PERIOD.before(back).since + timedelta(hours=n), files={"app/core/a.py": (9, 3)}
        )
        for back in range(1, 14)
        for n in range(20)
    ]


def test_an_empty_week_of_a_busy_repository_is_told_against_its_past() -> None:
    digest = digest_of(history=busy_past())
    assert "本周没有合入 PR（上周 20，前四周中位 20）" in to_plain(digest.root)
    assert "本周合入 0 个 PR，近 13 个等长周期中位数 20" in to_plain(digest.sections[2].message)
    assert digest.verification.failures == ()


def test_a_week_that_is_not_over_is_not_called_quiet() -> None:
    digest = digest_of(make_pr(1), history=busy_past(), fresh_until=WEDNESDAY + timedelta(minutes=5))
    assert "量的变化" not in to_plain(whole(digest))
    assert "中位" not in to_plain(digest.root)
    assert "资料只到 03-04 20:05" in digest.root.summary


def test_an_empty_week_says_so_in_its_notification() -> None:
    assert "本周没有合入 PR" in digest_of().root.summary
