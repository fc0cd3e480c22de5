"""`/api/generations/{id}`: follow or replay a reply, stop it, and hear what its page saw of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from litestar import Request, delete, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.types import ASGIApp

from firstlight.connection import Arrival, connect
from firstlight.errors import InvalidRequest
from firstlight.generations import Generation
from firstlight.routing.service import Service
from firstlight.stages import User
from firstlight.wire import PageTiming, Stopped

PATH = "/api/generations/{generation_id:str}"

_DIGITS = 9
"""Of a position at most; no reply is longer."""

_TIMING_BYTES = 4_096
"""A page's timing has a few hundred."""


def generation_routes(service: Service, reported: Callable[[Generation, PageTiming], None]) -> list[HTTPRouteHandler]:
    """The handlers. To anyone but its user a reply does not exist. `reported` is told what a page saw of its own."""

    def asker(arrival: Arrival) -> User:
        return service.admission.verify(arrival.headers.get("authorization"))

    @get(PATH)
    async def follow(request: Request[Any, Any, Any], generation_id: FromPath[str]) -> ASGIApp:
        arrival = connect(request.scope, request.receive)
        generation = service.registry.get(generation_id, asker(arrival))
        coding = service.assembly.negotiate(arrival.headers.get("accept-encoding"))
        return service.assembly.assemble(generation, coding, position(request.query_params.get("from", "0")))

    @delete(PATH, status_code=200)
    async def stop(request: Request[Any, Any, Any], generation_id: FromPath[str]) -> Stopped:
        user = asker(connect(request.scope, request.receive))
        return await service.registry.stop(generation_id, user)

    @post(f"{PATH}/timing", status_code=204)
    async def timing(request: Request[Any, Any, Any], generation_id: FromPath[str]) -> None:
        arrival = connect(request.scope, request.receive)
        generation = service.registry.get(generation_id, asker(arrival))
        seen = service.admission.timing(await arrival.body(_TIMING_BYTES), generation.timeline.marks)
        if not generation.reported:  # the first one counts; the answer to all is the same
            generation.reported = True
            reported(generation, seen)

    return [follow, stop, timing]


def position(text: str) -> int:
    """The position in a reply that `text` names: a whole number from 0. Raises InvalidRequest."""
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise InvalidRequest("`from` must be a position in the reply: a whole number, 0 for its beginning.")
    return int(text)
