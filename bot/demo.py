"""The whole bot with nothing configured: the bundled sample, a temporary database, the local page."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from bot import jobs
from bot.analysis import rules
from bot.digest.build import Digest, build
from bot.digest.posting import messages_of
from bot.dispatch import Context, Subject, respond
from bot.local_page import LocalPage, open_page, suggestions
from bot.models import Period, Reading
from bot.periods import last_week
from bot.platforms.local.settings import Channel, Settings
from bot.ports import ChatPlatform, Incoming, Progress, Reply
from bot.signals import Stop
from bot.sources.sample import REPOSITORY, SampleSource
from bot.store.store import Store
from bot.text import Wording, term
from handlers import HANDLERS
from handlers.ask import categories_of
from handlers.ask import handle as ask

HOST = "127.0.0.1"
TIMEZONE = "Asia/Shanghai"
_CHANNEL = "sample"
_DEADLINE = 5.0


@contextmanager
def demo(now: datetime, port: int, progress: Progress) -> Iterator[LocalPage]:
    """The page with last week's digest of the sample posted, until the block is left.

    Raises `bot.server.ListenError` when the port cannot be had. Everything is gone afterwards.
    """
    with TemporaryDirectory(prefix="digest-bot-") as folder, Store.open(f"sqlite:///{folder}/demo.db") as store:
        period, subject = last_week(now, TIMEZONE), _subject()
        _read_sample(store, subject, period, now, progress)
        page = open_page(
            _settings(subject),
            store.conversations(),
            _responder(store, subject, period, now),
            host=HOST,
            port=port,
            now=lambda: datetime.now(UTC),
        )
        post_digest(page.platform, _CHANNEL, _digest(store, subject, period))
        page.start()
        try:
            yield page
        finally:
            page.stop(_DEADLINE)


def run_demo(now: datetime, port: int, progress: Progress, *, browser: bool) -> None:
    """Show the demo until the process is asked to stop (Ctrl-C or SIGTERM); its address goes to stderr."""
    stop = Stop()
    with demo(now, port, progress) as page:
        sys.stderr.write(f"digest-bot: {page.url} (Ctrl-C stops)\n")
        if browser:
            webbrowser.open(page.url)
        stop.wait()


def post_digest(platform: ChatPlatform, channel: str, digest: Digest) -> str:
    """Post the root, and in its thread the charts and the sections in their order; returns the root's id."""
    first, *rest = messages_of(digest, correctable=False)
    root = platform.post(channel, first)
    for message in rest:
        platform.post(channel, message, root)
    return root


def _subject() -> Subject:
    return Subject(
        REPOSITORY,
        Reading("upstream", ("windlass/kernels",), None),
        rules.load(),
        Wording(lambda number: f"https://github.com/{REPOSITORY}/pull/{number}"),
    )


def _read_sample(store: Store, subject: Subject, period: Period, now: datetime, progress: Progress) -> None:
    source = SampleSource(now, TIMEZONE)
    target = jobs.Target(subject.name, source, store, subject.rules)
    jobs.sync(target, source.begins_at(), now, now=now, progress=progress)
    jobs.read_diffs(target, period.since, period.until, progress)


def _digest(store: Store, subject: Subject, period: Period) -> Digest:
    return build(store.load_week(subject.name, period, subject.reading), subject.rules, subject.wording)


def _responder(store: Store, subject: Subject, period: Period, now: datetime) -> Callable[[Incoming], Reply]:
    context = Context(store, {subject.name: subject}, period, now, is_admin=True)
    return lambda incoming: Reply(respond(context, incoming.text, HANDLERS, ask).message)


def _settings(subject: Subject) -> Settings:
    channel = Channel(_CHANNEL, term("channel", "demo"), (subject.name,))
    examples = tuple(term(name, "demo") for name in ("risk-example", "tag-example", "file-example"))
    return Settings((channel,), ZoneInfo(TIMEZONE), suggestions(set(HANDLERS), categories_of(subject.rules)), examples)
