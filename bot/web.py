"""What the server answers: whether the bot is well, what it counted, and the webhooks of chat platforms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, Router

Check = Callable[[], str | None]
"""What is wrong with a part of the bot, in one English line; None: nothing."""


def application(
    alive: Mapping[str, Check], ready: Mapping[str, Check], metrics: Callable[[], bytes], webhooks: Sequence[BaseRoute]
) -> Router:
    """`/healthz` (is a restart needed?), `/readyz` (can it work now?), `/metrics`, and the webhooks' own routes.

    Routes may be added to what is returned.
    """

    async def measured(_: Request) -> Response:
        return Response(await run_in_threadpool(metrics), media_type=CONTENT_TYPE_LATEST)

    routes = [
        Route("/healthz", _checked(alive), methods=["GET"]),
        Route("/readyz", _checked({**alive, **ready}), methods=["GET"]),
        Route("/metrics", measured, methods=["GET"]),
        *webhooks,
    ]
    return Router(routes, redirect_slashes=False)


def _checked(checks: Mapping[str, Check]) -> Callable[[Request], object]:
    async def checked(_: Request) -> Response:
        problems = await run_in_threadpool(lambda: {name: said for name, check in checks.items() if (said := check())})
        status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
        return JSONResponse({"ok": not problems, "problems": problems}, status)

    return checked
