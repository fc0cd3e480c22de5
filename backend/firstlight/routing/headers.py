"""What every response carries, errors, streams and files alike (reliability cases L09 and L12)."""

from __future__ import annotations

from typing import Any

from firstlight.connection import link_of
from firstlight.stages import now, server_timing

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "font-src 'self'; manifest-src 'self'; frame-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types app dompurify"
)

ALWAYS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)

_NOT_KEPT = (b"cache-control", b"no-store")


async def complete(message: Any, scope: Any) -> None:
    """Add the headers to a response that starts; it is not to be kept by any cache, unless it says otherwise."""
    if message["type"] == "http.response.start":
        timing = server_timing(link_of(scope).timeline, now())
        headers = [*message["headers"], *ALWAYS, (b"server-timing", timing.encode())]
        if all(name != _NOT_KEPT[0] for name, _ in headers):
            headers.append(_NOT_KEPT)
        message["headers"] = headers
