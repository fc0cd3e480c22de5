"""Since when a row of the waterfall has been over its budget: the p95 of its last replies decides."""

from __future__ import annotations

from collections import deque

from firstlight.budgets import Budget

REPLIES = 64
"""The window: so many replies."""

LEAST = 16
"""With fewer replies nothing is said: one slow one among them would be the p95."""


class Watch:
    """One row's last replies. `since` is when it came to be over its budget (seconds since 1970); 0.0: it is within."""

    def __init__(self, budget: Budget) -> None:
        self.since = 0.0
        self._budget = budget
        self._excess: deque[float] = deque(maxlen=REPLIES)

    def add(self, ms: float, ttft_ms: float, wall: float) -> None:
        """One reply more, whose row took `ms` of `ttft_ms` in all, at `wall`."""
        self._excess.append(ms - self._budget.limit_ms(ttft_ms))
        count = len(self._excess)
        over = count >= LEAST and sorted(self._excess)[-(count // 20) - 1] > 0
        if not over:
            self.since = 0.0
        elif not self.since:
            self.since = wall
