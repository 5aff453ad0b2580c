"""The page's application: its routes, and what becomes of a message that was typed or of a button that was pressed."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Scope

from bot.apology import log_failure
from bot.placing import answering, pointing
from bot.platforms.local.guard import Guard
from bot.platforms.local.hub import Hub
from bot.platforms.local.ids import number_in
from bot.platforms.local.render import LONGEST, Renderer
from bot.platforms.local.send import LocalPlatform
from bot.platforms.local.settings import Channel, Settings
from bot.platforms.local.show import Pages, static
from bot.platforms.local.stream import Streams
from bot.ports import Conversations, Incoming, Reply, Respond
from bot.workers import Work, Workers

USER = "local"
"""The id of whoever sits at the page, which has no login."""

_LARGEST = 64 * 1024  # bytes of a request's body


@dataclass(frozen=True)
class Parts:
    """What the application is made of."""

    settings: Settings
    conversations: Conversations
    renderer: Renderer
    hub: Hub
    platform: LocalPlatform
    workers: Workers
    respond: Respond


@dataclass(frozen=True, slots=True)
class Typed:
    """A message as it came; `thread` is the id of the root it was typed under, None in the channel itself."""

    channel: Channel
    thread: int | None
    text: str


class Refused(Exception):  # noqa: N818 - the sender's to mend, not an error of ours
    """A message that is not taken; `code` is one of `templates/local/problems.html.j2`."""

    def __init__(self, code: str, status: HTTPStatus, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.status = status
        self.values = values


def application(parts: Parts, host: str) -> ASGIApp:
    """The routes behind their guard; `host` is the configured one."""
    streams = Streams(parts.settings, parts.platform, parts.hub, parts.renderer.run)
    pages = Pages(parts.settings, parts.conversations, parts.renderer)
    inbox = Inbox(parts)
    routes = [
        Route("/", pages.show, methods=["GET"]),
        Route("/messages", inbox.receive, methods=["POST"]),
        Route("/events", streams.open, methods=["GET"]),
        Route("/static/{name}", static, methods=["GET"]),
    ]
    return Guard(Router(routes, redirect_slashes=False, default=pages.missing), host, inbox.failed)


class Inbox:
    """`POST /messages` with `channel`, `thread` ("" in the channel itself) and `text`, as a form sends them."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def receive(self, request: Request) -> Response:
        """202 with the ids of the message and its thread as JSON where that is asked for, else the thread's page."""
        try:
            body = await _body(request)
            typed = await run_in_threadpool(self._typed, body)
            return self._taken(request.scope, typed, await run_in_threadpool(self._take, typed))
        except Refused as refused:
            return self._refusal(request.scope, refused)

    def failed(self, scope: Scope) -> Response:
        """The answer to a request whose handling raised; the log has it under the id that is shown."""
        failure = log_failure(f"{scope['method']} {scope['path']} of the local page")
        return self._refusal(scope, Refused("failed", HTTPStatus.INTERNAL_SERVER_ERROR, failure=failure))

    def _typed(self, body: bytes) -> Typed:
        form = _form(body)
        channel = self._parts.settings.channel(form.get("channel"))
        if channel is None:
            raise Refused("no-channel", HTTPStatus.NOT_FOUND)
        asked = form.get("thread", "")
        thread = number_in(asked)
        if asked and (thread is None or self._parts.conversations.head(channel.id, thread) is None):
            raise Refused("no-thread", HTTPStatus.NOT_FOUND)
        return Typed(channel, thread, _text(form.get("text", "")))

    def _take(self, typed: Typed) -> tuple[int, int]:
        """Keep the message and have it answered; the ids of the message and of its thread."""
        kept: list[tuple[int, int]] = []

        def prepare() -> Work:
            thread = None if typed.thread is None else str(typed.thread)
            entry = self._parts.platform.say(typed.channel.id, typed.text, USER, thread)
            root = typed.thread or entry.id
            kept.append((entry.id, root))
            self._parts.hub.begin(typed.channel.id, root)
            incoming = Incoming(self._parts.platform.name, typed.channel.id, USER, typed.text, thread)
            return partial(self._answer, incoming, root)

        if not self._parts.workers.submit(prepare):
            raise Refused("busy", HTTPStatus.SERVICE_UNAVAILABLE)
        return kept[0]

    def _answer(self, incoming: Incoming, root: int) -> None:
        failed = False
        try:
            reply = self._parts.respond(incoming)
            if reply is not None:
                self._post(incoming, reply, str(root))
        except Exception:  # noqa: BLE001 - the boundary: the page is told, whatever went wrong
            log_failure(f"an answer could not be posted in thread {root} of channel {incoming.channel}")
            failed = True
        self._parts.hub.finish(incoming.channel, root, failed=failed)

    def _post(self, incoming: Incoming, reply: Reply, root: str) -> None:
        platform, channel = self._parts.platform, incoming.channel
        if reply.place is None or reply.place.thread == root:
            platform.post(channel, reply.message, root)
            return
        message = answering(reply.message, asked=platform.permalink(channel, root), beside=None)
        platform.post(channel, message, reply.place.thread)
        platform.post(channel, pointing(platform.permalink(channel, reply.place.thread)), root)

    def _taken(self, scope: Scope, typed: Typed, ids: tuple[int, int]) -> Response:
        message, thread = ids
        if _wants_json(scope):
            return JSONResponse({"id": message, "thread": thread}, HTTPStatus.ACCEPTED)
        address = self._parts.renderer.address(typed.channel, thread=thread)
        return RedirectResponse(address, HTTPStatus.SEE_OTHER)

    def _refusal(self, scope: Scope, refused: Refused) -> Response:
        problem = self._parts.renderer.problem(refused.code, longest=LONGEST, **refused.values)
        if _wants_json(scope):
            return JSONResponse({"problem": problem}, refused.status)
        return HTMLResponse(self._parts.renderer.problem_page(problem), refused.status)


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST:
            raise Refused("too-large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return body


def _form(body: bytes) -> dict[str, str]:
    try:
        fields = parse_qs(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=8)
    except ValueError as error:
        raise Refused("unreadable", HTTPStatus.BAD_REQUEST) from error
    return {name: values[-1] for name, values in fields.items()}


def _text(given: str) -> str:
    """The message as it is kept: no control characters but line ends."""
    lines = given.replace("\r\n", "\n").strip()
    text = "".join(char for char in lines if char in "\n\t" or unicodedata.category(char) != "Cc")
    if not text.strip():
        raise Refused("empty", HTTPStatus.UNPROCESSABLE_ENTITY)
    if len(text) > LONGEST:
        raise Refused("too-long", HTTPStatus.UNPROCESSABLE_ENTITY, length=len(text))
    return text


def _wants_json(scope: Scope) -> bool:
    return "application/json" in Headers(scope=scope).get("accept", "")
