"""An HTTP listener: a Starlette app under uvicorn on a thread of its own."""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Callable, Mapping
from threading import Event, Thread
from types import MappingProxyType

import uvicorn
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp

_log = logging.getLogger(__name__)

_BACKLOG = 512  # connections that may wait to be accepted; a browser opens several at once for each tab
_HEADERS = 16 * 1024  # bytes of one request's headers
_LAST_PORT = 65535
_START = 10.0  # seconds

# errno -> the fix
_REASONS: Mapping[int, str] = MappingProxyType(
    {
        errno.EADDRINUSE: "is in use: stop what listens there, or choose another port",
        errno.EACCES: "may not be listened on by this user: choose a port above 1023",
        errno.EADDRNOTAVAIL: "is not an address of this machine: correct the host",
    }
)


class ListenError(Exception):
    """An address cannot be listened on, and the user can mend it: one English line with the fix."""


class Listener:
    """Serves `app` on a host and port. `port` 0 takes a free one.

    `before_stop` is called when stopping begins: whatever keeps responses open must end them.
    """

    def __init__(
        self, name: str, app: ASGIApp, host: str, port: int, *, before_stop: Callable[[], None] = lambda: None
    ) -> None:
        """Listen at once, so that no request is refused after this. Raises ListenError."""
        self._socket = _listen(host, port)
        self._name = name
        self._before_stop = before_stop
        self.host: str = host
        self.port: int = self._socket.getsockname()[1]
        self._server = _Uvicorn(
            uvicorn.Config(
                app,
                loop="asyncio",
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                h11_max_incomplete_event_size=_HEADERS,
                backlog=_BACKLOG,
            )
        )
        self._thread = Thread(target=self._run, name=f"http-{name}", daemon=True)

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - compared, not listened on
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"

    def start(self) -> None:
        """Begin to answer requests; returns when the server does."""
        self._thread.start()
        if not self._server.serving.wait(_START):
            raise RuntimeError(f"the {self._name} server did not start within {_START:.0f} s")

    def stop(self, deadline: float) -> bool:
        """Take no new connection, finish the responses; False when that takes longer than `deadline` seconds."""
        self._before_stop()
        self._server.config.timeout_graceful_shutdown = max(1, int(deadline))
        self._server.should_exit = True
        self._thread.join(deadline)
        if self._thread.is_alive():
            self._server.force_exit = True
            _log.warning("the %s server still has open responses after %.0f s", self._name, deadline)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._server.run(sockets=[self._socket])
        except Exception:  # noqa: BLE001 - the end of the thread: nobody else would hear of it
            _log.exception("the %s server failed", self._name)
        finally:
            self._socket.close()


class _Uvicorn(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.serving = Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        await run_in_threadpool(int)  # loads what blocking endpoints need before the first visitor waits for it
        self.serving.set()


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= _LAST_PORT:
        raise ListenError(f"the port {port} does not exist: choose one from 0 to {_LAST_PORT}")
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except socket.gaierror as error:
        raise ListenError(f"the host {host} is not known ({error.strerror}): correct it, or use 127.0.0.1") from error
    try:
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, f"cannot be listened on ({error.strerror}): choose another")
        raise ListenError(f"{host}:{port} {reason}") from error
