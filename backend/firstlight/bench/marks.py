"""What marking costs a reply: the clock read and kept at every step, said in a header, on `start` and on each delta.

Not counted is what would be there without it: the events themselves. The figures of metrics, logs and traces are made
after a reply has ended, and have one of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from firstlight import budgets
from firstlight.assembly.chunker import Chunker
from firstlight.bench.figures import Report, percentile, report
from firstlight.generations import Piece
from firstlight.metrics.watch import Watch
from firstlight.stages import Timeline, now, parts, server_timing
from firstlight.wire import Marks

_DELTAS = 32
"""Of a reply of 256 tokens."""


def measure(quick: bool) -> Report:
    """Figures `reply_us_p50` (all that is on a reply's way), what it is made of, and `ended_us_p50` (afterwards)."""
    rounds = 200 if quick else 2_000
    marked = _microseconds(_mark, rounds)
    header = _microseconds(_header, rounds)
    stamped, bare = (_microseconds(partial(_deltas, stamped=stamp), rounds) for stamp in (True, False))
    figures = {
        "reply_us_p50": marked + header + stamped - bare,
        "marks_us_p50": marked,
        "server_timing_us_p50": header,
        "deltas_us_p50": stamped - bare,
        "ended_us_p50": _microseconds(_ended, rounds),
    }
    return report("marks", figures, ["msgspec"])


def _whole() -> Timeline:
    timeline = Timeline(now())
    for name in Marks.__struct_fields__[1:]:
        timeline.mark(name)
    return timeline


def _mark() -> None:
    _whole()


def _header() -> None:
    server_timing(_WHOLE, _WHOLE.accepted + 1)


def _deltas(*, stamped: bool) -> None:
    chunker = Chunker(1)
    for seq in range(1, _DELTAS + 1):
        chunker.add((Piece(seq, "word", 1, 0.0),))
        moment = now()
        chunker.take(moment, _WHOLE.ms(moment) if stamped else None)


def _ended() -> None:
    for stage, ms in parts(_WHOLE.marks).items():
        _WATCHES[stage].add(ms, 100.0, 0.0)


_WHOLE = _whole()
_WATCHES = {row: Watch(budget) for row, budget in budgets.load().stages.items()}


def _microseconds(step: Callable[[], None], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        step()
        times.append((time.perf_counter() - begin) * 1e6)
    return percentile(times, 0.5)
