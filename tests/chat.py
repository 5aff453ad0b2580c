"""A team's chat for tests of what is said there: repositories, subscriptions, posted digests, and a platform."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Any

from bot.analysis import assess, rules
from bot.conversing.respond import Conversing
from bot.conversing.scene import Surroundings
from bot.dispatch import Subject
from bot.message import Heading, Message
from bot.models import Period, PullRequest, Reading, Release
from bot.ports import Incoming, Part, Reply
from bot.rendering.plain import to_plain
from bot.store.ledger import NewPart, Plan
from bot.store.store import Store
from bot.store.subscriptions import Subscription, subscription_id
from bot.team import Team, Visibility
from bot.text import Wording
from tests.factories import PERIOD, WEDNESDAY, make_pr

ENGINE, WEB, SECRET = "acme/engine", "acme/web-ui", "acme/secret"
NOW = PERIOD.until + timedelta(hours=10)
RULES = rules.load()


@dataclass
class Rooms:
    """A chat platform that keeps what is posted. Who is where, and who reads along, is what it was told."""

    name: str = "slack"
    members: dict[tuple[str, str], bool | None] = field(default_factory=dict)
    externals: dict[str, bool | None] = field(default_factory=dict)
    posted: list[tuple[str, Message, str | None]] = field(default_factory=list)

    def parts(self, message: Message) -> tuple[Part, ...]:
        return (Part(to_plain(message)),)

    def send(self, channel: str, part: Part, key: str, thread: str | None = None, since: datetime | None = None) -> str:
        raise NotImplementedError

    def find(self, channel: str, key: str, since: datetime, thread: str | None = None) -> str | None:
        raise NotImplementedError

    def withdraw(self, channel: str, message: str) -> None:
        raise NotImplementedError

    def post(self, channel: str, message: Message, thread: str | None = None) -> str:
        self.posted.append((channel, message, thread))
        return f"{len(self.posted)}.0"

    def permalink(self, channel: str, message: str) -> str | None:
        return f"https://chat.example/{channel}/{message}"

    def external(self, channel: str) -> bool | None:
        return self.externals.get(channel, False)

    def shares(self, channel: str, user: str) -> bool | None:
        return self.members.get((channel, user), False)


@dataclass
class House:
    """Repositories in a store, channels that subscribe to them, and the bot among them."""

    store: Store
    repositories: Mapping[str, Visibility | None]
    rooms: Rooms = field(default_factory=Rooms)
    admins: tuple[str, ...] = ("slack:UADMIN",)

    @property
    def bot(self) -> Conversing:
        catalogue = {name: subject(name) for name in self.repositories}
        team = Team("Asia/Shanghai", self.repositories, self.admins)
        return Conversing(Surroundings(self.store, catalogue, team, {"slack": self.rooms}, lambda: NOW))

    def subscribe(self, channel: str, *repositories: str, **changes: Any) -> Subscription:
        defaults: dict[str, Any] = {"day": 0, "time": time(9), "timezone": "Asia/Shanghai", "added_at": NOW}
        one = Subscription(
            subscription_id("slack", channel, repositories), "slack", channel, repositories, **(defaults | changes)
        )
        return self.store.subscriptions().add(one, "slack:UADMIN", NOW)

    def post_digest(self, one: Subscription, root: str, cites: Iterable[str] = (), period: Period = PERIOD) -> None:
        """Enter a digest as posted: its root, and a card in its thread for each address."""
        ledger = self.store.ledger()
        ledger.plan([Plan("slack", one.channel, one.id, period, one.repositories, NOW)], NOW)
        lease = timedelta(minutes=1)
        claim = ledger.claim("test", NOW, lease, lease)
        assert claim is not None
        cards = [(f"{root}-card-{place}", (url,)) for place, url in enumerate(cites, 1)]
        parts = [(root, ()), *cards]
        new = [NewPart(place, f"{claim.id}-{place}", "{}", found) for place, (_, found) in enumerate(parts)]
        ledger.freeze(claim, new, NOW, lease)
        for place, (remote, _) in enumerate(parts):
            ledger.begin(claim, place, NOW, lease)
            ledger.record(claim, place, remote, NOW, lease)
        ledger.finish(claim, "sent", NOW)

    def say(self, text: str, **changes: Any) -> Reply | None:
        """Say something in the channel C1; addressed to the bot unless told otherwise."""
        defaults: dict[str, Any] = {"channel": "C1", "user": "U1", "message": "9.9", "external": False}
        return self.bot.respond(Incoming("slack", text=text, **(defaults | changes)))

    def command(self, text: str, **changes: Any) -> Reply:
        """Type a slash command, which only the asker will see answered."""
        reply = self.say(f"/digest {text}".strip(), **({"private": True, "message": None, "external": None} | changes))
        assert reply is not None
        return reply


def subject(name: str) -> Subject:
    return Subject(name, Reading(), RULES, Wording(lambda number: url_of(name, number)))


def url_of(name: str, number: int) -> str:
    return f"https://github.example/{name}/pull/{number}"


def fill(store: Store, name: str, pull_requests: Iterable[PullRequest], releases: Iterable[Release] = ()) -> None:
    """Store a repository's pull requests, assessed, and its history as complete up to NOW."""
    since = PERIOD.before(14).since
    found = tuple(pull_requests)
    store.save_history(name, found)
    store.save_assessments(name, assess.assess(store.pull_requests(name, since, NOW), RULES, since) if found else ())
    store.save_releases(name, releases)
    store.mark_covered(name, since, NOW, source="clone", synced_at=NOW)


def three_repositories() -> House:
    """engine and web-ui have each a pull request 7; engine has 1 to 3, web-ui 101 and 102, secret 201."""
    store = Store.in_memory()
    released = Release("v1.0", WEDNESDAY - timedelta(days=30), WEDNESDAY - timedelta(days=31))
    fill(
        store,
        ENGINE,
        [
            make_pr(1, "Rework the scheduler loop", files={"engine/scheduler.py": (400, 20)}),
            make_pr(2, "Fix a crash in the cache", files={"engine/cache.py": (40, 5)}),
            make_pr(3, "Speed up the scheduler", files={"engine/scheduler.py": (50, 5)}),
            make_pr(7, "Add fp8 kernels", files={"engine/kernels/fp8.py": (200, 0)}),
        ],
        [released],
    )
    fill(
        store,
        WEB,
        [
            make_pr(101, "Redraw the dashboard", files={"ui/dashboard.ts": (300, 10)}),
            make_pr(102, "Fix the login form", files={"ui/login.ts": (30, 5)}),
            make_pr(7, "Bump the toolchain", files={"package.json": (1, 1)}),
        ],
    )
    fill(store, SECRET, [make_pr(201, "Hide the vault", files={"vault/door.py": (90, 1)})])
    return House(store, {ENGINE: "public", WEB: None, SECRET: "private"})


def text_of(reply: Reply | None) -> str:
    assert reply is not None
    return to_plain(reply.message)


def urls_in(reply: Reply | None) -> set[str]:
    """Every address that a reply links."""
    assert reply is not None
    return {span.url for span in reply.message.spans() if hasattr(span, "url")}


def headings(reply: Reply | None) -> list[str]:
    """The headings of a reply, as text."""
    assert reply is not None
    return ["".join(span.text for span in one.spans) for one in reply.message.blocks if isinstance(one, Heading)]
