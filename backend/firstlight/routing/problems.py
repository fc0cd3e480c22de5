"""Every answer that is an error, as a problem document (RFC 9457): ours, the framework's, and those nobody foresaw."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any

import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap

from firstlight.errors import InvalidRequest, MethodNotAllowed, NotFound, Refused
from firstlight.wire import ErrorType, Problem

logger = structlog.get_logger(__name__)


def handlers(count: Callable[[ErrorType], None]) -> ExceptionHandlersMap:
    """The application's exception handlers. `count` is told the type of each problem."""

    def refused(_: Request[Any, Any, Any], error: Refused) -> Response[Problem]:
        count(error.type)
        return _respond(error)

    def framework(request: Request[Any, Any, Any], error: HTTPException) -> Response[Problem]:
        known = _translate(error)
        if known is None:
            return unforeseen(request, error)
        count(known.type)
        return _respond(known, error.headers or {})

    def unforeseen(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
        request_id = secrets.token_hex(8)
        logger.error("unforeseen", request_id=request_id, path=request.scope.get("path_template"), exc_info=error)
        count(Refused.type)
        detail = "Something went wrong on the server. Its log has more, under this request id."
        return _respond(Refused(detail), request_id=request_id)

    return {Refused: refused, HTTPException: framework, Exception: unforeseen}


def _translate(error: HTTPException) -> Refused | None:
    """One of the framework's own refusals in our words; None where it is a fault of ours."""
    match error.status_code:
        case 404:
            return NotFound("There is nothing at this address.")
        case 405:
            return MethodNotAllowed("This address does not take that method.")
        case status if status < 500:
            return InvalidRequest(error.detail)
    return None


def _respond(
    error: Refused, headers: Mapping[str, str] | None = None, request_id: str | None = None
) -> Response[Problem]:
    problem = error.problem(request_id)
    sent = dict(headers or {})
    if error.status == 401:
        sent["www-authenticate"] = 'Bearer error="invalid_token"'
    if problem.retry_after is not None:
        sent["retry-after"] = str(problem.retry_after)
    return Response(problem, status_code=error.status, media_type="application/problem+json", headers=sent)
