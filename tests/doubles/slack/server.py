"""The listener: Web API, WebSocket, response_url and control over one port of the loopback interface."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.doubles.slack.access import ApiError
from tests.doubles.slack.arguments import Arguments, decode
from tests.doubles.slack.control import Control
from tests.doubles.slack.core import Core, Request
from tests.doubles.slack.faults import Fault


class Server(ThreadingHTTPServer):
    """Serves one double; `port` 0 takes a free one."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, double: Core, control: Control, port: int) -> None:
        self.double = double
        self.control = control
        super().__init__(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), name="slack-double", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join(timeout=10)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the signature of the base class
        """Keep what went wrong inside the double; a client that hung up is none of it."""
        error = traceback.format_exc()
        if not any(gone in error for gone in ("ConnectionResetError", "BrokenPipeError", "ConnectionAbortedError")):
            self.double.errors.append(error)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the signature of the base class
        """Say nothing: the double keeps its own log."""

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path.startswith("/api/"):
            self._api(path.removeprefix("/api/"))
        elif path.rstrip("/") == "/link":
            self._link()
        elif path.startswith("/control"):
            self._control(path)
        else:
            self._answer(HTTPStatus.NOT_FOUND, {"ok": False, "error": "not_found"})

    def do_POST(self) -> None:
        path = urlsplit(self.path).path
        if path.startswith("/respond/"):
            self._respond(path.removeprefix("/respond/"))
        elif path.startswith("/control"):
            self._control(path)
        else:
            self.do_GET()

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _api(self, method: str) -> None:
        double, body = self.server.double, self._body()
        try:
            arguments = decode(urlsplit(self.path).query, self.headers.get("Content-Type", ""), body)
        except ApiError as error:
            self._reply(method, {}, HTTPStatus.OK, {"ok": False, "error": error.code} | error.more)
            return
        fault = double.faults.take(method, arguments.get("channel"))
        wait = self._limit(method, arguments)
        if fault and self._spoiled(method, arguments, fault):
            return
        if wait:
            self._ratelimited(method, arguments, wait)
            return
        answer = double.api.call(method, self._token(arguments), arguments)
        if fault and fault.how == "late":
            time.sleep(fault.after)
        if fault and fault.how == "drop_after":
            self._hang_up(method, arguments, answer)
        else:
            self._reply(method, arguments, HTTPStatus.OK, answer)

    def _limit(self, method: str, arguments: Arguments) -> float:
        double = self.server.double
        return double.rates.wait(method, str(arguments.get("channel"))) if double.rate_limit else 0.0

    def _token(self, arguments: Arguments) -> str | None:
        header = self.headers.get("Authorization", "")
        return header.removeprefix("Bearer ").strip() if header.startswith("Bearer ") else arguments.get("token")

    def _spoiled(self, method: str, arguments: Arguments, fault: Fault) -> bool:
        """Answer as the fault says; False: the call goes on."""
        if fault.how in {"late", "drop_after"}:
            return False
        if fault.how == "slow":
            time.sleep(fault.after)
            return False
        if fault.how == "drop_before":
            self._hang_up(method, arguments, {})
        elif fault.how == "ratelimited":
            self._ratelimited(method, arguments, fault.after)
        elif fault.how.startswith("http_"):
            self._reply(method, arguments, int(fault.how.removeprefix("http_")), {"ok": False, "error": fault.how})
        else:
            self._reply(method, arguments, HTTPStatus.OK, {"ok": False, "error": fault.how})
        return True

    def _ratelimited(self, method: str, arguments: Arguments, seconds: float) -> None:
        after = {"Retry-After": str(max(1, round(seconds + 0.499)))}
        answer = {"ok": False, "error": "ratelimited"}
        self._reply(method, arguments, HTTPStatus.TOO_MANY_REQUESTS, answer, after)

    def _respond(self, name: str) -> None:
        double, body = self.server.double, self._body()
        try:
            arguments = json.loads(body)
        except ValueError:
            arguments = {}
        fault = double.faults.take("response_url")
        if fault and self._spoiled("response_url", arguments, fault):
            return
        status, answer = double.response_urls.use(name, body)
        if fault and fault.how == "late":
            time.sleep(fault.after)
        if fault and fault.how == "drop_after":
            self._hang_up("response_url", arguments, answer)
        else:
            self._reply("response_url", arguments, status, answer)

    def _link(self) -> None:
        """The handshake of the WebSocket: refused on order, or when the ticket was used before."""
        double = self.server.double
        fault = double.faults.take("handshake")
        ticket = parse_qs(urlsplit(self.path).query).get("ticket", [""])[0]
        if fault and fault.how.startswith("http_"):
            self._answer(int(fault.how.removeprefix("http_")), {"ok": False})
        elif fault or not double.app_methods.redeem(ticket):
            self._answer(HTTPStatus.FORBIDDEN, {"ok": False, "error": "expired_ticket"})
        else:
            lines = [f"{key}: {value}" for key, value in self.headers.items()]
            request = "\r\n".join([f"GET {self.path} HTTP/1.1", *lines, "", ""])
            double.connections.serve(self.connection, request.encode())
        self.close_connection = True

    def _control(self, path: str) -> None:
        name = path.removeprefix("/control").strip("/")
        status, answer = self.server.control.run(name, urlsplit(self.path).query, self._body())
        self._answer(status, answer, indent=1)

    def _hang_up(self, method: str, arguments: Arguments, answer: dict[str, Any]) -> None:
        """Close the connection without an answer, with a reset."""
        self._note(method, arguments, 0, answer)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def _reply(
        self, method: str, arguments: Arguments, status: int, answer: dict[str, Any], more: dict[str, str] | None = None
    ) -> None:
        self._note(method, arguments, status, answer)
        self._answer(status, answer, more)

    def _note(self, method: str, arguments: Arguments, status: int, answer: dict[str, Any]) -> None:
        kept = {key: value for key, value in arguments.items() if key != "token"}
        double = self.server.double
        double.note(Request(method, kept, double.clock.now(), status, answer))

    def _answer(self, status: int, answer: Any, more: dict[str, str] | None = None, indent: int | None = None) -> None:
        body = json.dumps(answer, ensure_ascii=False, indent=indent).encode()
        scopes = ",".join(sorted(self.server.double.app.scopes))
        self.send_response(status)
        headers = {"Content-Type": "application/json; charset=utf-8", "x-oauth-scopes": scopes} | (more or {})
        for key, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)
