"""`GET /`: the page with the conversation in it, readable without the script; and the files it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from bot.conversation import ThreadHead
from bot.platforms.local.assets import assets
from bot.platforms.local.ids import number_in
from bot.platforms.local.render import Renderer, Shown
from bot.platforms.local.settings import Settings
from bot.ports import Conversations

_ROOTS = 50  # messages of a channel on one page
_CLOSED = "none"  # what `thread=` says for no thread


class Pages:
    """`GET /?channel=ID&thread=ID&before=ID`, all of which may be left out.

    Without `thread` the newest digest's thread stands beside the channel. Runs in a thread, because it reads.
    """

    def __init__(self, settings: Settings, conversations: Conversations, renderer: Renderer) -> None:
        self._settings = settings
        self._conversations = conversations
        self._renderer = renderer

    def show(self, request: Request) -> Response:
        """Answer with the page; 404 for a channel or thread that does not exist."""
        asked = request.query_params
        channel = self._settings.channel(asked.get("channel"))
        if channel is None:
            return self._problem("no-channel")
        before = number_in(asked.get("before"))
        # Asked first: what is said while the rest is read comes twice to the page, never not at all.
        last = self._conversations.last() if before is None else None
        heads = self._conversations.heads(channel.id, _ROOTS + 1, before)
        shown = Shown(channel, heads[-_ROOTS:], last, older=len(heads) > _ROOTS)
        return self._with_thread(shown, asked.get("thread"))

    def _with_thread(self, shown: Shown, asked: str | None) -> Response:
        head = _newest_digest(shown.heads) if asked is None else None
        if asked is not None and asked != _CLOSED:
            number = number_in(asked)
            head = None if number is None else self._conversations.head(shown.channel.id, number)
            if head is None:
                return self._problem("no-thread")
        if head is not None:
            replies = self._conversations.replies(shown.channel.id, head.root.id)
            shown = replace(shown, thread=head, replies=replies, explicit=asked is not None)
        return HTMLResponse(self._renderer.page(shown))

    async def missing(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI application for every other address."""
        await self._problem("no-page")(scope, receive, send)

    def _problem(self, code: str) -> Response:
        return HTMLResponse(self._renderer.problem_page(self._renderer.problem(code)), 404)


def _newest_digest(heads: Sequence[ThreadHead]) -> ThreadHead | None:
    """What the bot said in the channel itself is a digest; its answers stand under what was asked."""
    return next((head for head in reversed(heads) if head.root.is_bot), None)


def static(request: Request) -> Response:
    """`GET /static/NAME`: an address names one content, so it may be kept for ever."""
    asset = assets().get(request.path_params["name"])
    if asset is None:
        return PlainTextResponse("no such file\n", 404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(asset.body, media_type=asset.media_type, headers=headers)
