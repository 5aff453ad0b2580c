"""The command line: nothing but arguments and printing. What it does is in `bot/app.py`."""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from bot.desks import CloneDesk, Dates, StoreDesk

# What a command does is imported when it runs: --help needs none of it.
# ruff: noqa: PLC0415
# A command's parameters are its options; what it returns is printed.
# ruff: noqa: PLR0917

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="A weekly pull-request digest in Chinese for Slack and Lark.",
)
database = typer.Typer(rich_markup_mode=None, help="Migrations and copies of the database.")
app.add_typer(database, name="db")
manifests = typer.Typer(rich_markup_mode=None, help="What to paste where a chat platform asks what the bot may do.")
app.add_typer(manifests, name="manifest")

_INTERRUPTED = 130


class Format(StrEnum):
    """How the answer is printed."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    SLACK = "slack"


MaybeConfig = Annotated[Path | None, typer.Option("--config", help="The configuration whose store is read.")]
Config = Annotated[Path, typer.Option("--config", help="The configuration.")]
Clone = Annotated[Path | None, typer.Option(help="A local git clone, read into memory; nothing is written.")]
Repository = Annotated[str | None, typer.Option(help="OWNER/NAME; may be left out when one is configured.")]
Since = Annotated[str | None, typer.Option(help="The first day, such as 2026-04-05.")]
Until = Annotated[str | None, typer.Option(help="The day after the last one.")]
Timezone = Annotated[str | None, typer.Option(help="An IANA zone, such as Asia/Shanghai.")]
Form = Annotated[Format, typer.Option("--format", help="How it is printed.")]


@app.command()
def demo(
    port: Annotated[int, typer.Option(help="The port on 127.0.0.1; 0 takes a free one.")] = 8081,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> str:
    """Run the whole bot with nothing configured, on an invented repository, until Ctrl-C."""
    from bot.demo import run_demo
    from bot.progress import TerminalProgress

    with TerminalProgress() as progress:
        run_demo(datetime.now(UTC), port, progress, browser=browser)
    return "stopped"


@app.command()
def run(config: Config) -> str:
    """Run the bot until it is asked to stop (Ctrl-C or SIGTERM)."""
    from bot.run import run_until_stopped

    run_until_stopped(config, dict(os.environ))
    return "stopped"


@app.command()
def digest(
    config: MaybeConfig = None,
    clone: Clone = None,
    repository: Repository = None,
    since: Since = None,
    until: Until = None,
    timezone: Timezone = None,
    form: Form = Format.TEXT,
) -> str:
    """Print a digest; without dates, of the last whole week."""
    from bot.printing import printed_digest

    with _desk(config, clone, repository, _dates(since, until, timezone)) as desk:
        finished = desk.digest()
    return printed_digest(finished, form.value)


@app.command()
def command(
    text: Annotated[str, typer.Argument(help='What would be typed, such as "/digest risks".')],
    config: MaybeConfig = None,
    clone: Clone = None,
    repository: Repository = None,
    since: Since = None,
    until: Until = None,
    timezone: Timezone = None,
    channel: Annotated[str | None, typer.Option(help="Answer as this configured channel would see it.")] = None,
    form: Form = Format.TEXT,
) -> str:
    """Answer a command as a channel would see it."""
    from bot.printing import printed_answer

    with _desk(config, clone, repository, _dates(since, until, timezone), channel) as desk:
        answer = desk.answer(text)
    return printed_answer(answer, form.value)


@app.command()
def sync(
    config: Config,
    repository: Repository = None,
    since: Since = None,
    until: Until = None,
    timezone: Timezone = None,
) -> str:
    """Fetch and assess; without dates, this week and the 13 before."""
    from bot.app import sync_configured
    from bot.progress import TerminalProgress

    with TerminalProgress() as progress:
        done = sync_configured(config, _dates(since, until, timezone), repository, dict(os.environ), progress)
    return "\n".join(f"{name}: {count} pull requests and direct commits read" for name, count in done.items())


@app.command()
def status(config: Config, form: Form = Format.TEXT) -> str:
    """Say when the next digests come, what became of the last ones, and how old the data is."""
    from bot.app import status as asked
    from bot.printing import printed_answer

    return printed_answer(asked(config, _dates(None, None, None), dict(os.environ)), form.value)


@manifests.command()
def slack(
    config: MaybeConfig = None,
    public_url: Annotated[str | None, typer.Option(help="Where Slack reaches the bot, for mode: http.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say what each permission is for instead.")] = False,
) -> str:
    """Print the app manifest to paste at api.slack.com, for Socket Mode unless the configuration says http."""
    from bot.app import slack_manifest

    return slack_manifest(config, dict(os.environ), public_url=public_url, explain=explain)


@database.command()
def upgrade(config: Config) -> str:
    """Bring the database to this version's schema; a copy of it is made first."""
    from bot.app import upgrade_database

    return upgrade_database(config, dict(os.environ))


