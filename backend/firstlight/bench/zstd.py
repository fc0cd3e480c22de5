"""What compressing a stream costs and gives: zstd by level and window beside gzip and identity, flushed for each event.

The text is English and code from Python's own library, cut as a reply is: 8 tokens an event (`ratio`) and
one (`ratio_1`, an engine slower than a token a frame). A token is taken for four characters. Memory is what the process
grows by for each stream that is open, at the end of a reply of 8,000 tokens, each setting in a process of its own.
"""

from __future__ import annotations

import inspect
import multiprocessing
import statistics
import time
import zlib
from array import array
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from firstlight import settings
from firstlight.assembly import sse
from firstlight.assembly.compress import Coder, Identity, Zstd, ZstdPool
from firstlight.bench.figures import Report, percentile, report, table
from firstlight.wire import Delta

TOKEN_CHARACTERS = 4
REPLY_TOKENS = 8_000
STEP_MS = 20.137
"""A token comes after so long; odd, so that when an event left has as many digits as on a real clock."""
WINDOWS = (12, 14, 15, 16, 17, 20)
LEVELS = (1, 3)


class Gzip:
    """gzip as proxies do it: level 6, a sync flush for each event."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj(6, wbits=31)

    def event(self, data: bytes) -> bytes:
        """`data`, readable at once."""
        return self._stream.compress(data) + self._stream.flush(zlib.Z_SYNC_FLUSH)

    def last(self, data: bytes) -> bytes:
        """The stream's end."""
        return self._stream.compress(data) + self._stream.flush()

    def close(self) -> None:
        """Holds nothing outside itself."""


def measure(quick: bool) -> Report:
    """Measure every setting; the figures are those of the one in force."""
    chosen = settings.load().assembly
    name = f"zstd-{chosen.zstd_level} w{chosen.zstd_window_log}"
    streams = 20 if quick else 60
    names = ["identity", "gzip-6", *dict.fromkeys([*(f"zstd-{lv} w{w}" for lv in LEVELS for w in WINDOWS), name])]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as fresh:
        rows = {name: fresh.submit(measure_coder, name, streams).result() for name in names}
    head = ["coding", "ratio", "ratio, 1 token an event", "us per flush p50", "p95", "KiB per stream"]
    marked = [[f"**{key}**" if key == name else key, *row.values()] for key, row in rows.items()]
    return report("zstd", rows[name], ["zstandard"], table(head, marked))


def measure_coder(name: str, streams: int) -> dict[str, float]:
    """Figures of the coder called `name` over `streams` streams, all open at once."""
    make, by_eight, by_one = coder(name), events(8), events(1)
    times = array("d", [0.0]) * (streams * len(by_eight))
    before = resident_kib()
    still_open = [make() for _ in range(streams)]
    sent = done = 0
    for data in by_eight:
        for one in still_open:
            start = time.perf_counter()
            sent += len(one.event(data))
            times[done] = time.perf_counter() - start
            done += 1
    grown = resident_kib() - before
    single = make()
    return {
        "ratio": streams * sum(map(len, by_eight)) / sent,
        "ratio_1": sum(map(len, by_one)) / sum(len(single.event(data)) for data in by_one),
        "us_per_flush_p50": percentile(times, 0.5) * 1e6,
        "us_per_flush_p95": percentile(times, 0.95) * 1e6,
        "kib_per_stream": grown / streams,
    }


def coder(name: str) -> Callable[[], Coder]:
    """A maker of coders from `identity`, `gzip-6` or `zstd-LEVEL wWINDOW`."""
    if name == "identity":
        return Identity
    if name == "gzip-6":
        return Gzip
    level, window = name.removeprefix("zstd-").split(" w")
    pool = ZstdPool(int(level), int(window))
    return lambda: Zstd(pool)


def events(tokens: int) -> list[bytes]:
    """The deltas of one reply of REPLY_TOKENS tokens, `tokens` in each, as bytes."""
    text = inspect.getsource(statistics)[: REPLY_TOKENS * TOKEN_CHARACTERS]
    size = tokens * TOKEN_CHARACTERS
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    return [
        sse.event(Delta((index + 1) * tokens, part, tokens, at=round((index + 1) * tokens * STEP_MS, 3)))
        for index, part in enumerate(parts)
    ]


def resident_kib() -> float:
    """Memory of this process that is in RAM."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4
