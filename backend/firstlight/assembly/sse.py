"""Events to bytes. Whatever the model says stays inside the one `data:` line of its event.

JSON escapes carriage return and line feed, the only characters that end a line in an event stream, so that no text can
forge a second line or event.
"""

from __future__ import annotations

import msgspec

from firstlight.wire import EVENT_NAMES, StreamEvent

HEARTBEAT = b":hb\n\n"
"""A comment, which every client skips: it tells proxies that the stream is alive."""

_PREFIXES = {kind: f"event: {name}\ndata: ".encode() for kind, name in EVENT_NAMES.items()}
_encode = msgspec.json.Encoder().encode


def event(item: StreamEvent) -> bytes:
    """The bytes of one event, its closing blank line included."""
    return _PREFIXES[type(item)] + _encode(item) + b"\n\n"
