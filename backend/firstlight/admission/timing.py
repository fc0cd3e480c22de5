"""What a page says of a reply must hold together, and with what the server itself saw. Pure."""

from __future__ import annotations

import msgspec

from firstlight.errors import InvalidRequest
from firstlight.wire import Marks, PageTiming

SLACK_MS = 1.0
"""Rounding, and two clocks that do not run at quite the same pace."""


def check_timing(timing: PageTiming, marks: Marks) -> None:
    """Raise InvalidRequest where the rows do not add up, or the page would have painted before the server sent."""
    if marks.first_byte is None:
        raise InvalidRequest("No text of this reply has been sent yet.", field="/ttft")
    if timing.ttft < marks.first_byte - SLACK_MS:
        raise InvalidRequest(
            "The first text cannot have been painted before it was sent.", field="/ttft", limit=int(marks.first_byte)
        )
    rows = msgspec.structs.astuple(timing.rows)
    total = sum(ms for ms in rows if ms is not None)
    if total > timing.ttft + SLACK_MS or (None not in rows and total < timing.ttft - SLACK_MS):
        raise InvalidRequest(f"The rows are {total:.3f} ms together, the whole is {timing.ttft:.3f} ms.", field="/rows")
