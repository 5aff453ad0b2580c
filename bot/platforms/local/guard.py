"""What stands before every request: who may ask, what a browser may do with the answer, and what a failure becomes."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_UNSPECIFIED = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not listened on
_READING = frozenset({"GET", "HEAD"})


class Guard:
    """Lets requests through to `app` that this machine's own pages make; `failed` gives the answer to an exception."""

    def __init__(self, app: ASGIApp, host: str, failed: Callable[[Scope], Response]) -> None:
        self._app = app
        self._host = host.lower()
        self._failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        started = False

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in {**_HEADERS, "Cache-Control": "no-cache"}.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._refusal(scope) or self._app
        try:
            await answer(scope, receive, guarded)
        except ClientDisconnect:  # while its message was being read; nobody waits for an answer
            return
        except Exception:
            response = self._failed(scope)
            if started:
                raise
            await response(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return PlainTextResponse("this page is not served under that name: open it as 127.0.0.1\n", 421)
        if scope["method"] not in _READING and not _same_origin(headers, hosts[0]):
            return PlainTextResponse("refused: the request comes from another site (Origin)\n", 403)
        return None

    def _is_ours(self, host: str) -> bool:
        """Whether a Host header names this machine; another name may be a stranger's that was pointed here."""
        name = _hostname(host)
        if name in {"localhost", self._host}:
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return False
        return (
            address.is_loopback or self._host in _UNSPECIFIED
        )  # an address cannot be pointed elsewhere, unlike a name


def _same_origin(headers: Headers, host: str) -> bool:
    origin = headers.get("origin", "null")
    if origin == "null":  # a form's, because of our referrer policy; a script cannot set the other header
        return headers.get("sec-fetch-site") == "same-origin"
    scheme, separator, rest = origin.partition("://")
    return bool(separator) and scheme in {"http", "https"} and rest.lower() == host.lower()


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
