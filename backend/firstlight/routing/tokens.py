"""`POST /auth/guest`: a token for somebody who has none."""

from __future__ import annotations

from typing import Any

from litestar import Request, post
from litestar.handlers import HTTPRouteHandler

from firstlight.errors import Forbidden
from firstlight.routing.service import Service
from firstlight.wire import Token


def guest_route(service: Service) -> HTTPRouteHandler:
    """The handler. It takes no body, and no request that a page of another site made the browser send."""

    @post("/auth/guest", status_code=200)
    async def guest(request: Request[Any, Any, Any]) -> Token:
        if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            raise Forbidden("Only this server's own page may ask for a token in a browser.")
        return service.admission.guest()

    return guest
