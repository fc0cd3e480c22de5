"""How often a user may ask: a token bucket each."""

from __future__ import annotations

from collections import OrderedDict

_SLACK = 1e-9
"""Rounding of the level's arithmetic; without it a user who waited exactly long enough might be refused."""


class Buckets:
    """A bucket a user holds up to `burst` requests and gains `rate` of them a second.

    At most `max_users` are kept: the longest unused is forgotten, which fills it. Pure: the moment is an argument.
    """

    def __init__(self, rate: float, burst: int, max_users: int) -> None:
        self._rate = rate
        self._burst = burst
        self._max_users = max_users
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._levels)

    def take(self, user: str, at: float) -> float:
        """Take one request from the bucket of `user` at `at`, seconds of a monotonic clock.

        Returns 0.0 where there was one, else the seconds until there is; a refusal costs nothing.
        """
        level, since = self._levels.pop(user, (float(self._burst), at))
        level = min(self._burst, level + (at - since) * self._rate)
        wait = max(0.0, (1 - level) / self._rate) if level < 1 - _SLACK else 0.0
        self._levels[user] = (level if wait else level - 1, at)
        if len(self._levels) > self._max_users:
            self._levels.popitem(last=False)
        return wait
