"""The git commands that a piece of work runs: recorded, and run again with their output thrown away."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.figures import Work

_CHUNK = 1 << 16
_RECORDER = """#!{python}
import json, os, sys, tempfile
given = sys.stdin.read() if "--stdin" in sys.argv else None
record = dict(arguments=sys.argv[1:], given=given, folder=os.getcwd(), environment=dict(os.environ))
descriptor, _ = tempfile.mkstemp(".json", f"{{os.getpid()}}-", {folder!r})
with open(descriptor, "w") as file:
    json.dump(record, file)
if given is not None:
    with tempfile.TemporaryFile("w+") as again:
        again.write(given)
        again.seek(0)
        os.dup2(again.fileno(), 0)
os.execv({git!r}, ["git", *sys.argv[1:]])
"""


@dataclass(frozen=True, slots=True)
class Command:
    """A git command as it was run: its arguments, what it read, where, and its environment."""

    arguments: list[str]
    given: str | None
    folder: str
    environment: dict[str, str]

    def run(self) -> None:
        """Run it again, reading what it prints as fast as it comes. Raises RuntimeError when git fails."""
        with subprocess.Popen(
            ["git", *self.arguments],
            cwd=self.folder,
            env=self.environment | {"PATH": os.environ["PATH"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            if process.stdin is None or process.stdout is None:
                raise TypeError("the process was started without pipes")
            process.stdin.write((self.given or "").encode())
            process.stdin.close()
            while process.stdout.read(_CHUNK):
                pass
        if process.returncode:
            raise RuntimeError(f"git ended with {process.returncode}")


def recorded(work: Work) -> list[Command]:
    """Do some work, and give the git commands that it ran."""
    git, path = shutil.which("git"), os.environ["PATH"]
    with TemporaryDirectory() as folder:
        recorder = Path(folder, "git")
        recorder.write_text(_RECORDER.format(python=sys.executable, folder=folder, git=git))
        recorder.chmod(0o755)
        os.environ["PATH"] = f"{folder}{os.pathsep}{path}"
        try:
            work()
        finally:
            os.environ["PATH"] = path
        return [Command(**json.loads(file.read_text())) for file in sorted(Path(folder).glob("*.json"))]
