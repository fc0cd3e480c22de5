"""What whoever runs the server asks: `/livez`, `/readyz`, `/metrics`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from litestar import Request, Response, get
from litestar.handlers import HTTPRouteHandler

from firstlight.routing.service import Service
from firstlight.wire import Ready

RETRY_AFTER_S = 2


def health_routes(service: Service, metrics: Callable[[str], tuple[str, bytes]]) -> list[HTTPRouteHandler]:
    """The handlers. `metrics` gives, for an `Accept` header, the media type of its answer and all figures in it."""

    @get("/livez")
    async def livez() -> Ready:
        return Ready("ok")

    @get("/readyz")
    async def readyz() -> Response[Ready]:
        ready = await service.ready()
        if ready.status == "ok":
            return Response(ready)
        return Response(ready, status_code=503, headers={"retry-after": str(RETRY_AFTER_S)})

    @get("/metrics")
    async def figures(request: Request[Any, Any, Any]) -> Response[bytes]:
        media_type, text = metrics(request.headers.get("accept", ""))
        return Response(text, headers={"content-type": media_type})

    return [livez, readyz, figures]
