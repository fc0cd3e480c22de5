"""What the connection stage answers by itself: whole HTTP/1.1 responses for requests that never reach a handler."""

from __future__ import annotations

from http import HTTPStatus

import msgspec

from firstlight.errors import Refused
from firstlight.stages import Timeline, now, server_timing


def response(refused: Refused, accepted: float) -> bytes:
    """The bytes of a problem response, to a request that began at `accepted`; after it the connection closes."""
    problem = refused.problem()
    body = msgspec.json.encode(problem)
    head = [
        f"HTTP/1.1 {refused.status} {HTTPStatus(refused.status).phrase}",
        "content-type: application/problem+json",
        f"content-length: {len(body)}",
        "cache-control: no-store",
        "content-security-policy: default-src 'none'; frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        f"server-timing: {server_timing(Timeline(accepted), now())}",
        "connection: close",
    ]
    if problem.retry_after is not None:
        head.append(f"retry-after: {problem.retry_after}")
    return "\r\n".join([*head, "", ""]).encode("ascii") + body
