"""The demo as a newcomer meets it: one process, the sample's digest, commands and questions answered."""

from __future__ import annotations

import html
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from bot.demo import demo
from bot.ports import Silent
from tests.page_client import ask, origin_of

COMMAND = (sys.executable, "-m", "bot", "demo", "--no-browser", "--port")


class Demo:
    """A running `digest-bot demo`."""

    def __init__(self) -> None:
        self.process = subprocess.Popen((*COMMAND, "0"), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line + self.process.stderr.read()
        self.port = int(found[1])

    def get(self, path: str = "/") -> str:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", path)
        body = connection.getresponse().read().decode()
        connection.close()
        return html.unescape(re.sub(r"<[^>]+>", "", body))

    def says(self, text: str, expected: str) -> bool:
        """Whether the thread of a message comes to show what is expected, within ten seconds."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        headers = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", "/messages", urlencode({"channel": "sample", "thread": "", "text": text}), headers)
        thread = connection.getresponse().getheader("Location", "")
        connection.close()
        end = time.monotonic() + 10
        while expected not in self.get(thread).partition("话题")[2] and time.monotonic() < end:
            time.sleep(0.05)
        return time.monotonic() < end

    def memory(self) -> float:
        """Resident memory in MB, where Linux tells it."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0]) / 1024


@pytest.fixture(scope="module")
def running() -> Iterator[Demo]:
    started = Demo()
    yield started
    started.process.send_signal(signal.SIGTERM)
    out, _ = started.process.communicate(timeout=20)
    assert (started.process.returncode, out) == (0, "stopped\n")


def test_the_digest_of_last_week_is_there(running: Demo) -> None:
    shown = running.get()
    assert "windlass 周报" in shown
    assert "执行摘要" in shown
    assert "重点PR速览" in shown


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/digest", "可以这样问"),
        ("/digest top 3", "重点 PR"),
        ("风险", "核心路径变更"),
        ("/digest hot", "热点文件"),
        ("/digest pr 2909", "Add a bulk endpoint"),
        ("/digest score 2909", "变更类型"),
        ("/digest week 上周", "执行摘要"),
        ("/digest since v0.11.0", "升级到主干"),
        ("/digest preview", "后续建议"),
        ("/digest tpo", "是不是想输入"),
        ("#2909 风险大吗？", "Add a bulk endpoint"),
        ("runner.py 谁改的？", "按文件 runner.py"),
        ("kubernetes operator 有吗", "没有找到"),
        ("？？？", "没有读懂"),
    ],
)
def test_commands_and_questions_are_answered(running: Demo, typed: str, said: str) -> None:
    assert running.says(typed, said)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read where Linux tells it")
def test_it_stays_small(running: Demo) -> None:
    assert running.memory() < 120


def test_a_port_in_use_is_one_clear_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run((*COMMAND, str(port)), capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"{port} is in use" in done.stderr


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with demo(datetime(2026, 3, 11, 4, tzinfo=UTC), 0, Silent()) as page:
        assert list(tmp_path.iterdir())
        assert ask(page, "/", Origin=origin_of(page)).status == 200
    assert not list(tmp_path.iterdir())
