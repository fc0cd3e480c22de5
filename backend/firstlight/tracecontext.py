"""Whose span a reply's is: W3C Trace Context, level 1, as far as taking part in a trace and handing it on needs it."""

from __future__ import annotations

import re
import secrets

import msgspec

_TRACEPARENT = re.compile(
    r"(?!ff)(?P<version>[0-9a-f]{2})-(?!0{32})(?P<trace>[0-9a-f]{32})-(?!0{16})(?P<span>[0-9a-f]{16})"
    r"-(?P<flags>[0-9a-f]{2})(?P<more>-.*)?"
)


class TraceContext(msgspec.Struct, frozen=True):
    """A reply's own span, in lower-case hex, and the caller's; None where the trace begins with this reply."""

    trace_id: str
    span_id: str
    parent_id: str | None = None
    sampled: bool = True

    @property
    def traceparent(self) -> str:
        """The header by which others make their spans children of this one."""
        return f"00-{self.trace_id}-{self.span_id}-{int(self.sampled):02x}"


def follow(traceparent: str | None) -> TraceContext:
    """A fresh span in the trace that the header names; in one of its own where the header is missing or malformed."""
    span_id = secrets.token_hex(8)
    found = _TRACEPARENT.fullmatch(traceparent or "")
    if found is None or (found["version"] == "00" and found["more"]):
        return TraceContext(secrets.token_hex(16), span_id)
    return TraceContext(found["trace"], span_id, found["span"], sampled=bool(int(found["flags"], 16) & 1))
