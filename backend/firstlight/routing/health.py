"""What whoever runs the server asks: `/livez`, `/readyz`, `/metrics`."""

from __future__ import annotations

from collections.abc import Callable

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler

from firstlight.routing.service import Service
from firstlight.wire import Ready

RETRY_AFTER_S = 2


def health_routes(service: Service, metrics: Callable[[], bytes]) -> list[HTTPRouteHandler]:
    """The handlers. `metrics` gives all figures as Prometheus text."""

    @get("/livez")
    async def livez() -> Ready:
        return Ready("ok")

    @get("/readyz")
    async def readyz() -> Response[Ready]:
        ready = await service.ready()
        if ready.status == "ok":
            return Response(ready)
        return Response(ready, status_code=503, headers={"retry-after": str(RETRY_AFTER_S)})

    @get("/metrics", media_type="text/plain; version=0.0.4")
    async def figures() -> bytes:
        return metrics()

    return [livez, readyz, figures]
