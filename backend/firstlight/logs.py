"""Logs: one line an event, for people on a terminal, else JSON. Never a message's text, never a token.

Tracebacks are plain: what the variables held stays out, since that could be what a user wrote.
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import orjson
import structlog

from firstlight import settings
from firstlight.generations import Generation
from firstlight.stages import parts
from firstlight.wire import Done

logger = structlog.get_logger(__name__)

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def configure(wanted: settings.Logs) -> None:
    """Set up logging for the process; lines go to standard error."""
    console = wanted.format == "console" or (wanted.format == "auto" and sys.stderr.isatty())
    last: list[Any] = [
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(serializer=lambda event, **_: orjson.dumps(event, default=str).decode()),
    ]
    if console:
        last = [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[wanted.level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def reply_ended(generation: Generation) -> None:
    """The one line of a reply that has its end."""
    marks, end = generation.timeline.marks, generation.log.end
    logger.info(
        "reply",
        generation=generation.id,
        user=hashlib.sha256(generation.user.subject.encode()).hexdigest()[:12],
        finish=end.finish_reason if isinstance(end, Done) else end and end.type,
        prompt_tokens=generation.prompt_tokens,
        tokens=generation.log.seq,
        ttft_ms=marks.first_byte,
        total_ms=marks.finished,
        **{f"{stage}_ms": milliseconds for stage, milliseconds in parts(marks).items()},
    )
