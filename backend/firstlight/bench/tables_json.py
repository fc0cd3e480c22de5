"""JSON libraries on our own documents: one event of a stream out, one request in."""

from __future__ import annotations

import json
import timeit
from collections.abc import Callable, Mapping

import msgspec
import orjson

from firstlight.bench import article
from firstlight.bench.figures import Part, percentile, table
from firstlight.wire import ChatRequest, Delta, Message

EVENT = Delta(seq=48, text=" and the rest of it comes a little later,", tokens=8, at=1_234.567)
REQUEST = ChatRequest(
    tuple(Message(("user", "assistant")[turn % 2], "A line of a long conversation. " * 20) for turn in range(41))
)


def measured(quick: bool) -> Part:
    """Figures `json_WHAT_LIBRARY_us_p50` and `_p95`: microseconds a document, WHAT one of `event`, `request`."""
    rounds = 20 if quick else 200
    shown: list[list[object]] = []
    figures: dict[str, float] = {}
    for library in ("msgspec", "orjson", "json"):
        row: list[object] = [library, article.JSON_MS.get(library, article.UNKNOWN)]
        for what, jobs, loops in (("event", encoders(), 1_000), ("request", decoders(), 20)):
            times = _times(jobs[library], loops, rounds)
            for stat, share in (("p50", 0.5), ("p95", 0.95)):
                figures[f"json_{what}_{library}_us_{stat}"] = percentile(times, share)
                row.append(figures[f"json_{what}_{library}_us_{stat}"])
        shown.append(row)
    size = len(msgspec.json.encode(REQUEST))
    head = ["library", "article, ms", "an event out, us p50", "p95", "a request in, us p50", "p95"]
    notes = (
        f"An event of 8 tokens is encoded; a request of {len(REQUEST.messages)} messages ({size} bytes) is decoded, by "
        "msgspec into its types, checked, by the others into dictionaries. Of what document the article speaks is not "
        "known: no event of a stream is near a millisecond."
    )
    return Part("JSON library", figures, f"{table(head, shown)}\n\n{notes}")


def encoders() -> Mapping[str, Callable[[], object]]:
    """One event to bytes, by library. Only msgspec can do without a dictionary; making that is not counted."""
    plain, encoder = msgspec.to_builtins(EVENT), msgspec.json.Encoder()
    return {
        "msgspec": lambda: encoder.encode(EVENT),
        "orjson": lambda: orjson.dumps(plain),
        "json": lambda: json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode(),
    }


def decoders() -> Mapping[str, Callable[[], object]]:
    """One request from bytes, by library."""
    data, decoder = msgspec.json.encode(REQUEST), msgspec.json.Decoder(ChatRequest)
    return {
        "msgspec": lambda: decoder.decode(data),
        "orjson": lambda: orjson.loads(data),
        "json": lambda: json.loads(data),
    }


def _times(job: Callable[[], object], loops: int, rounds: int) -> list[float]:
    return [seconds / loops * 1e6 for seconds in timeit.Timer(job).repeat(rounds, loops)]
