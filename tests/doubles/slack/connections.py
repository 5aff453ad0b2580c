"""Socket Mode: the open WebSockets of the app, and what can happen to one.

Source: docs.slack.dev/apis/events-api/using-socket-mode: up to 10 connections, each payload goes to one of them.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable
from typing import Any

from websockets.exceptions import InvalidState
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from tests.doubles.slack.deliveries import Attempt, Delivery

MOST = 10
SEND_SECONDS = 5.0
CHUNK = 65_536


class Connection:
    """One WebSocket, served by the thread that calls `serve`."""

    def __init__(self, sock: socket.socket, number: int, on_message: Callable[[Connection, str], None]) -> None:
        self.number = number
        self.frozen = False
        self.open = False
        self._sock = sock
        self._on_message = on_message
        self._protocol = ServerProtocol(max_size=None)
        self._lock = threading.Lock()

    def serve(self, request: bytes, hello: dict[str, Any], ping_seconds: float) -> None:
        """Answer the handshake, say hello and read until the connection ends; closed at once if it is not welcome."""
        self._protocol.receive_data(request)
        opening = next(event for event in self._protocol.events_received() if isinstance(event, Request))
        with self._lock:
            self._protocol.send_response(self._protocol.accept(opening))
            self._flush()
            self.open = self._protocol.state is State.OPEN
        if self.open:
            self.send(hello)
            if hello["type"] == "disconnect":
                self.close()
            self._read(ping_seconds)

    def send(self, message: dict[str, Any]) -> bool:
        """Send one JSON message; False: the connection is gone. A frozen connection takes it and sends nothing."""
        try:
            with self._lock:
                if self.frozen or not self.open:
                    return self.open
                self._protocol.send_text(json.dumps(message, ensure_ascii=False).encode())
                self._flush()
        except (OSError, InvalidState):
            self.open = False
        return self.open

    def close(self) -> None:
        """Close in good order."""
        try:
            with self._lock:
                if self._protocol.state is State.OPEN:
                    self._protocol.send_close(1000)
                    self._flush()
        except OSError:
            self.open = False
        self.open = False

    def drop(self) -> None:
        """Break the TCP connection off (RST), without a word."""
        self.open = False
        try:
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the other side was faster

    def _flush(self) -> None:
        self._sock.settimeout(SEND_SECONDS)
        for data in self._protocol.data_to_send():
            if data:
                self._sock.sendall(data)

    def _read(self, ping_seconds: float) -> None:
        try:
            while self.open:
                self._once(ping_seconds)
        except OSError:
            self.open = False
        finally:
            self.open = False

    def _once(self, ping_seconds: float) -> None:
        if self.frozen:
            threading.Event().wait(0.05)
            return
        self._sock.settimeout(ping_seconds)
        try:
            data = self._sock.recv(CHUNK)
        except TimeoutError:
            self._ping()
            return
        if not self.frozen:
            self._receive(data)

    def _ping(self) -> None:
        with self._lock:
            if self.open and not self.frozen:
                self._protocol.send_ping(b"Ping from applink-1")
                self._flush()

    def _receive(self, data: bytes) -> None:
        with self._lock:
            if data:
                self._protocol.receive_data(data)
            else:
                self._protocol.receive_eof()
            frames = [event for event in self._protocol.events_received() if isinstance(event, Frame)]
            texts = [bytes(frame.data).decode() for frame in frames if frame.opcode is Opcode.TEXT]
            self._flush()
            self.open = self.open and bool(data) and self._protocol.state is State.OPEN
        for text in texts:
            self._on_message(self, text)


class Connections:
    """The open connections; each payload goes to one of them, in turn."""

    def __init__(self, acknowledge: Callable[[str, Any], bool], app_id: str) -> None:
        self.complaints: list[str] = []
        self.ping_seconds = 5.0
        self._acknowledge = acknowledge
        self._app_id = app_id
        self._all: list[Connection] = []
        self._made = 0
        self._turn = 0
        self._lock = threading.Lock()

    def serve(self, sock: socket.socket, request: bytes) -> None:
        """Serve one client until it is gone."""
        with self._lock:
            self._made += 1
            connection = Connection(sock, self._made, self._heard)
            full = len(self.open()) >= MOST
            self._all.append(connection)
        try:
            hello = _disconnect("too_many_websockets") if full else self._hello()
            connection.serve(request, hello, self.ping_seconds)
        finally:
            with self._lock:
                self._all.remove(connection)

    def open(self) -> list[Connection]:
        """The connections that are open, oldest first."""
        return [connection for connection in self._all if connection.open]

    def deliver(self, delivery: Delivery, attempt: Attempt) -> str:
        """Send an envelope over one connection, another one than the last time where there is one."""
        last = delivery.attempts[-2].connection if len(delivery.attempts) > 1 else None
        ready = self._in_turn()
        for connection in sorted(ready, key=lambda ready: ready.number == last):
            attempt.connection = connection.number
            if connection.send(_envelope(delivery, attempt)):
                return ""
        return "no_connection"

    def disconnect(self, reason: str, *, close: bool) -> None:
        """Announce a disconnection on every connection, as Slack does before it refreshes them."""
        for connection in self.open():
            connection.send(_disconnect(reason))
            if close:
                connection.close()

    def drop(self) -> None:
        for connection in list(self._all):
            connection.drop()

    def freeze(self) -> None:
        for connection in self.open():
            connection.frozen = True

    def thaw(self) -> None:
        """Break off what was frozen."""
        for connection in [c for c in self._all if c.frozen]:
            connection.drop()

    def _in_turn(self) -> list[Connection]:
        ready = self.open()
        self._turn += 1
        start = self._turn % len(ready) if ready else 0
        return ready[start:] + ready[:start]

    def _hello(self) -> dict[str, Any]:
        debug = {"host": "applink-1", "build_number": 1, "approximate_connection_time": 18_060}
        about = {"connection_info": {"app_id": self._app_id}, "debug_info": debug}
        return {"type": "hello", "num_connections": len(self.open()) + 1} | about

    def _heard(self, connection: Connection, text: str) -> None:
        """What an app says over the socket is an acknowledgement, or a mistake that is kept."""
        try:
            said = json.loads(text)
            envelope = said["envelope_id"]
        except (ValueError, KeyError, TypeError):
            self.complaints.append(f"connection {connection.number}: not an acknowledgement: {text[:200]}")
            return
        if not self._acknowledge(envelope, said.get("payload")):
            self.complaints.append(f"connection {connection.number}: unknown envelope: {envelope}")


def _disconnect(reason: str) -> dict[str, Any]:
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}}


def _envelope(delivery: Delivery, attempt: Attempt) -> dict[str, Any]:
    """The outer object; only events carry how often they were tried."""
    slash = delivery.kind == "slash_commands"
    outer = {"envelope_id": attempt.envelope, "type": delivery.kind, "accepts_response_payload": slash}
    tried = {"retry_attempt": attempt.number, "retry_reason": attempt.reason.removeprefix("http_")}
    return outer | {"payload": delivery.payload} | (tried if delivery.kind == "events_api" else {})
