"""`python -m tests.doubles.slack`: the double as a process, driven over HTTP."""

from __future__ import annotations

import argparse
import json
import signal
import threading

from tests.doubles.slack.double import Slack
from tests.doubles.slack.workspace import FULL_SCOPES, REQUIRED_SCOPES


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.doubles.slack", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--scopes", default="all", help="all, required, or a list separated by commas")
    parser.add_argument("--channel", action="append", default=[], help="a channel the bot is in: NAME or NAME=ID")
    parser.add_argument("--user", action="append", default=[], help="the name of a user")
    parser.add_argument("--no-charts", action="store_true", help="the workspace refuses native charts")
    parser.add_argument("--no-rate-limit", action="store_true", help="posts are not limited to one a second")
    return parser.parse_args()


def main() -> None:
    """Print where the double listens, one JSON object on a line, and serve until SIGINT or SIGTERM."""
    given = _arguments()
    named = {"all": FULL_SCOPES, "required": REQUIRED_SCOPES}
    scopes = named.get(given.scopes) or given.scopes.split(",")
    limited = not given.no_rate_limit
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with Slack(port=given.port, scopes=scopes, charts=not given.no_charts, rate_limit=limited) as slack:
        users = {name: slack.user(name) for name in given.user}
        pairs = [name.partition("=") for name in given.channel]
        channels = {name: slack.channel(name, users.values(), channel_id=known or None) for name, _, known in pairs}
        print(json.dumps(slack.about() | {"users": users, "channels": channels}), flush=True)  # noqa: T201
        stopped.wait()


if __name__ == "__main__":
    main()
