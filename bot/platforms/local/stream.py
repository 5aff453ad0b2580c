"""The event stream of an open page (Server-Sent Events); asynchronous, so that it holds no thread.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from bot.platforms.local.hub import Event, Hub
from bot.platforms.local.ids import number_in
from bot.platforms.local.send import LocalPlatform
from bot.platforms.local.settings import Settings

_HEARTBEAT = 15.0  # seconds; shows a page, and what is between, that the connection lives
_RETRY = 1000  # milliseconds after which a page that lost the connection asks again
_RELOAD = "event: reload\ndata: {}\n\n"


class Streams:
    """`GET /events?channel=ID&after=RUN.ID`: what was said after an id, and from then on all that is said.

    The header Last-Event-ID, which a browser sends when it reconnects, goes before `after`. A page of another run of
    the server is told to load itself anew, because ids may have begun anew.
    """

    def __init__(self, settings: Settings, platform: LocalPlatform, hub: Hub, run: str) -> None:
        self._settings = settings
        self._platform = platform
        self._hub = hub
        self._run = run

    async def open(self, request: Request) -> Response:
        """Answer with the stream; 404 for an unknown channel, 503 where too many pages are open."""
        channel = self._settings.channel(request.query_params.get("channel"))
        if channel is None:
            return PlainTextResponse("no such channel\n", 404)
        if self._hub.full or self._hub.closed:
            return PlainTextResponse("too many pages are open\n", 503)
        given = request.headers.get("last-event-id") or request.query_params.get("after", "")
        run, _, last = given.partition(".")
        position = number_in(last) if run == self._run else None
        chunks = _told_to_reload() if position is None else self._chunks(channel.id, position)
        return StreamingResponse(chunks, media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    async def _chunks(self, channel: str, position: int) -> AsyncIterator[str]:
        yield f"retry: {_RETRY}\n\n"
        status: object = None
        with self._hub.listening() as bell:
            while True:
                bell.clear()
                closed = self._hub.closed  # asked first, so that the last words are still sent
                for event in await self._after(channel, position):
                    yield f"id: {self._run}.{event.id}\nevent: entry\ndata: {event.data}\n\n"
                    position = event.id
                if (latest := self._hub.status(channel)) != status:
                    status = latest
                    yield f"event: status\ndata: {json.dumps(latest)}\n\n"
                if closed:
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(bell.wait(), _HEARTBEAT)
                    continue
                yield ":\n\n"

    async def _after(self, channel: str, position: int) -> tuple[Event, ...]:
        events = self._hub.after(channel, position)
        return await run_in_threadpool(self._platform.missed, channel, position) if events is None else events


async def _told_to_reload() -> AsyncIterator[str]:
    yield _RELOAD
