"""The command line as whoever types it sees it: in this process where that will do, else as a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.__main__ import main
from tests.repositories import Repository

MONDAY = datetime(2026, 1, 4, 16, tzinfo=UTC)
"""Midnight in Shanghai: the week of `engine` that has most of its pull requests begins a week later."""

WEEK = ("--since", "2026-01-12", "--until", "2026-01-19")
HOSTILE = "[Bugfix] Fix the crash \x1b[31m<!channel> <at id=all></at> **x** `y` [z](http://e.example) | \u202e\x07 @a"


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    def problem(self, code: int = 2) -> str:
        """The one line that says what is wrong; nothing else was printed."""
        assert (self.code, self.out) == (code, ""), self
        assert self.err.startswith("digest-bot: "), self.err
        assert self.err.endswith("\n"), self.err
        assert self.err.count("\n") == 1, self.err
        return self.err.removeprefix("digest-bot: ").rstrip("\n")


def run(*arguments: object) -> Done:
    """Run it in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    given, sys.argv = sys.argv, ["digest-bot", *map(str, arguments)]
    code: object = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as leave:
        code = leave.code
    finally:
        sys.argv = given
    assert isinstance(code, int)
    return Done(code, _written(out), _written(err))


def process(*arguments: object, environ: Mapping[str, str] | None = None, before: str = "") -> Done:
    """Run it as a process. `before` is Python that runs first, in the same process."""
    done = subprocess.run(
        command(*arguments, before=before), capture_output=True, check=False, env=os.environ | (environ or {})
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def command(*arguments: object, before: str = "") -> list[str]:
    """What to start."""
    started = ["-c", f"{before}\nfrom bot.__main__ import main\nmain()"] if before else ["-m", "bot"]
    return [sys.executable, *started, *map(str, arguments)]


def at(repository: Repository | Path) -> tuple[str, ...]:
    """Where to read: a clone."""
    path = repository.path if isinstance(repository, Repository) else repository
    return ("--clone", str(path), "--repository", "acme/engine")


def engine(path: Path) -> Repository:
    """Three weeks of a repository: 8 pull requests merged in the first, then v1.0.0, and 13 in the second."""
    made = Repository(path)
    day = MONDAY + timedelta(hours=4)
    code = "".join(f"value_{number} = {number}\n" for number in range(120))
    made.commit("Start", {"engine/core.py": code, "requirements.txt": "numpy==1.0\n"}, at=MONDAY - timedelta(days=3))
    for number in range(1, 9):
        files = {"engine/core.py": code.replace(f"value_{number} =", "x ="), f"engine/unit_{number}.py": code}
        made.pull(number, f"Add unit {number}", files, merged_at=day + timedelta(hours=number))
    made.tag("v1.0.0", tagged_at=day + timedelta(days=6))
    day += timedelta(weeks=1)
    for number in range(11, 19):
        title = HOSTILE if number == 11 else f"[Bugfix] Fix the crash of part {number}"
        files = {"engine/core.py": code.replace(f"value_{number} =", "y ="), f"engine/part_{number}.py": code}
        made.pull(number, title, files, merged_at=day + timedelta(hours=number - 11))
    made.pull(20, "Bump numpy", {"requirements.txt": "numpy==2.0\n"}, merged_at=day + timedelta(days=1))
    made.pull(21, "Add a part", {"engine/part_21.py": code}, merged_at=day + timedelta(days=2))
    made.pull(22, 'Revert "Bump numpy"', {"requirements.txt": "numpy==1.0\n"}, merged_at=day + timedelta(days=3))
    made.commit("Say hello", {"README.md": "hello\n"}, at=day + timedelta(days=3, hours=1))
    made.pull(
        23, "把默认值 timeout 改为 30", {"engine/core.py": f"{code}timeout = 30\n"}, merged_at=day + timedelta(days=4)
    )
    made.pull(24, "Add docs 😀", {"docs/a.md": "words\n"}, merged_at=day + timedelta(days=5))
    made.pull(31, "Add a part of the third week", {"engine/late.py": code}, merged_at=day + timedelta(weeks=1))
    return made


def configured(folder: Path, clone: Path, more: str = "") -> Path:
    """A configuration of that clone, whose database lies beside it."""
    file = folder / "config.yaml"
    file.write_text(
        "database: {url: sqlite:///bot.db}\n"
        f"repositories:\n  - {{name: acme/engine, source: clone, path: {json.dumps(str(clone))}}}\n{more}",
        encoding="utf-8",
    )
    return file


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode()
