"""What each row of the waterfall may take: `shared/budgets.json`, one file for server, page, tests and alerts."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from firstlight.errors import StartError

FILE = Path(__file__).parents[2] / "shared" / "budgets.json"
"""Where the budgets lie, in a checkout."""

ROWS = ("capture", "connection", "routing", "admission", "prefill", "decode", "assembly", "unaccounted")
"""The rows of the waterfall, in order: the seven stages, and what none of them explains."""


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The p95 of one row, in milliseconds; or `share` of the whole TTFT, where that is more. `means` is for people."""

    p95_ms: float
    means: str
    share: float = 0.0

    def limit_ms(self, ttft_ms: float) -> float:
        """What the row may take of a reply whose TTFT is `ttft_ms`."""
        return max(self.p95_ms, self.share * ttft_ms)


class Budgets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The budgets of all rows, by name, and of the whole: keydown to painted first text."""

    version: Literal[1]
    about: str
    ttft_ms: float
    stages: dict[str, Budget]


def load(path: Path = FILE) -> Budgets:
    """The budgets in `path`. Raises StartError with one line where it is missing, or is not what it should be."""
    try:
        budgets = msgspec.json.decode(path.read_bytes(), type=Budgets)
    except (OSError, msgspec.MsgspecError) as error:
        raise StartError(f"the budgets in {path} cannot be read: {error}") from error
    if tuple(budgets.stages) != ROWS:
        raise StartError(f"the budgets in {path} must have just these rows, in this order: {', '.join(ROWS)}")
    return budgets
