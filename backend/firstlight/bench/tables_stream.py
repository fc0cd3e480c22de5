"""What goes over the wire: compression, and how many tokens go into an event."""

from __future__ import annotations

from firstlight import settings
from firstlight.bench import article
from firstlight.bench.figures import Part, table
from firstlight.bench.zstd import REPLY_TOKENS, coder, events, measure_coder

CODINGS = ("identity", "gzip-6", "zstd-1 w15", "zstd-3 w17")
CHUNKS = (1, 2, 4, 8, 16, 32)


def compression(quick: bool) -> Part:
    """Figures `CODING_ratio`, `CODING_ratio_1` (one token an event) and `CODING_us_per_flush_p50`."""
    ours = _in_force()
    found = {name: measure_coder(name, 2 if quick else 20) for name in dict.fromkeys((*CODINGS, ours))}
    wanted = ("ratio", "ratio_1", "us_per_flush_p50")
    figures = {f"{_key(name)}_{what}": all_[what] for name, all_ in found.items() for what in wanted}
    rows = [[f"**{name}**" if name == ours else name, *(all_[what] for what in wanted)] for name, all_ in found.items()]
    head = ["coding", "ratio, 8 tokens an event", "1 token an event", "us per flush p50"]
    notes = (
        f"{article.COMPRESSION} Flushed for each event; in bold the setting in force; more: `firstlight bench zstd`."
    )
    return Part("Compression", figures, f"{table(head, rows)}\n\n{notes}")


def chunks(_quick: bool) -> Part:
    """Figures `chunk_N_bytes_per_token` and `_zstd_bytes_per_token` for events of N tokens; nothing is sampled."""
    figures: dict[str, float] = {}
    rows: list[list[object]] = []
    for tokens in CHUNKS:
        made, stream = events(tokens), coder(_in_force())()
        plain = sum(map(len, made)) / REPLY_TOKENS
        packed = sum(len(stream.event(data)) for data in made) / REPLY_TOKENS
        stream.close()
        figures |= {f"chunk_{tokens}_bytes_per_token": plain, f"chunk_{tokens}_zstd_bytes_per_token": packed}
        name = f"{tokens} (the article's)" if tokens == article.CHUNK_TOKENS else str(tokens)
        rows.append([name, len(made), plain, packed, (tokens - 1) * article.ITL_MS])
    head = ["tokens an event", f"events for {REPLY_TOKENS} tokens", "bytes a token", "with zstd", "longest wait, ms"]
    notes = (
        f"The longest wait is reckoned, not measured: a token that waits for the others at the article's "
        f"{article.ITL_MS} ms a token. What the article measured is not known here. First Light sends what there is "
        f"after {settings.load().assembly.max_wait_ms:g} ms, however few."
    )
    return Part("Chunk size", figures, f"{table(head, rows)}\n\n{notes}")


def _in_force() -> str:
    chosen = settings.load().assembly
    return f"zstd-{chosen.zstd_level} w{chosen.zstd_window_log}"


def _key(coding: str) -> str:
    return coding.replace("-", "_").replace(" ", "_")
