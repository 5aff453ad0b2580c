"""The command line: nothing but arguments and printing. What it does is in `bot/app.py`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
import typer

if TYPE_CHECKING:
    from bot.app import CloneDesk, Dates, StoreDesk

# What a command does is imported when it runs: --help needs none of it.
# ruff: noqa: PLC0415
# A command's parameters are its options, and printing is its work.
# ruff: noqa: PLR0917, T201

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="A weekly pull-request digest in Chinese for Slack and Lark.",
)
database = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Migrations and copies of the database.")
app.add_typer(database, name="db")


class Format(StrEnum):
    """How the answer is printed."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


MaybeConfig = Annotated[Path | None, typer.Option("--config", help="The configuration whose store is read.")]
Config = Annotated[Path, typer.Option("--config", help="The configuration.")]
Clone = Annotated[Path | None, typer.Option(help="A local git clone, read into memory; nothing is written.")]
Repository = Annotated[str | None, typer.Option(help="OWNER/NAME; may be left out when one is configured.")]
Since = Annotated[str | None, typer.Option(help="The first day, such as 2026-04-05.")]
Until = Annotated[str | None, typer.Option(help="The day after the last one.")]
Timezone = Annotated[str | None, typer.Option(help="An IANA zone, such as Asia/Shanghai.")]
Form = Annotated[Format, typer.Option("--format", help="How it is printed.")]


@app.command()
def digest(
    config: MaybeConfig = None,
    clone: Clone = None,
    repository: Repository = None,
    since: Since = None,
    until: Until = None,
    timezone: Timezone = None,
    form: Form = Format.TEXT,
) -> None:
    """Print a digest; without dates, of the last whole week."""
    from bot.printing import printed_digest

    with _desk(config, clone, repository, _dates(since, until, timezone)) as desk:
        finished = desk.digest()
    print(printed_digest(finished, form.value))


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
) -> None:
    """Answer a command as a channel would see it."""
    from bot.printing import printed_answer

    with _desk(config, clone, repository, _dates(since, until, timezone), channel) as desk:
        answer = desk.answer(text)
    print(printed_answer(answer, form.value))


@app.command()
def sync(
    config: Config,
    repository: Repository = None,
    since: Since = None,
    until: Until = None,
    timezone: Timezone = None,
) -> None:
    """Fetch and assess; without dates, this week and the 13 before."""
    from bot.app import sync_configured
    from bot.progress import TerminalProgress

    with TerminalProgress() as progress:
        done = sync_configured(config, _dates(since, until, timezone), repository, dict(os.environ), progress)
    for name, count in done.items():
        print(f"{name}: {count} pull requests and direct commits read")


@database.command()
def upgrade(config: Config) -> None:
    """Bring the database to this version's schema; a copy of it is made first."""
    from bot.app import upgrade_database

    print(upgrade_database(config, dict(os.environ)))


@database.command()
def backup(
    config: Config,
    destination: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
) -> None:
    """Write a consistent copy of the database, also while the bot runs."""
    from bot.app import backup_database

    backup_database(config, destination, dict(os.environ))
    print(f"written: {destination}")


@contextmanager
def _desk(
    config: Path | None, clone: Path | None, repository: str | None, dates: Dates, channel: str | None = None
) -> Iterator[CloneDesk | StoreDesk]:
    from bot.app import CloneDesk, UsageError, store_desk
    from bot.progress import TerminalProgress

    if (config is None) == (clone is None):
        raise UsageError("give either --config FILE, or --clone DIR with --repository OWNER/NAME")
    if config is not None:
        with store_desk(config, dates, repository, channel, dict(os.environ)) as desk:
            yield desk
    elif clone is not None:
        if repository is None:
            raise UsageError("--clone needs --repository OWNER/NAME: pull-request links are made from it")
        with TerminalProgress() as progress:
            yield CloneDesk(clone, repository, dates, progress)


def _dates(since: str | None, until: str | None, timezone: str | None) -> Dates:
    from bot.app import Dates

    return Dates(since, until, timezone, datetime.now(UTC))


def main() -> None:
    """Run the command line. Exit 0: done; 2: the user can fix it, one line on stderr; 1: disk, network, our bug."""
    try:
        app(standalone_mode=False)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.ClickException as error:
        _leave(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        _leave("interrupted", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader left; nothing more to say
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the boundary: every failure leaves with its line and code
        _fail(error)


def _fail(error: Exception) -> None:
    from bot.app import explained

    line, code = explained(error)
    if line is None:
        raise error
    _leave(line, code)


def _leave(line: str, code: int) -> None:
    print(f"digest-bot: {line}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
