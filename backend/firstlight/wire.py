"""The wire contract, version 1: every JSON document that crosses between page and server, as msgspec Structs.

This file is the source of truth. `shared/wire.schema.json` and `frontend/src/wire/types.gen.ts` are generated from it
(`make wire`), and `make check` fails when they drift. Times are milliseconds, sizes are bytes, counts are tokens.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

MAX_MESSAGES = 1_000
MAX_CONTENT = 1_000_000
MAX_STOP = 4
MAX_STOP_LENGTH = 128

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["stop", "length", "stopped", "quota"]
ErrorType = Literal[
    "invalid_request", "context_length", "unauthenticated", "forbidden", "not_found", "method_not_allowed",
    "not_acceptable", "timeout", "gone", "too_large", "unsupported_media", "rate_limited", "quota_exceeded",
    "headers_too_large", "overloaded", "engine_unavailable", "draining", "internal",
]  # fmt: skip


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One turn of the conversation."""

    role: Role
    content: Annotated[str, Meta(min_length=1, max_length=MAX_CONTENT)]


class ChatRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Body of `POST /api/chat`. A field left out takes the model's own default; no other field reaches the engine."""

    messages: Annotated[tuple[Message, ...], Meta(min_length=1, max_length=MAX_MESSAGES)]
    max_tokens: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(gt=0, le=1)] | None = None
    stop: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=MAX_STOP_LENGTH)], ...], Meta(max_length=MAX_STOP)
    ] = ()
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)] | None = None


class Marks(msgspec.Struct, omit_defaults=True):
    """Server marks of one reply, milliseconds after `accepted`; a mark not reached yet is absent."""

    accepted: float | None = None
    headers: float | None = None
    routed: float | None = None
    body: float | None = None
    verified: float | None = None
    bucket: float | None = None
    cleaned: float | None = None
    shaped: float | None = None
    tokenised: float | None = None
    queued: float | None = None
    started: float | None = None
    scheduled: float | None = None
    first_token: float | None = None
    first_text: float | None = None
    first_byte: float | None = None
    finished: float | None = None


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one reply. `cached_tokens` is the part of `prompt_tokens` found in the prefix cache."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int


class Start(msgspec.Struct, frozen=True, omit_defaults=True):
    """The engine has taken the prompt. First event of every stream; `generation` names the reply in later calls.

    `queued`: the engine computes for as many as it can, so this reply waits. `report`: the page is asked to post its
    `PageTiming` once the reply has ended. `request_header_bytes` is what the request's head took on the wire.
    """

    generation: str
    seq: Literal[0]
    model: str
    prompt_tokens: int
    timing: Marks
    request_header_bytes: int | None = None
    queued: bool = False
    report: bool = False


class Delta(msgspec.Struct, frozen=True, omit_defaults=True):
    """More text. `seq` counts the reply's tokens up to the end of this text: it grows by `tokens` each time.

    `at` is when it was handed to the socket, in milliseconds after `accepted`.
    """

    seq: int
    text: str
    tokens: int
    at: float | None = None
    timing: Marks | None = None


class Done(msgspec.Struct, frozen=True):
    """The reply is complete. `sha256` (lower-case hex) is over the UTF-8 bytes of the text of all deltas from seq 0."""

    seq: int
    finish_reason: FinishReason
    usage: Usage
    timing: Marks
    sha256: str


class Error(msgspec.Struct, frozen=True, omit_defaults=True):
    """The reply ends here and is not complete. `retry_after` is in seconds."""

    seq: int
    type: ErrorType
    message: str
    retryable: bool
    retry_after: int | None = None


StreamEvent = Start | Delta | Done | Error

EVENT_NAMES: dict[type[StreamEvent], str] = {Start: "start", Delta: "delta", Done: "done", Error: "error"}
"""The `event:` line of each type on the stream; the Struct itself is the `data:` line, without the name."""


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Body of a refusal, `application/problem+json` (RFC 9457). `field` is a JSON pointer (RFC 6901) into the body."""

    type: ErrorType
    title: str
    status: int
    detail: str
    field: str | None = None
    limit: int | None = None
    retry_after: int | None = None
    request_id: str | None = None


class Token(msgspec.Struct, frozen=True):
    """Answer of `POST /auth/guest`: a bearer token for `expires_in` seconds."""

    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int


class Stopped(msgspec.Struct, frozen=True):
    """Answer of `DELETE /api/generations/{id}`, the same however often it is asked."""

    generation: str
    state: Literal["stopped", "finished"]


HttpVersion = Literal["http/1.0", "http/1.1", "h2", "h3"]
Milliseconds = Annotated[float, Meta(ge=0, le=600_000)]


class Rows(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The waterfall of one reply, milliseconds. With `unaccounted` the rows are the whole TTFT. Absent: not known."""

    capture: Milliseconds | None = None
    connection: Milliseconds | None = None
    routing: Milliseconds | None = None
    admission: Milliseconds | None = None
    prefill: Milliseconds | None = None
    decode: Milliseconds | None = None
    assembly: Milliseconds | None = None
    unaccounted: Milliseconds | None = None


class PageTiming(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Body of `POST /api/generations/{id}/timing`: what the page saw of a reply, milliseconds.

    `ttft` is keydown to painted first text, `paint_p95` a chunk's bytes read to its text painted. `reused`: the request
    went over a connection that was there already.
    """

    rows: Rows
    ttft: Milliseconds
    itl_p50: Milliseconds | None = None
    itl_p95: Milliseconds | None = None
    paint_p95: Milliseconds | None = None
    reused: bool | None = None
    protocol: HttpVersion | None = None


class Ready(msgspec.Struct, frozen=True, omit_defaults=True):
    """Answer of `/livez` and `/readyz`. `reason` says in one line why it is not ready."""

    status: Literal["ok", "starting", "draining", "failed"]
    model: str | None = None
    reason: str | None = None
