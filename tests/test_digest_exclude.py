"""What a channel does not want to read of: left out of everything alike, counted, and said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.analysis import rules
from bot.digest.build import Digest, build, whole
from bot.digest.exclude import excluding, left_out_by
from bot.digest.posting import messages_of
from bot.message import PullRequestRef
from bot.models import ChangedFile, DirectCommit, Exclusion, PullRequest, Reading, Week
from bot.rendering.plain import to_plain
from bot.text import Wording
from tests.factories import PERIOD, WEDNESDAY, make_file, make_pr, make_week

RULES = rules.load()
LAST_WEEK = PERIOD.before().since


def url(number: int) -> str:
    return f"https://github.example/acme/engine/pull/{number}"


def bot_pr(number: int, **changes: object) -> PullRequest:
    return make_pr(number, f"Bump part {number}", author="helper[bot]", author_kind="bot", **changes)


def docs_pr(number: int, **changes: object) -> PullRequest:
    return make_pr(number, f"[Docs] Page {number}", files={f"docs/{number}.md": (1, 1)}, **changes)


def week_of(*pull_requests: PullRequest, exclude: Exclusion, **changes: object) -> Week:
    return make_week(*pull_requests, reading=Reading(exclude=exclude), **changes)


def digest_of(*pull_requests: PullRequest, exclude: Exclusion, **changes: object) -> Digest:
    return build(week_of(*pull_requests, exclude=exclude, **changes), RULES, Wording(url))


NOISE = Exclusion(("bots", "Dev-X"), ("docs/", "./ci"))


@pytest.mark.parametrize(
    ("one", "by"),
    [
        (make_pr(1), None),
        (bot_pr(1), "bots"),
        (make_pr(1, author="dev-x"), "authors"),
        (make_pr(1, author="dev-xy"), None),
        (docs_pr(1), "paths"),
        (make_pr(1, files={"docs/a.md": (1, 1), "engine/core.py": (1, 1)}), None),
        (make_pr(1, files={"docs/a.md": (1, 1), "ci/run.sh": (1, 1)}), "paths"),
        (make_pr(1, files={"docs2/a.md": (1, 1)}), None),
        (make_pr(1, files={"engine/docs/a.md": (1, 1)}), None),
        (make_pr(1, files={}), None),
        (replace(docs_pr(1), truncated=True), None),
        (make_pr(1, files=(make_file("docs/a.py", status="renamed", previous_path="engine/a.py"),)), None),
        (make_pr(1, files=(make_file("docs/a.md", status="renamed", previous_path="docs/b.md"),)), "paths"),
    ],
)
def test_who_is_left_out(one: PullRequest, by: str | None) -> None:
    assert left_out_by(one, NOISE) == by


def test_a_login_is_known_however_it_is_written() -> None:
    for name in ("helper", "@Helper", "helper[bot]", "HELPER[bot]"):
        assert left_out_by(bot_pr(1), Exclusion((name,))) == "authors"


def test_without_a_setting_a_week_is_as_it_was() -> None:
    week = make_week(make_pr(1), bot_pr(2))
    assert excluding(week) is week
    assert "略去" not in to_plain(whole(build(week, RULES, Wording(url))))


def test_both_spans_are_compared_after_the_same_setting() -> None:
    history = [bot_pr(n, merged_at=LAST_WEEK) for n in range(11, 16)] + [make_pr(20, merged_at=LAST_WEEK)]
    digest = digest_of(make_pr(1), make_pr(2), bot_pr(3), exclude=Exclusion(("bots",)), history=history)
    assert digest.figures.pull_requests == 2
    assert digest.figures.previous == 1
    assert digest.verification.failures == ()
    text = to_plain(digest.root)
    assert "合入 2 个 PR（上周 1" in text
    assert "另有 1 个按本频道设置略去" in text


def test_what_is_left_out_is_counted_by_its_reason_and_the_setting_is_said() -> None:
    digest = digest_of(make_pr(1), bot_pr(2), bot_pr(3), docs_pr(4), make_pr(5, author="dev-x"), exclude=NOISE)
    text = to_plain(whole(digest))
    assert "另有 4 个 PR 按本频道设置略去（机器人 2，指定作者 1，指定路径 1），以下数字都不含它们" in text
    assert "本频道设置略去：机器人、Dev-X提交的 PR，只改 docs/、./ci 的 PR；本周略去 4 个" in text
    assert digest.verification.failures == ()


def test_what_is_left_out_is_named_nowhere() -> None:
    out = [bot_pr(n, files={"engine/core.py": (400, 300)}) for n in range(10, 20)]
    digest = digest_of(make_pr(1), make_pr(2), *out, exclude=Exclusion(("bots",)))
    named = {span.number for one in messages_of(digest) for span in one.spans() if isinstance(span, PullRequestRef)}
    assert named <= {1, 2}
    assert not {*digest.figures.ranking} - {1, 2}
    assert not {card.number for card in digest.cards} - {1, 2}


def test_a_week_of_nothing_else_is_not_called_empty() -> None:
    digest = digest_of(bot_pr(1), bot_pr(2), exclude=Exclusion(("bots",)))
    assert "除略去的外，本周没有合入 PR" in to_plain(digest.root)
    assert "除略去的外，本周没有 PR 合入默认分支。另有 2 个 PR" in to_plain(digest.sections[0].message)
    assert digest.verification.failures == ()


def test_a_setting_that_meets_nothing_is_said_too() -> None:
    text = to_plain(whole(digest_of(make_pr(1), exclude=Exclusion((), ("docs9/",)))))
    assert "只改 docs9/ 的 PR；本周没有这样的 PR" in text
    assert "另有" not in text.partition("后续建议")[0]


def test_a_bots_revert_of_what_stays_is_told() -> None:
    """Else the digest would list among the new things what is gone."""
    gone = make_pr(1, "Add the large cache", files={"engine/cache.py": (900, 0)})
    revert = bot_pr(2)
    undone = replace(revert, title='Revert "Add the large cache" (#1)', files=gone.files)
    digest = digest_of(gone, undone, make_pr(3), bot_pr(4), exclude=Exclusion(("bots",)))
    assert [(one.number, one.target) for one in digest.figures.reverts] == [(2, 1)]
    assert {one.number for one in digest.week.left_out} == {4}
    assert 1 not in {card.number for card in digest.cards}


def test_a_revert_of_what_is_left_out_is_not_said_to_revert_something_unknown() -> None:
    history = [docs_pr(9, merged_at=LAST_WEEK)]
    revert = make_pr(1, 'Revert "[Docs] Page 9" (#9)', files={"docs/9.md": (1, 1), "engine/a.py": (1, 1)})
    digest = digest_of(revert, exclude=Exclusion((), ("docs",)), history=history)
    assert "unresolved-reverts" not in {gap.kind for gap in digest.gaps}


def test_the_share_of_commits_without_a_number_counts_what_is_left_out() -> None:
    direct = (DirectCommit("1" * 40, "Hotfix", "dev-1", WEDNESDAY),)
    digest = digest_of(make_pr(1), bot_pr(2), bot_pr(3), exclude=Exclusion(("bots",)), direct_commits=direct)
    assert any("的 25%" in gap.text for gap in digest.gaps)
    assert digest.verification.failures == ()


def test_the_counts_of_risks_no_longer_claim_to_be_those_of_the_command() -> None:
    pulls = [make_pr(n, "Bump it", files={"requirements.txt": (1, 1)}) for n in (1, 2)]
    assert "与 risks 命令同一份数据" in to_plain(build(make_week(*pulls), RULES, Wording(url)).sections[3].message)
    text = to_plain(digest_of(*pulls, exclude=Exclusion(("bots",))).sections[3].message)
    assert "不含本频道略去的" in text
    assert "同一份数据" not in text


NAMES = st.text(max_size=30)
ROOTS = st.sampled_from(["docs/a.md", "docs/b/c.md", "ci/x.yml", "engine/core.py", "tests/t.py"])


@st.composite
def pull_requests(draw: st.DrawFn) -> list[PullRequest]:
    return [
        make_pr(
            number,
            draw(st.sampled_from(["Fix hang", "Add a thing", "Bump torch 2", "Remove it", "Fix race"])),
            author=draw(st.sampled_from(["ann", "bo", "helper[bot]"])),
            author_kind=draw(st.sampled_from(["human", "bot"])),
            files=tuple(ChangedFile(path, 20, 3) for path in sorted(draw(st.sets(ROOTS, max_size=3)))),
            merged_at=draw(st.sampled_from([WEDNESDAY, LAST_WEEK, PERIOD.before(2).since])),
        )
        for number in range(1, draw(st.integers(1, 16)))
    ]


@settings(max_examples=60, deadline=None)
@given(
    pulls=pull_requests(),
    authors=st.lists(NAMES | st.sampled_from(["bots", "ann", "v2 <!channel> **x**"]), max_size=3),
    paths=st.lists(NAMES | st.sampled_from(["docs", "docs/", "ci/", "engine", "`3`"]), max_size=3),
)
def test_any_setting_gives_a_true_digest(pulls: list[PullRequest], authors: list[str], paths: list[str]) -> None:
    now = [one for one in pulls if PERIOD.contains(one.merged_at)]
    history = [one for one in pulls if not PERIOD.contains(one.merged_at)]
    exclude = Exclusion(tuple(authors), tuple(paths))
    digest = digest_of(*now, exclude=exclude, history=history)
    assert digest.verification.failures == ()
    left_out = [one for one in digest.week.left_out if PERIOD.contains(one.merged_at)]
    assert digest.figures.pull_requests + len(left_out) == len(now)
    assert {one.number for one in left_out} == {one.number for one in now if left_out_by(one, exclude)}
    text = to_plain(digest.root)
    assert (f"另有 {len(left_out)} 个按本频道设置略去" in text) == bool(left_out)
    assert excluding(digest.week) == digest.week
