"""Which repositories may be spoken of where, and why none may."""

from __future__ import annotations

from datetime import UTC, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversing.audience import Membership, of_channel, of_direct
from bot.store.subscriptions import Subscription
from bot.team import Visibility, may_show

VISIBILITY: dict[str, Visibility | None] = {"a/public": "public", "a/unsaid": None, "a/private": "private"}


def subscription(*repositories: str) -> Subscription:
    added = datetime(2026, 3, 2, tzinfo=UTC)
    return Subscription("-".join(repositories), "slack", "C1", repositories, 0, time(9), "Asia/Shanghai", added)


@pytest.mark.parametrize(
    ("external", "shown"),
    [(True, {"a/public"}), (None, {"a/public", "a/unsaid"}), (False, {"a/public", "a/unsaid", "a/private"})],
)
def test_what_may_be_shown_depends_on_who_reads_along(external: bool | None, shown: set[str]) -> None:
    assert {name for name, seen in VISIBILITY.items() if may_show(seen, external=external)} == shown


@pytest.mark.parametrize(
    ("repositories", "external", "reason", "withheld"),
    [
        ((), False, "no_subscription", False),
        (("a/gone",), False, "no_subscription", False),
        (("a/private", "a/unsaid"), True, "only_public", True),
        (("a/private",), None, "maybe_shared", True),
        (("a/private", "a/unsaid"), None, None, True),
        (("a/private",), False, None, False),
    ],
)
def test_a_channel_is_told_why_it_sees_nothing(
    repositories: tuple[str, ...], external: bool | None, reason: str | None, withheld: bool
) -> None:
    subscriptions = [subscription(*repositories)] if repositories else []
    found = of_channel(subscriptions, VISIBILITY, external=external)
    assert (found.reason, found.withheld) == (reason, withheld)


@pytest.mark.parametrize(
    ("shared", "reason"),
    [
        ([], "no_shared_channel"),
        ([False, False], "no_shared_channel"),
        ([None, False], "unknown_membership"),
        ([True, None], None),
    ],
)
def test_a_direct_message_is_told_why_it_sees_nothing(shared: list[bool | None], reason: str | None) -> None:
    memberships = [Membership((subscription("a/public"),), one, False) for one in shared]
    assert of_direct(memberships, VISIBILITY, external=None).reason == reason


def test_a_direct_message_sees_what_each_shared_channel_may_show() -> None:
    inside = Membership((subscription("a/private"),), shared=True, external=False)
    outside = Membership((subscription("a/public", "a/unsaid"),), shared=True, external=True)
    other = Membership((subscription("a/unsaid"),), shared=False, external=False)
    assert of_direct([inside, outside, other], VISIBILITY, external=None).repositories == ("a/private", "a/public")
    assert of_direct([inside, outside, other], VISIBILITY, external=True).repositories == ("a/public",)
    assert of_direct([outside], VISIBILITY, external=False).withheld


@given(
    st.lists(st.tuples(st.sets(st.sampled_from(sorted(VISIBILITY))), st.sampled_from([True, False, None]))),
    st.sampled_from([True, False, None]),
)
def test_nothing_is_seen_that_no_subscription_holds(
    channels: list[tuple[set[str], bool | None]], external: bool | None
) -> None:
    memberships = [Membership((subscription(*sorted(names)),), shared, external) for names, shared in channels]
    found = of_direct(memberships, VISIBILITY, external=external)
    held = {name for names, shared in channels if shared for name in names}
    assert set(found.repositories) <= {name for name in held if may_show(VISIBILITY[name], external=external)}
    assert (found.reason is None) == bool(found.repositories)
