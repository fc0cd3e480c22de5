"""The small model's tokenizer against the length of the prompt."""

from __future__ import annotations

import asyncio
import inspect
import statistics
import time
from pathlib import Path

from firstlight.bench import article
from firstlight.bench.figures import Part, percentile, table
from firstlight.engine.models import DEFAULT, cache
from firstlight.engine.render import ChatRenderer
from firstlight.wire import Message

LENGTHS = (10, 100, 1_000, 10_000, 100_000)


def measured(quick: bool) -> Part:
    """Figures `tokenizer_CHARACTERS_ms_p50`, `_p95` and `_tokens`; none where the small model is not prepared."""
    folder = cache() / "models" / f"{DEFAULT.name}-{DEFAULT.revision}"
    if not folder.is_dir():
        notes = f"{article.TOKENIZER} Nothing was measured: the small model is not here; `make run` prepares it."
        return Part("Tokenizer", {}, notes)
    return asyncio.run(_measured(folder, 5 if quick else 50))


async def _measured(folder: Path, rounds: int) -> Part:
    renderer = ChatRenderer.load(str(folder))
    figures: dict[str, float] = {}
    rows: list[list[object]] = []
    for length in LENGTHS:
        messages = [Message("user", text(length))]
        ids = await renderer.render(messages)
        times = []
        for _ in range(rounds):
            began = time.perf_counter()
            await renderer.render(messages)
            times.append((time.perf_counter() - began) * 1_000)
        p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
        figures |= {f"tokenizer_{length}_ms_p50": p50, f"tokenizer_{length}_ms_p95": p95}
        figures[f"tokenizer_{length}_tokens"] = len(ids)
        rows.append([str(length), len(ids), p50, p95])
    head = ["characters", "tokens, template included", "ms p50", "p95"]
    notes = f"{article.TOKENIZER} {DEFAULT.name}, chat template included."
    return Part("Tokenizer", figures, f"{table(head, rows)}\n\n{notes}")


def text(length: int) -> str:
    """English and code from Python's own library, `length` characters of it."""
    source = inspect.getsource(statistics)
    return (source * (length // len(source) + 1))[:length]
