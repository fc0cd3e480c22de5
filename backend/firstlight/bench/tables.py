"""Our measurements beside the article's tables that need no GPU, in one run.

The seven stages, JSON library, compression, chunk size, tokenizer. Each part is a module with `measured(quick)`.
"""

from __future__ import annotations

from firstlight.bench import article, tables_json, tables_stages, tables_stream, tables_tokenizer
from firstlight.bench.figures import Part, Report, report


def measure(quick: bool) -> Report:
    """All tables as notes, all figures together. Raises StartError where the server cannot run."""
    parts: list[Part] = [
        tables_stages.measured(quick),
        tables_json.measured(quick),
        tables_stream.compression(quick),
        tables_stream.chunks(quick),
        tables_tokenizer.measured(quick),
    ]
    figures = {name: value for part in parts for name, value in part.figures.items()}
    notes = [article.WHERE, *(f"### {part.title}\n\n{part.notes}" for part in parts)]
    return report("tables", figures, ["msgspec", "orjson", "zstandard", "litestar", "uvicorn"], "\n\n".join(notes))
