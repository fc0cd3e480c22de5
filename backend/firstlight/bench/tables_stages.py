"""The seven stages: the server's parts over loopback with the scripted engine, the page's rows from its own report."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from pathlib import Path

import msgspec
import uvloop

from firstlight import logs, settings
from firstlight.bench import article
from firstlight.bench.figures import Part, percentile, table
from firstlight.bench.served import Served, free
from firstlight.engine.build import build
from firstlight.stages import Stage, parts

PAGE = Path(__file__).parents[3] / "e2e" / "report" / "latency.json"
"""What `make latency` leaves behind, in a checkout."""


class _PageReport(msgspec.Struct):
    figures: dict[str, float]


def measured(quick: bool) -> Part:
    """Figures `STAGE_ms_p50` and `_p95` (server), `page_STAGE_ms_p50`, `server_ttft_ms_p50`; milliseconds."""
    logs.configure(settings.Logs(level="warning"))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        seen = runner.run(_asked(20 if quick else 200))
    page = page_rows(PAGE)
    figures: dict[str, float] = {}
    rows: list[list[object]] = []
    for stage in Stage:
        values = seen.get(stage, [])
        if values:
            figures[f"{stage}_ms_p50"] = statistics.median(values)
            figures[f"{stage}_ms_p95"] = percentile(values, 0.95)
        if stage in page:
            figures[f"page_{stage}_ms_p50"] = page[stage]
        ours = [figures.get(f"{stage}_ms_{stat}", "-") for stat in ("p50", "p95")]
        rows.append([stage, article.STAGES.get(stage, article.UNKNOWN), *ours, page.get(stage, "-")])
    head = ["stage, ms", "article", "server p50", "p95", "page's row p50"]
    return Part("The seven stages", figures, f"{table(head, rows)}\n\n{_explained(page)}")


def page_rows(file: Path) -> dict[Stage, float]:
    """The page's rows in a report of the latency tests, p50 in milliseconds; empty where there is none."""
    try:
        figures = msgspec.json.decode(file.read_bytes(), type=_PageReport).figures
    except (OSError, msgspec.MsgspecError):
        return {}
    return {stage: figures[name] for stage in Stage if (name := f"{stage}_ms_p50") in figures}


async def _asked(rounds: int) -> dict[Stage, list[float]]:
    # The engine that needs no model: its prefill is what its script says, all else is our own.
    chosen = free(msgspec.structs.replace(settings.load(), engine=settings.Engine(kind="scripted")))
    async with Served(chosen, build(chosen)) as served:
        each = [parts((await served.ask()).marks) for _ in range(rounds)]
    return {stage: _values(each, stage) for stage in Stage}


def _values(each: Sequence[dict[Stage, float]], stage: Stage) -> list[float]:
    return [known[stage] for known in each if stage in known]


def _explained(page: dict[Stage, float]) -> str:
    server = (
        "Server: its part of the stage for one request at a time over a kept loopback connection. The scripted engine "
        "answers: of `prefill` 40 ms are its script's. `decode` is first token to first text, not the whole reply."
    )
    if page:
        return f"{server} Page: from the last `make latency` on this machine."
    return f"{server} No page has been measured here: run `make latency` first for its rows."
