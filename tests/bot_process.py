"""The bot as a process of its own, started, stopped, killed and suspended (see tests/installation.py for its use)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import TypeVar
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, build_opener

from tests import cli

READY = 20.0
STOPPED = 20.0
_Found = TypeVar("_Found")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")  # slack_sdk sends even 127.0.0.1 through a proxy
_DIRECT = build_opener(ProxyHandler({}))


@dataclass
class Bot:
    """`digest-bot run`, its server on `port`. `log` is what it wrote on stderr so far, over all its starts.

    `before` is Python that runs first in its process.
    """

    config: Path
    port: int
    environ: Mapping[str, str]
    before: str = ""
    lines: list[str] = field(default_factory=list)
    _process: subprocess.Popen[str] | None = None
    _reader: Thread | None = None

    def start(self, ready: float = READY) -> None:
        """Start it, and wait until it says that it can work."""
        assert not self.running
        self._process = subprocess.Popen(
            cli.command("run", "--config", self.config, before=self.before),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=_environ(self.environ),
        )
        self._reader = Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()
        until(self._is_ready, ready, "the bot is ready")

    def stop(self, seconds: float = STOPPED) -> int:
        """Ask it to stop as a service manager does (SIGTERM), and give its exit code."""
        self.signal(signal.SIGTERM)
        return self.wait(seconds)

    def kill(self) -> None:
        """End it at once, as a power cut would; nothing happens where it has ended."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self.wait(STOPPED)

    def signal(self, number: int) -> None:
        """Send it a signal: SIGSTOP suspends it, SIGCONT lets it go on."""
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self, seconds: float) -> int:
        """Its exit code, once it has ended. Fails the test where it takes longer than that."""
        assert self._process is not None
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the bot still runs after {seconds} s\n{self.log}") from None
        if self._reader is not None:
            self._reader.join(STOPPED)
        return code

    def says(self, words: str, seconds: float = READY) -> str:
        """The first line of the log that has these words, once it is there."""
        return until(lambda: next((line for line in list(self.lines) if words in line), None), seconds, words)

    def get(self, path: str) -> tuple[int, str]:
        """What its server answers: `/healthz`, `/readyz`, `/metrics`. The status is 0 where nobody listens."""
        try:
            with _DIRECT.open(f"{self.url}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()
        except (URLError, ConnectionError, TimeoutError) as error:
            return 0, str(error)

    @property
    def url(self) -> str:
        """The address of its server, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return "".join(self.lines)

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def _is_ready(self) -> bool:
        assert self.running, f"the bot ended at its start:\n{self.log}"
        return self.get("/readyz")[0] == 200

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        with process.stderr as stream:
            for line in stream:
                self.lines.append(line)


def until(condition: Callable[[], _Found | None], seconds: float, what: str) -> _Found:
    """What the condition gives once it holds; fails the test where it does not within that time."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.02)
    return found


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def _environ(more: Mapping[str, str]) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if name.lower() not in _PROXIES}
    return own | dict(more)
