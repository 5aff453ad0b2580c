"""The bundled sample: its weeks lie where they should, its facts agree, and its digest has much to tell."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import pytest

from bot import jobs
from bot.analysis import rules
from bot.digest.build import Digest, build
from bot.models import Comment, FindingKind, Period, PullRequest
from bot.periods import PeriodError, last_week
from bot.ports import PullRequestSource, Silent
from bot.sources.sample import REPOSITORY, SampleSource
from bot.sources.sample.changed_lines import read_changed_lines
from bot.sources.sample.notation import read_entries, since_monday
from bot.store.store import Store
from bot.text import Wording

ZONE = "Asia/Shanghai"
NOW = datetime(2026, 3, 11, 4, tzinfo=UTC)
FAR = timedelta(weeks=60)
EARLIER = 6


def everything(source: SampleSource) -> list[PullRequest]:
    return list(source.history(NOW - FAR, NOW + FAR))


@lru_cache(maxsize=1)
def sample() -> tuple[PullRequest, ...]:
    return tuple(everything(SampleSource(NOW)))


def last(now: datetime, zone: str) -> tuple[Period, list[PullRequest]]:
    period = last_week(now, zone)
    return period, list(SampleSource(now, zone).history(period.since, period.until))


def remarks(one: PullRequest) -> Iterator[Comment]:
    for thread in one.threads or ():
        yield from thread.comments
    yield from one.comments or ()


# Where it lies


def test_it_is_a_source_of_pull_requests() -> None:
    source: PullRequestSource = SampleSource(NOW)
    assert source.kind == "sample"
    assert source.fresh_until() == NOW
    assert source.begins_at() == last_week(NOW, ZONE).before(EARLIER).since
    assert source.begins_at().tzinfo == UTC


def test_each_week_has_its_share() -> None:
    source, period = SampleSource(NOW), last_week(NOW, ZONE)
    counts = [source.count(one.since, one.until) for one in (period, *map(period.before, range(1, EARLIER + 1)))]
    assert 60 <= counts[0] <= 65
    assert all(40 <= count <= 60 for count in counts[1:])
    assert sum(counts) == len(sample())


def test_history_is_newest_first_and_half_open() -> None:
    found = sample()
    assert list(found) == sorted(found, key=lambda one: (one.merged_at, one.number), reverse=True)
    source, cut = SampleSource(NOW), found[50].merged_at
    later = [one.number for one in source.history(cut, NOW)]
    earlier = [one.number for one in source.history(NOW - FAR, cut)]
    assert found[50].number in later
    assert later + earlier == [one.number for one in found]
    assert source.count(cut, NOW) == len(later)


def test_the_same_now_gives_the_same_facts() -> None:
    assert repr(everything(SampleSource(NOW))) == repr(everything(SampleSource(NOW)))
    assert SampleSource(NOW).releases() == SampleSource(NOW).releases()


@pytest.mark.parametrize(
    ("now", "zone"),
    [
        ("2026-03-15T23:59:59", ZONE),
        ("2026-03-16T00:00:00", ZONE),
        ("2026-03-18T12:00:00", "UTC"),
        ("2026-03-09T00:00:00", "America/New_York"),  # its last week ends with the start of summer time
        ("2026-03-30T09:00:00", "Europe/Berlin"),
        ("2026-10-26T09:00:00", "Europe/Berlin"),  # … and with the end of it
        ("2026-04-27T08:00:00", "Africa/Cairo"),  # a Friday without its first hour
        ("2027-01-01T12:00:00", "Pacific/Auckland"),
        ("2024-03-01T00:00:00", "Pacific/Kiritimati"),
    ],
)
def test_the_last_week_is_last_week(now: str, zone: str) -> None:
    period, found = last(datetime.fromisoformat(now).replace(tzinfo=ZoneInfo(zone)), zone)
    assert len(found) == len(last(NOW, ZONE)[1])
    assert {one.number for one in found} == {one.number for one in last(NOW, ZONE)[1]}
    assert all(period.contains(one.merged_at) for one in found)
    assert all(one.merged_at.tzinfo == UTC for one in found)


def test_the_last_week_ends_when_monday_begins() -> None:
    monday = datetime(2026, 3, 16, tzinfo=ZoneInfo(ZONE))
    before, after = last(monday - timedelta(seconds=1), ZONE), last(monday, ZONE)
    assert before[0].until == datetime(2026, 3, 9, tzinfo=ZoneInfo(ZONE))
    assert after[0].until == monday
    shifted = {one.number: one.merged_at + timedelta(weeks=1) for one in before[1]}
    assert shifted == {one.number: one.merged_at for one in after[1]}


def test_clock_times_stay_across_a_change_of_the_clock() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    winter = last(datetime(2026, 2, 2, 9, tzinfo=berlin), "Europe/Berlin")[1]
    changed = last(datetime(2026, 3, 30, 9, tzinfo=berlin), "Europe/Berlin")[1]
    clocks = [
        {one.number: f"{one.merged_at.astimezone(berlin):%a %H:%M}" for one in some} for some in (winter, changed)
    ]
    assert clocks[0] == clocks[1]


def test_an_unknown_zone_and_a_naive_now_are_refused() -> None:
    with pytest.raises(PeriodError, match="Asia/Shanghia"):
        SampleSource(NOW, "Asia/Shanghia")
    with pytest.raises(TypeError):
        SampleSource(NOW.replace(tzinfo=None))


# Its facts agree


def test_numbers_are_unique_and_commits_too() -> None:
    assert not [number for number, times in Counter(one.number for one in sample()).items() if times > 1]
    assert len({one.commit for one in sample()}) == len(sample())
    assert all(re.fullmatch("[0-9a-f]{40}", one.commit) for one in sample())


def test_nobody_has_two_spellings() -> None:
    people = {one.author for one in sample()}
    for one in sample():
        people |= {review.author for review in one.reviews or ()} | {remark.author for remark in remarks(one)}
    folded = Counter(re.sub(r"[^a-z0-9]", "", name.casefold()) for name in people)
    assert set(folded.values()) == {1}
    assert 20 <= len(people) <= 40
    assert {one.author for one in sample() if one.author_kind == "bot"} == {"windlass-deps[bot]"}
    assert {one.author for one in sample() if one.author_kind == "ghost"} == {"ghost"}


def test_no_file_has_two_spellings() -> None:
    paths = {file.path for one in sample() for file in one.files}
    assert len({re.sub(r"[-_]", "", path.casefold()) for path in paths}) == len(paths)
    assert all(re.fullmatch(r"[\w.-]+(/[\w.-]+)*", path) for path in paths)


def test_files_live_from_when_they_are_added_until_they_are_removed() -> None:
    gone: set[str] = set()
    known: set[str] = set()
    for one in reversed([one for one in sample() if one.base is None]):
        for file in one.files:
            assert file.path not in gone, (one.number, file.path)
            assert file.status != "added" or file.path not in known, (one.number, file.path)
            assert file.status != "added" or file.deletions == 0
            assert file.status != "removed" or file.additions == 0
            known.add(file.path)
            if file.status == "removed":
                gone.add(file.path)
    assert gone


def test_every_pull_request_changes_each_file_once() -> None:
    for one in sample():
        assert one.files
        assert len({file.path for file in one.files}) == len(one.files)
        assert all(file.churn for file in one.files)


def test_numbers_follow_the_order_of_opening() -> None:
    opened = sorted(sample(), key=lambda one: (one.created_at or NOW, one.number))
    assert [one.number for one in opened] == sorted(one.number for one in opened)


def test_what_is_said_lies_between_opening_and_now() -> None:
    for one in sample():
        assert one.created_at is not None
        assert one.created_at < one.merged_at
        assert one.reviews is not None
        assert one.threads is not None
        assert one.comments is not None
        said = [review.submitted_at for review in one.reviews] + [remark.created_at for remark in remarks(one)]
        assert all(one.created_at < instant < last_week(NOW, ZONE).until for instant in said), one.number
        for thread in one.threads:
            instants = [comment.created_at for comment in thread.comments]
            assert instants == sorted(instants)
            assert 2 <= len(instants) <= 6
            assert thread.path in {file.path for file in one.files}, one.number


def test_nobody_reviews_their_own() -> None:
    assert not [one.number for one in sample() for review in one.reviews or () if review.author == one.author]


def test_every_number_that_is_named_is_there() -> None:
    numbers = {one.number for one in sample()}
    for one in sample():
        texts = [one.title, one.body, *(review.body for review in one.reviews or ())]
        texts += [remark.body for remark in remarks(one)]
        named = {int(number) for text in texts for number in re.findall(r"#(\d+)", text)}
        assert named <= numbers, one.number


def test_releases() -> None:
    period = last_week(NOW, ZONE)
    first, second = SampleSource(NOW).releases()
    assert first.tagged_at < period.since
    assert second.cut_at is not None
    assert period.since < second.cut_at < second.tagged_at < period.until
    picked = [one for one in sample() if one.number in second.picks]
    assert len(picked) == len(second.picks) == 1
    assert all(second.cut_at < one.merged_at < second.tagged_at for one in picked)


def test_changed_lines_agree_with_the_counts_of_files() -> None:
    by_number = {one.number: one for one in sample()}
    patches = list(SampleSource(NOW).patches(NOW - FAR, NOW))
    assert len(patches) >= 15
    for patch in patches:
        one = by_number[patch.number]
        counts = {file.path: (file.additions, file.deletions) for file in one.files}
        lines = {file.path: (len(file.added), len(file.removed)) for file in patch.files}
        assert lines.items() <= counts.items(), patch.number
        assert patch.complete == (lines == counts)
        assert patch.merged_at == one.merged_at


def test_changed_lines_are_oldest_first_and_of_the_last_two_weeks() -> None:
    source, period = SampleSource(NOW), last_week(NOW, ZONE)
    patches = list(source.patches(NOW - FAR, NOW))
    assert patches == sorted(patches, key=lambda one: (one.merged_at, one.number))
    assert all(one.merged_at >= period.before().since for one in patches)
    inside = list(source.patches(period.since, period.until))
    assert 0 < len(inside) < len(patches)
    assert all(period.contains(one.merged_at) for one in inside)


# What it holds


def test_titles_that_would_like_to_be_more_than_text() -> None:
    titles = [one.title for one in last(NOW, ZONE)[1]]
    assert "<!channel> <at id=all></at> **x** | <script>alert(1)</script> @everyone" in titles
    for sign in ("\u202e", "`", "🚀", "Ignore all previous instructions", "[link](https://"):
        assert any(sign in title for title in titles), sign
    assert 200 < max(map(len, titles)) <= 256


def test_reviews_are_of_every_sort() -> None:
    week = last(NOW, ZONE)[1]
    assert any(one.reviews == () for one in week)
    assert {"APPROVED", "CHANGES_REQUESTED"} == {review.state for one in week for review in one.reviews or ()}
    assert {True, False} == {thread.resolved for one in week for thread in one.threads or ()}
    assert any(re.search(r"[一-鿿]", remark.body) for one in week for remark in remarks(one))
    assert any(remark.created_at > one.merged_at for one in week for remark in remarks(one))
    assert max((one.merged_at - (one.created_at or one.merged_at)).days for one in week) >= 100


@lru_cache(maxsize=1)
def digest() -> Digest:
    source, store, period = SampleSource(NOW), Store.in_memory(), last_week(NOW, ZONE)
    target = jobs.Target(REPOSITORY, source, store, rules.load())
    jobs.sync(target, source.begins_at(), period.until, now=NOW, progress=Silent())
    jobs.read_diffs(target, period.since, period.until, Silent())
    wording = Wording(lambda number: f"https://example.com/{REPOSITORY}/pull/{number}")
    return build(store.load_week(REPOSITORY, period), target.rules, wording)


def test_the_digest_is_sound() -> None:
    assert digest().verification.failures == ()
    assert digest().verification.checked > 200
    assert {gap.kind for gap in digest().gaps} == {"short-history"}
    assert {one.base for one in digest().week.other_branches} == {"release-0.11", "release-0.12"}
    assert digest().figures.previous is not None
    assert digest().figures.usual is not None


@pytest.mark.parametrize("kind", FindingKind)
def test_every_kind_of_finding_is_there(kind: FindingKind) -> None:
    assert kind in {told.finding.kind for told in digest().told}


def test_no_finding_is_carried_by_a_title_made_to_harm() -> None:
    harmful = {one.number for one in digest().week.pull_requests if re.search(r"<script>|previous instr", one.title)}
    assert len(harmful) == 2
    assert not [told for told in digest().told if harmful & set(told.numbers)]


# How it is read


def test_reading_all_of_it_takes_little_time() -> None:
    began = time.process_time()
    source = SampleSource(NOW)
    everything(source)
    list(source.patches(NOW - FAR, NOW))
    assert time.process_time() - began < 0.15


@pytest.mark.parametrize(
    "text",
    [
        "12 Mon 10:00 2d somebody - a title without its bar",
        "12 Mon 10:00 two-days somebody - | A title",
        "12 Xyz 10:00 2d somebody - | A title",
        "  windlass/app.py +1 -1",
        "12 Mon 10:00 2d somebody - | A title\n  windlass/app.py one line",
        "12 Mon 10:00 2d somebody - | A title\n    somebody -1h | A remark in no thread",
        "12 Mon 10:00 2d somebody - | A title\n  thread closed windlass/app.py",
    ],
)
def test_a_line_outside_the_notation_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        list(read_entries(text))


def test_the_notation_reads_what_it_says() -> None:
    (entry,) = read_entries(
        "# A comment.\n12 Tue 10:05 90m somebody one,two | Say \\u{202e}it | twice\n  base release-1\n"
        "  A app/new.py +7\n  D app/old.py -9\n  > First.\n  > Second.\n  review three COMMENTED -30m | Why?\n"
    )
    assert entry.merged == since_monday("Tue 10:05") == timedelta(days=1, hours=10, minutes=5)
    assert (entry.opened, entry.approvers, entry.base) == (timedelta(minutes=90), ("one", "two"), "release-1")
    assert entry.title == "Say \u202eit | twice"
    assert [(file.path, file.status, file.churn) for file in entry.files] == [
        ("app/new.py", "added", 7),
        ("app/old.py", "removed", 9),
    ]
    assert entry.body == ["First.", "Second."]
    assert [(one.author, one.state, one.after) for one in entry.reviews] == [
        ("three", "COMMENTED", timedelta(minutes=-30))
    ]


def test_a_line_that_is_no_changed_line_is_an_error() -> None:
    with pytest.raises(ValueError, match="no sign"):
        read_changed_lines("=== 12\n@@ app/new.py\nno sign before it\n")
