"""Every error that a caller can meet, as one tree. Errors of other libraries never leave the stage that met them.

FirstLightError
|- Refused               answered before the stream: status and problem type
|  |- InvalidRequest     400 (also context_length)   |- Unauthenticated   401   |- Forbidden      403
|  |- NotFound           404   |- MethodNotAllowed  405   |- NotAcceptable  406   |- Timeout 408  |- Gone 410
|  |- TooLarge           413   |- UnsupportedMedia  415   |- RateLimited    429   |- HeadersTooLarge 431
|  |- Overloaded         503   |- EngineUnavailable 503   |- Draining       503   |- NotBuilt       503
|- EngineFailed          the engine gave up on one reply, or died: an `error` event
|- ReaderLeft            nobody reads this stream any more: the socket is gone, or takes nothing
|- StartError            the server cannot start: one line, exit code 2
"""

from __future__ import annotations

from firstlight.wire import ErrorType, Problem

_WAITS = (429, 503)
"""Statuses that always say when to come back."""


class FirstLightError(Exception):
    """Root of the tree."""


class Refused(FirstLightError):
    """A request that is turned away before its stream begins.

    `field` is a JSON pointer into the body, `limit` the figure that was broken, `retry_after` whole seconds.
    """

    status = 500
    type: ErrorType = "internal"
    title = "Internal error"

    def __init__(
        self, detail: str, *, field: str | None = None, limit: int | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.field = field
        self.limit = limit
        self.retry_after = retry_after

    def problem(self, request_id: str | None = None) -> Problem:
        """The body of the answer; at 429 and 503 it says when to come back, after a second if nobody knows better."""
        return Problem(
            type=self.type,
            title=self.title,
            status=self.status,
            detail=self.detail,
            field=self.field,
            limit=self.limit,
            retry_after=max(1, self.retry_after or 1) if self.status in _WAITS else None,
            request_id=request_id,
        )


class InvalidRequest(Refused):
    """The body is not what the contract says."""

    status, title = 400, "Invalid request"
    type: ErrorType = "invalid_request"


class ContextLength(InvalidRequest):
    """The prompt does not fit the model's context."""

    type, title = "context_length", "Prompt too long"


class Unauthenticated(Refused):
    """No token, or one that does not verify."""

    status, type, title = 401, "unauthenticated", "Not signed in"


class Forbidden(Refused):
    """The token is good, but not for this."""

    status, type, title = 403, "forbidden", "Not allowed"


class NotFound(Refused):
    """No such thing, or it belongs to someone else."""

    status, type, title = 404, "not_found", "Not found"


class MethodNotAllowed(Refused):
    """The path exists, the method does not."""

    status, type, title = 405, "method_not_allowed", "Method not allowed"


class NotAcceptable(Refused):
    """The client refuses every encoding that the server has."""

    status, type, title = 406, "not_acceptable", "No acceptable encoding"


class Timeout(Refused):
    """The request took too long to arrive."""

    status, type, title = 408, "timeout", "Request timed out"


class Gone(Refused):
    """The reply was here and is kept no longer."""

    status, type, title = 410, "gone", "No longer kept"


class TooLarge(Refused):
    """The body has more bytes than the limit."""

    status, type, title = 413, "too_large", "Request too large"


class UnsupportedMedia(Refused):
    """Not `application/json`, or encoded."""

    status, type, title = 415, "unsupported_media", "Unsupported media type"


class RateLimited(Refused):
    """The bucket is empty; `retry_after` says when it is not."""

    status, type, title = 429, "rate_limited", "Too many requests"


class HeadersTooLarge(Refused):
    """The header section is over the limit."""

    status, type, title = 431, "headers_too_large", "Headers too large"


class Overloaded(Refused):
    """The engine's queue is full."""

    status, type, title = 503, "overloaded", "Busy"


class EngineUnavailable(Refused):
    """The engine is starting, has died, or is being replaced."""

    status, type, title = 503, "engine_unavailable", "Engine not available"


class Draining(Refused):
    """The server is about to stop."""

    status, type, title = 503, "draining", "Shutting down"


class NotBuilt(Refused):
    """The server has no page to serve; everything else works."""

    status, title = 503, "Page not built"


class EngineFailed(FirstLightError):
    """The engine ended a reply that it had taken. `dead` is true when no reply can be had from it any more."""

    def __init__(self, detail: str, *, dead: bool = False) -> None:
        super().__init__(detail)
        self.dead = dead


class ReaderLeft(FirstLightError):
    """The socket of a stream is gone, or took nothing for too long and was cut off; raised by `send`."""


class StartError(FirstLightError):
    """The server cannot start; the message is one line that says what is wrong and what to do."""
