"""A page's exported report, as far as the doctor reads it; the whole is in `frontend/src/timing/report.ts`.

Times are milliseconds. What the page could not tell is null there and None here; unknown fields are ignored.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from firstlight.errors import StartError
from firstlight.wire import Marks, Usage

Millis = Annotated[float, Meta(ge=0, le=1e9)]
MAX_CHARACTERS = 200
Moment = Annotated[float, Meta(ge=-1e15, le=1e15)]
Count = Annotated[int, Meta(ge=0, le=2**53)]


class Rows(Struct, frozen=True):
    """The waterfall of one reply: together they are its TTFT."""

    capture: Millis | None = None
    connection: Millis | None = None
    routing: Millis | None = None
    admission: Millis | None = None
    prefill: Millis | None = None
    decode: Millis | None = None
    assembly: Millis | None = None
    unaccounted: Millis | None = None


class Chunk(Struct, frozen=True):
    """One chunk: its bytes read (page's clock), handed to the socket (`at`, server's clock), its tokens."""

    read: Moment
    at: Moment | None = None
    tokens: Count = 0


class Wire(Struct, frozen=True):
    """What the browser said of the connection."""

    request_header_bytes: Count | None = None
    reused: bool | None = None


class Reply(Struct, frozen=True):
    """One reply. `asked_at` is the wall clock of its keydown."""

    asked_at: Annotated[datetime, Meta(tz=True)]
    rows: Rows
    ttft_ms: Millis | None = None
    missing: tuple[str, ...] = ()
    usage: Usage | None = None
    prompt_tokens: Count | None = None
    wire: Wire = Wire()
    dropped_frames: Count = 0
    page: dict[str, Moment] = {}
    server: Marks = msgspec.field(default_factory=Marks)
    timeline: tuple[Chunk, ...] = ()


class Report(Struct, frozen=True):
    """The replies of one page, oldest first."""

    version: Literal[1]
    replies: tuple[Reply, ...]


class _Version(Struct, frozen=True):
    version: int


def parse(data: bytes, name: str) -> Report:
    """The report in `data`. Raises StartError with one line, which calls the source `name`, where it is none."""
    try:
        if (version := msgspec.json.decode(data, type=_Version).version) != 1:
            raise StartError(f"{name} is a report of version {version}; this doctor reads version 1")
        report = msgspec.json.decode(data, type=Report)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise StartError(f"{name} is not a report exported by the page: {plain(str(error))}") from error
    if not any(reply.ttft_ms is not None or any_row(reply) for reply in report.replies):
        raise StartError(f"{name} has no reply with a waterfall: {_why(report)}")
    return report


def any_row(reply: Reply) -> bool:
    """Whether any row of the reply is told."""
    return any(getattr(reply.rows, name) is not None for name in Rows.__struct_fields__)


def plain(text: str) -> str:
    """Text that anybody may have written: nothing in it reaches the terminal but characters to be read, on one line."""
    shown = "".join(character if character.isprintable() else "?" for character in text)
    return shown if len(shown) <= MAX_CHARACTERS else f"{shown[:MAX_CHARACTERS]}..."


def _why(report: Report) -> str:
    if not report.replies:
        return "send a message, then export again"
    reasons = [reason for reply in report.replies for reason in reply.missing]
    return plain(reasons[0]) if reasons else "none of them came to its first word"
