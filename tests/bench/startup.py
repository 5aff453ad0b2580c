"""The figures that take a process of their own: starting, and what is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.bench.figures import Figure, compared
from tests.bench.inputs import REPOSITORY, ZONE, Inputs

VENDORS = ("slack_bolt", "slack_sdk", "lark_oapi", "github", "openai", "apscheduler", "procrastinate")
_ROUNDS = 15
_IMPORTED = """
import os, runpy, sys
sys.argv[0] = "digest-bot"
sys.stdout, shown = open(os.devnull, "w"), sys.stdout
try:
    runpy.run_module("bot", run_name="__main__", alter_sys=True)
except SystemExit as leave:
    if leave.code:
        raise
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=shown)
"""


def help_() -> Figure:
    """`digest-bot --help` against `python -c pass`."""
    installed = Path(sys.executable).with_name("digest-bot")
    ours = [str(installed)] if installed.exists() else [sys.executable, "-m", "bot"]
    ratio, note = compared(lambda: _run(*ours, "--help"), lambda: _run(sys.executable, "-c", "pass"), _ROUNDS)
    return Figure("digest-bot --help", ratio, 20, "×", note)


def vendors(inputs: Inputs) -> Figure:
    """How many vendors' SDKs `digest --clone` imports."""
    since, until = inputs.period.since.date(), inputs.period.until.date()
    clone = ("--clone", str(inputs.small.clone), "--repository", REPOSITORY, "--timezone", ZONE)
    imported = _run(sys.executable, "-c", _IMPORTED, "digest", *clone, "--since", str(since), "--until", str(until))
    found = [name for name in VENDORS if name in imported.split()]
    return Figure("vendor SDKs that digest --clone imports", len(found), 0, "", ", ".join(found))


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
