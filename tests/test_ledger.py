"""The ledger's promises: one entry a period, one worker a delivery, one message a part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.models import Period
from bot.periods import parse_period
from bot.store.deliveries import NOTICE, Citation, Delivery
from bot.store.ledger import LeaseLost, Ledger, NewPart, Plan
from bot.store.store import Store
from tests.database import session
from tests.deliveries import DUE
from tests.stores import KINDS, POSTGRESQL, addressed, opened

LEASE, BUILDING, MINUTE = timedelta(minutes=2), timedelta(minutes=15), timedelta(minutes=1)
WEEK = Period(DUE - timedelta(days=7, hours=9), DUE - timedelta(hours=9), "Asia/Shanghai")
PARTS = tuple(
    NewPart(position, f"{position:064x}", "{}", (f"https://git.example.com/{position}",)) for position in range(3)
)


@pytest.fixture(params=KINDS)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    with opened(request.param, tmp_path) as store:
        yield store.ledger()


def make_plan(**changes: object) -> Plan:
    defaults: dict[str, object] = {
        "platform": "slack",
        "channel": "C1",
        "subscription": "s1",
        "period": WEEK,
        "repositories": ("acme/engine", "acme/tools"),
        "due_at": DUE,
    }
    return Plan(**(defaults | changes))  # type: ignore[arg-type]  # as given


def claimed(ledger: Ledger, at: datetime = DUE, owner: str = "a") -> Delivery:
    claim = ledger.claim(owner, at, LEASE, BUILDING)
    assert claim is not None
    return claim


def frozen(ledger: Ledger, **changes: object) -> Delivery:
    ledger.plan([make_plan(**changes)], DUE)
    claim = claimed(ledger)
    parts = (replace(part, key=f"{claim.id:032x}{part.position:032x}") for part in PARTS)
    ledger.freeze(claim, tuple(parts), DUE, LEASE)
    return claim


def sent(ledger: Ledger, **changes: object) -> Delivery:
    claim = frozen(ledger, **changes)
    for part in PARTS:
        ledger.begin(claim, part.position, DUE, LEASE)
        ledger.record(claim, part.position, f"{claim.id}.{part.position}", DUE, LEASE)
    ledger.finish(claim, "sent", DUE)
    return claim


def test_a_period_is_planned_once_and_comes_back_as_it_was(ledger: Ledger) -> None:
    ledger.plan([make_plan(), make_plan(channel="C2")], DUE)
    ledger.plan([make_plan(repositories=("acme/other",))], DUE + MINUTE)
    planned = ledger.of_state("planned")
    assert [one.channel for one in planned] == ["C2", "C1"]
    assert planned[1].period == WEEK
    assert planned[1].period.since.utcoffset() == timedelta(hours=8)
    assert (planned[1].repositories, planned[1].planned_at) == (("acme/engine", "acme/tools"), DUE)
    assert ledger.last_planned() == DUE


def test_a_period_whose_midnight_is_skipped_comes_back_as_it_was(ledger: Ledger) -> None:
    period = parse_period("2026-09-06", "2026-09-13", "America/Santiago", DUE + timedelta(days=300))
    ledger.plan([make_plan(period=period)], DUE)
    assert ledger.of_state("planned")[0].period == period


def test_the_oldest_is_claimed_first_and_by_one_only(ledger: Ledger) -> None:
    ledger.plan([make_plan(channel="C2", due_at=DUE), make_plan(due_at=DUE - MINUTE)], DUE)
    assert claimed(ledger).channel == "C1"
    assert claimed(ledger).channel == "C2"
    assert not ledger.claimable(DUE)
    assert ledger.claim("b", DUE, LEASE, BUILDING) is None


def test_many_claim_at_once_and_each_delivery_goes_to_one(ledger: Ledger) -> None:
    ledger.plan([make_plan(channel=f"C{number}") for number in range(20)], DUE)

    def claim_all(owner: int) -> list[int]:
        taken = []
        while (claim := ledger.claim(str(owner), DUE, LEASE, BUILDING)) is not None:
            taken.append(claim.id)
        return taken

    with ThreadPoolExecutor(4) as pool:
        taken = [delivery for one in pool.map(claim_all, range(4)) for delivery in one]
    assert sorted(taken) == sorted(one.id for one in ledger.of_state("sending"))
    assert len(taken) == 20


def test_a_claim_is_taken_over_only_when_its_lease_is_over(ledger: Ledger) -> None:
    ledger.plan([make_plan()], DUE)
    first = claimed(ledger)
    assert ledger.claim("b", DUE + BUILDING - MINUTE, LEASE, BUILDING) is None
    second = claimed(ledger, DUE + BUILDING)  # by another thread of the same process
    assert (second.fence, second.tries) == (first.fence + 1, 2)
    with pytest.raises(LeaseLost):
        ledger.freeze(first, PARTS, DUE, LEASE)
    assert ledger.parts(first.id) == ()
    writes: tuple[Callable[[], None], ...] = (
        lambda: ledger.begin(first, 0, DUE, LEASE),
        lambda: ledger.not_posted(first, 0),
        lambda: ledger.postpone(first, DUE, "", counted=True),
        lambda: ledger.finish(first, "sent", DUE),
    )
    for lost in writes:
        with pytest.raises(LeaseLost):
            lost()
    ledger.give_back(first)
    assert not ledger.claimable(DUE + BUILDING)


def test_once_it_has_parts_a_delivery_is_leased_for_the_time_of_one(ledger: Ledger) -> None:
    frozen(ledger)
    assert claimed(ledger, DUE + LEASE).lease_until == DUE + 2 * LEASE


def test_the_first_id_that_is_recorded_stands_whoever_holds_the_claim(ledger: Ledger) -> None:
    first = frozen(ledger)
    ledger.begin(first, 0, DUE, LEASE)
    second = claimed(ledger, DUE + LEASE, "b")
    late = ledger.record(first, 0, "1.0", DUE, LEASE)
    assert (late.remote_id, late.held) == ("1.0", False)
    own = ledger.record(second, 0, "2.0", DUE, LEASE)
    assert (own.remote_id, own.held) == ("1.0", True)
    assert ledger.parts(first.id)[0].remote_id == "1.0"


def test_nothing_is_recorded_for_a_delivery_that_has_ended(ledger: Ledger) -> None:
    first = frozen(ledger)
    second = claimed(ledger, DUE + LEASE, "b")
    ledger.finish(second, "cancelled", DUE)
    assert ledger.record(first, 0, "1.0", DUE, LEASE).remote_id is None


def test_the_first_attempt_is_remembered(ledger: Ledger) -> None:
    claim = frozen(ledger)
    ledger.begin(claim, 0, DUE, LEASE)
    ledger.not_posted(claim, 0)
    assert ledger.parts(claim.id)[0].state == "planned"
    ledger.begin(claim, 0, DUE + MINUTE, LEASE)
    assert (ledger.parts(claim.id)[0].state, ledger.parts(claim.id)[0].attempted_at) == ("sending", DUE)


def test_what_is_postponed_waits_and_counts_its_tries(ledger: Ledger) -> None:
    ledger.plan([make_plan()], DUE)
    ledger.postpone(claimed(ledger), DUE + MINUTE, "why", counted=True)
    assert not ledger.claimable(DUE)
    assert [(one.tries, one.note) for one in ledger.of_state("planned")] == [(1, "why")]
    ledger.postpone(claimed(ledger, DUE + MINUTE), DUE + MINUTE, "why", counted=False)
    claim = claimed(ledger, DUE + MINUTE)
    assert claim.tries == 2
    ledger.freeze(claim, PARTS, DUE, LEASE)
    ledger.begin(claim, 0, DUE, LEASE)
    ledger.postpone(claim, DUE + MINUTE, "why", counted=False)
    assert len(ledger.of_state("sending")) == 1


def test_only_what_is_parked_is_released(ledger: Ledger) -> None:
    claim = frozen(ledger)
    ledger.begin(claim, 0, DUE, LEASE)
    assert not ledger.release(claim.id, DUE)
    ledger.finish(claim, "parked", DUE, "look")
    assert not ledger.claimable(DUE + timedelta(days=1))
    assert ledger.release(claim.id, DUE + MINUTE)
    assert not ledger.release(claim.id, DUE + MINUTE)
    (released,) = ledger.of_state("planned")
    assert (released.note, released.planned_at, released.tries) == (None, DUE + MINUTE, 0)
    assert [part.state for part in ledger.parts(claim.id)] == ["released", "planned", "planned"]


def test_a_release_has_a_digest_built_anew_of_which_nothing_was_posted(ledger: Ledger) -> None:
    claim = frozen(ledger)
    ledger.freeze(claim, [NewPart(NOTICE, "f" * 64, "{}")], DUE, LEASE)
    ledger.finish(claim, "parked", DUE, "refused")
    assert len(ledger.parts(claim.id)) == 4
    assert ledger.release(claim.id, DUE)
    assert ledger.parts(claim.id) == ()


def test_what_was_given_up_later_than_now_is_planned_anew(ledger: Ledger) -> None:
    ledger.plan([make_plan(state="expired", note="missed")], DUE + timedelta(days=21))
    ledger.plan([make_plan(state="expired")], DUE)
    assert ledger.of_state("planned") == ()
    ledger.plan([make_plan()], DUE)
    (planned,) = ledger.of_state("planned")
    assert (planned.planned_at, planned.finished_at, planned.note) == (DUE, None, None)
    ledger.plan([make_plan(subscription="s2", state="expired")], DUE - MINUTE)
    ledger.plan([make_plan(subscription="s2")], DUE)
    assert len(ledger.of_state("planned")) == 1
    ledger.plan([make_plan(subscription="s3", state="expired")], DUE + timedelta(days=21))
    ledger.plan([make_plan(subscription="s3", state="skipped")], DUE)
    assert [one.finished_at for one in ledger.of_state("skipped")] == [DUE]


def test_settled_periods_are_told_by_subscription(ledger: Ledger) -> None:
    before = WEEK.before()
    ledger.plan([make_plan(period=before, state="expired"), make_plan(), make_plan(subscription="s2")], DUE)
    recent = ledger.settled(WEEK.since + timedelta(hours=1))
    assert {name: len(found) for name, found in recent.items()} == {"s1": 1, "s2": 1}
    assert {(one.since, one.expired_at) for one in ledger.settled_of("s1")} == {(before.since, DUE), (WEEK.since, None)}


def test_a_digest_is_known_by_its_root(ledger: Ledger) -> None:
    claim = sent(ledger)
    found = ledger.posted_at("slack", "C1", f"{claim.id}.0")
    assert found is not None
    assert (found.id, found.state, found.finished_at, found.period) == (claim.id, "sent", DUE, WEEK)
    assert {part.body for part in ledger.parts(claim.id)} == {""}
    for other in (("slack", "C1", f"{claim.id}.1"), ("slack", "C2", f"{claim.id}.0"), ("lark", "C1", f"{claim.id}.0")):
        assert ledger.posted_at(*other) is None


def test_a_digest_is_known_by_its_root_while_its_replies_are_posted(ledger: Ledger) -> None:
    claim = frozen(ledger)
    assert ledger.last("slack", "C1") is None
    ledger.record(claim, 0, "1.0", DUE, LEASE)
    for known in (ledger.posted_at("slack", "C1", "1.0"), ledger.last("slack", "C1")):
        assert known is not None
        assert known.state == "sending"


def test_the_latest_digest_that_cites_a_pull_request_is_found(ledger: Ledger) -> None:
    after = Period(WEEK.until, WEEK.until + timedelta(days=7), WEEK.timezone)
    old, new = sent(ledger), sent(ledger, period=after, due_at=DUE + timedelta(days=7))
    url = "https://git.example.com/2"
    assert ledger.citing("slack", "C1", url) == Citation(f"{new.id}.0", f"{new.id}.2")
    assert ledger.citing("slack", "C2", url) is None
    for stranger in ("https://git.example.com/", "https://git.example.com/21", "%", 'a"', ""):
        assert ledger.citing("slack", "C1", stranger) is None
    last = ledger.last("slack", "C1")
    assert last is not None
    assert last.id == new.id
    assert [one.id for one in ledger.of_subscription("s1")] == [new.id, old.id]


def test_the_last_part_that_cites_is_the_place(ledger: Ledger) -> None:
    ledger.plan([make_plan()], DUE)
    claim = claimed(ledger)
    url = "https://git.example.com/pull/7"
    ledger.freeze(claim, [replace(part, cites=("https://x.example.com/1", url)) for part in PARTS], DUE, LEASE)
    ledger.record(claim, 0, "1.0", DUE, LEASE)
    assert ledger.citing("slack", "C1", url) == Citation("1.0", "1.0")
    ledger.record(claim, 1, "1.1", DUE, LEASE)
    assert ledger.citing("slack", "C1", url) == Citation("1.0", "1.1")


def test_every_state_is_counted(ledger: Ledger) -> None:
    sent(ledger)
    ledger.plan([make_plan(channel="C2")], DUE)
    zero = {"sending": 0, "parked": 0, "cancelled": 0, "expired": 0, "skipped": 0}
    assert ledger.counts() == {"planned": 1, "sent": 1, **zero}


def test_naive_instants_are_refused(ledger: Ledger) -> None:
    with pytest.raises(ValueError, match="time zone"):
        ledger.plan([make_plan()], datetime(2026, 1, 12, 9))  # noqa: DTZ001 - that is the point


def test_on_postgresql_what_others_have_locked_is_passed_over(tmp_path: Path) -> None:
    with addressed(POSTGRESQL, tmp_path) as address, Store.open(address) as store, session(address) as other:
        store.ledger().plan([make_plan(), make_plan(channel="C2")], DUE)
        other.execute(b"SELECT id FROM deliveries WHERE channel = 'C1' FOR UPDATE")
        assert claimed(store.ledger()).channel == "C2"
        assert store.ledger().claim("b", DUE, LEASE, BUILDING) is None


def test_replicas_that_plan_the_same_in_any_order_do_not_wait_for_each_other(address: str) -> None:
    plans = [make_plan(channel=f"C{number}") for number in range(50)]
    with Store.open(address) as one, Store.open(address) as other, ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            work = [(one, plans), (other, plans[::-1]), (one, plans[25:] + plans[:25]), (other, plans)]
            list(pool.map(lambda pair: pair[0].ledger().plan(pair[1], DUE), work))
        assert len(one.ledger().of_state("planned")) == 50


def test_an_address_is_cited_as_it_is_written(ledger: Ledger) -> None:
    sent(ledger)
    assert ledger.citing("slack", "C1", "https://git.example.com/2") is not None
    assert ledger.citing("slack", "C1", "https://GIT.example.com/2") is None


def test_two_stores_on_one_database_share_the_ledger(address: str) -> None:
    with Store.open(address) as one, Store.open(address) as other:
        one.ledger().plan([make_plan()], DUE)
        other.ledger().plan([make_plan()], DUE.astimezone(UTC))
        assert len(other.ledger().of_state("planned")) == 1
        claimed(one.ledger())
        assert other.ledger().claim("b", DUE, LEASE, BUILDING) is None