@database.command()
def backup(
    config: Config,
    destination: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
) -> str:
    """Write a consistent copy of the database, also while the bot runs."""
    from bot.app import backup_database

    backup_database(config, destination, dict(os.environ))
    return f"written: {destination}"


@contextmanager
def _desk(
    config: Path | None, clone: Path | None, repository: str | None, dates: Dates, channel: str | None = None
) -> Iterator[CloneDesk | StoreDesk]:
    from bot.app import clone_desk, store_desk
    from bot.desks import UsageError
    from bot.progress import TerminalProgress

    if (config is None) == (clone is None):
        raise UsageError("give either --config FILE, or --clone DIR with --repository OWNER/NAME")
    with TerminalProgress() as progress:
        if config is not None:
            with store_desk(config, dates, repository, channel, environ=dict(os.environ), progress=progress) as desk:
                yield desk
        elif clone is not None:
            if repository is None:
                raise UsageError("--clone needs --repository OWNER/NAME: pull-request links are made from it")
            yield clone_desk(clone, repository, dates, progress)


def _dates(since: str | None, until: str | None, timezone: str | None) -> Dates:
    from bot.desks import Dates

    return Dates(since, until, timezone, datetime.now(UTC))


def main() -> None:
    """Run the command line. Exit 0: done; 2: the user can fix it, one line on stderr; 1: disk, network, our bug."""
    try:
        done = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        if done == _INTERRUPTED:
            raise KeyboardInterrupt  # noqa: TRY301 - typer turned it into its exit code
        if isinstance(done, int):  # after --help
            sys.exit(done)
        _print(done)
    except typer.TyperException as error:
        said = " ".join(error.format_message().removesuffix(".").split())
        _leave(f"{said}: see digest-bot --help", 2)
    except KeyboardInterrupt:
        _leave("interrupted: what was stored is kept, running it again completes it", _INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the boundary: every failure leaves with its line and code
        _fail(error)


def _print(text: str) -> None:
    """Write an answer in the terminal's encoding; one that cannot hold Chinese is taken for UTF-8, as most read it."""
    if isinstance(sys.stdout, TextIOWrapper):
        codecs.register_error("escape", _escape)
        sys.stdout.reconfigure(encoding=_encoding(sys.stdout.encoding), errors="escape")
    try:
        print(text, flush=True)  # noqa: T201 - the one place that prints
    except OSError as error:
        # The interpreter would try again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            sys.exit(1)  # the reader left; nothing more to say
        _leave(f"the answer could not be written: {error.strerror}", 1)


def _encoding(preferred: str) -> str:
    try:
        "摘要".encode(preferred)
    except UnicodeEncodeError:
        return "utf-8"
    return preferred


def _escape(error: UnicodeError) -> tuple[str, int]:
    """What the encoding lacks (an emoji in GBK, half a surrogate pair) as JSON writes it: valid in every format."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _fail(error: Exception) -> None:
    from bot.app import explained

    line, code = explained(error)
    if line is None:
        raise error
    _leave(line, code)


def _leave(line: str, code: int) -> NoReturn:
    if sys.stderr is not None:  # closed before the start; print would take stdout instead
        print(f"digest-bot: {line}", file=sys.stderr)  # noqa: T201 - a line for the operator
    sys.exit(code)


if __name__ == "__main__":
    main()
