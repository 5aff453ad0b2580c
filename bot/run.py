"""The running bot: everything that the configuration asks for, started in order and stopped in reverse."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic

from bot import schedule
from bot.apart import EditionsApart
from bot.apology import apologising
from bot.catalogue import catalogue
from bot.chats import Chat, chats_of, page_of
from bot.clock import Clock
from bot.config import Config, load
from bot.conversing.respond import Conversing
from bot.conversing.scene import Surroundings
from bot.deadline import within
from bot.delivery.gate import Gate
from bot.delivery.patience import Patience
from bot.delivery.planning import Planner
from bot.delivery.rounds import Rounds
from bot.delivery.sending import Deliverer
from bot.inbox import Inbox
from bot.logs import log_to_stderr
from bot.metrics import Metrics
from bot.onboarding import Onboarding
from bot.permitted import Permitted
from bot.ports import Incoming, Joined, Reply
from bot.refreshing import Refreshing
from bot.server import Listener
from bot.signals import Stop
from bot.store.exclusive import exclusive
from bot.store.store import Store
from bot.subscriptions import calendar_of, configured
from bot.team import Team
from bot.turns import in_turn
from bot.web import Check, application
from bot.workers import Workers

TICK = 10.0
"""Seconds; what a dead process left in the inbox is looked for as often."""

PATIENCE = Patience()
"""How long deliveries wait for what."""

_ANSWER = 30.0  # seconds until an answer is given up
_DEADLINE = 20.0  # seconds that stopping may take; most supervisors kill after 30
_HANDLERS, _WAITING = 16, 500  # most of a handler's time is spent waiting for Slack
_AT_ONCE = 1  # answers that are computed: two would take as long each, and acknowledgements longer
_SWITCH = 0.0002  # seconds for which a thread that computes keeps the others waiting; 0.005 made acknowledgements slow
_DELIVERERS = 4

_log = logging.getLogger(__name__)


class Bot:
    """Everything that runs, built but not started. `stop` ends what `start` began, also where that failed half way."""

    def __init__(self, config: Config, store: Store, chats: Mapping[str, Chat], now: Callable[[], datetime]) -> None:
        """Raises ListenError, RulesError and StoreError."""
        self._store = store
        self._now = now
        self._chats = chats
        self._intake: list[Callable[[float], bool]] = []  # stops of what brings work in
        self._subscriptions = store.subscriptions()
        self._subscriptions.seed(configured(config, now()), now())
        team, listed = Team.of(config), catalogue(config)
        self._page = page_of(config, store, self._respond, now)
        platforms = {name: chat.platform for name, chat in chats.items()}
        if self._page is not None:
            platforms["local"] = self._page.platform
        commands = {} if config.slack is None else {"slack": config.slack.command}
        subjects = {name: one.subject for name, one in listed.items()}
        self._editions = EditionsApart(config, now, PATIENCE.building)
        self._refreshing = Refreshing(self._editions, self._subscriptions.all, now)
        self._ledger = store.ledger()
        allowed = Permitted(platforms, store.channels(), team)
        self._deliverers = Workers("deliver", threads=_DELIVERERS, waiting=0)
        self._rounds = Rounds(
            Planner(self._ledger, self._subscriptions.all, now),
            Deliverer(
                self._ledger,
                Gate(platforms, self._subscriptions.of, allowed),
                self._editions.of,
                now,
                PATIENCE,
            ),
            self._deliverers,
            threads=_DELIVERERS,
        )
        self._onboarding = Onboarding(store, platforms, team, self._rounds.first, now, commands)
        self._clock = Clock(self._tick, seconds=TICK)
        self._metrics = Metrics(self._ledger.counts, lambda: self._clock.last_tick)
        surroundings = Surroundings(store, subjects, team, platforms, now, commands)
        self._conversing = Conversing(surroundings)
        respond = self._metrics.timing(apologising(within(in_turn(self._respond, _AT_ONCE), _ANSWER)), monotonic)
        kept = store.inbox()
        self._inboxes = {
            name: Inbox(
                name,
                kept,
                Workers(name, threads=_HANDLERS, waiting=_WAITING),
                partial(chat.handle, respond=respond, joined=self._joined),
                now,
            )
            for name, chat in chats.items()
        }
        alive: dict[str, Check] = {"clock": self._clock.problem}
        ready: dict[str, Check] = {"last tick": self._clock.failure}
        alive |= {name: chat.alive for name, chat in chats.items()}
        ready |= {f"{name} connection": chat.ready for name, chat in chats.items()}
        self._web = application(alive, ready, self._metrics.text, ())
        self._listener = Listener("server", self._web, config.server.host, config.server.port)

    @property
    def url(self) -> str:
        """Where the server listens."""
        return self._listener.url

    def start(self) -> None:
        """Handle what was left, receive, and tick. Raises StoreError, and what a platform raises that cannot start."""
        for name, chat in self._chats.items():
            take = self._metrics.keeping(name, self._inboxes[name].take, monotonic)
            self._web.routes.extend(chat.start(take))
            self._intake.append(partial(_ended, chat))
        if self._page is not None:
            self._page.start()
            self._intake.append(self._page.stop)
        self._listener.start()
        self._intake.append(self._listener.stop)
        self._owe_first()
        self._clock.start()
        self._intake.append(self._clock.stop)

    def stop(self, deadline: float) -> bool:
        """Take nothing in, finish what runs, let go of the rest; False when that takes longer than `deadline` s."""
        end = monotonic() + deadline
        left: Callable[[], float] = lambda: max(0.5, end - monotonic())  # noqa: E731 - its type is worth a line
        self._rounds.stop()
        inboxes = [inbox.stop for inbox in self._inboxes.values()]
        steps = [*self._intake, *inboxes, self._deliverers.stop, self._refreshing.stop]
        done = [step(left()) for step in steps]  # every one of them, whether or not the one before was in time
        self._editions.stop()
        return all(done)

    def _respond(self, incoming: Incoming) -> Reply | None:
        return self._conversing.respond(incoming)

    def _tick(self) -> None:
        for inbox in self._inboxes.values():
            inbox.redo()
        self._rounds.tick()
        self._refreshing.tick()

    def _owe_first(self) -> None:
        """Post last week's digest to who was never sent one, unless the next one on the timetable is that digest."""
        now = self._now()
        for one in self._subscriptions.all():
            if self._ledger.of_subscription(one.id, 1) or schedule.comes_by_itself(now, one, calendar_of(one)):
                continue
            self._rounds.first(one)

    def _joined(self, joined: Joined) -> None:
        """Welcome a channel; what could not be posted there because the bot was not in it is tried again."""
        self._onboarding.joined(joined)
        for one in self._ledger.of_state("parked"):
            if (one.platform, one.channel) == (joined.platform, joined.channel):
                self._ledger.release(one.id, self._now())
        self._rounds.wake()


def _ended(chat: Chat, _deadline: float) -> bool:
    chat.stop()
    return True


def run_until_stopped(path: Path, environ: Mapping[str, str]) -> None:
    """Run the bot of a configuration until SIGTERM or Ctrl-C.

    Raises ConfigError, ListenError, RulesError, StoreError, UsageError, and SlackStartError.
    """
    stop = Stop()
    config = load(path, environ)
    log_to_stderr(config.secrets())
    sys.setswitchinterval(_SWITCH)
    with running(config) as bot:
        _log.info("running; health at %shealthz", bot.url)
        stop.wait()
        _log.info("stopping")


@contextmanager
def running(config: Config) -> Iterator[Bot]:
    """A bot that runs until the block is left. Raises as `run_until_stopped`."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)  # noqa: E731 - its type is worth a line
    url = config.database.url.get_secret_value()
    with exclusive(url), Store.open(url) as store:
        bot = Bot(config, store, chats_of(config), now)
        try:
            bot.start()
            yield bot
        finally:
            if not bot.stop(_DEADLINE):
                _log.warning("stopped before everything was finished; the next start goes on with it")
