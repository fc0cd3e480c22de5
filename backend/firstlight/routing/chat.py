"""`POST /api/chat`: the whole story of a reply."""

from __future__ import annotations

from typing import Any

from litestar import Request, post
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from firstlight.connection import connect
from firstlight.routing.service import Service


def chat_route(service: Service) -> HTTPRouteHandler:
    """The handler; each stage raises Refused where the story ends early."""

    @post("/api/chat", status_code=200)
    async def chat(request: Request[Any, Any, Any]) -> ASGIApp:
        arrival = connect(request.scope, request.receive)
        body = await arrival.body()
        coding = service.assembly.negotiate(arrival.headers.get("accept-encoding"))
        admitted = service.admission.admit(arrival.headers.get("authorization"), body, arrival.timeline)
        prompt = await service.prefill.prefill(admitted)
        generation = await service.decode.decode(prompt)
        service.record(generation)
        return service.assembly.assemble(generation, coding)

    return chat
