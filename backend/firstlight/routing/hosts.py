"""Which names the server answers to: against a foreign name that was made to point here (DNS rebinding)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Any

from litestar import Request

from firstlight.errors import InvalidRequest


def only_for(hosts: Collection[str]) -> Callable[[Request[Any, Any, Any]], Awaitable[None]] | None:
    """A check before every handler that `Host` is one of `hosts`, whatever its port; None where any will do."""
    known = {host.lower() for host in hosts}

    async def check(request: Request[Any, Any, Any]) -> None:
        if _name(request.headers.get("host", "")) not in known:
            raise InvalidRequest("This server does not answer to that Host.")

    return check if known else None


def _name(host: str) -> str:
    name, separator, port = host.lower().rpartition(":")
    return name if separator and port.isdigit() else host.lower()
