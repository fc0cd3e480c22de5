"""The figures of the article that this project began with, as far as they are known here.

A reply to "Hello" by a model of 70 billion parameters on 4 to 8 H100, at 0.78 s. It is quoted, not checked: some of its
figures contradict each other (a TTFT below its own prefill), and its machine is another. What is not known says so.
"""

from __future__ import annotations

from firstlight.stages import Stage

UNKNOWN = "not known"
WHERE = (
    "The article's figures are of a 70B model on 4 to 8 H100, ours of this machine without a GPU: what is compared is "
    "where time goes, not how fast the machine is."
)

STAGES: dict[Stage, str] = {
    Stage.ADMISSION: "27, after caching 12",
    Stage.PREFILL: "192 (340 without FlashAttention 2); TTFT 178 to 180",
    Stage.DECODE: "21 to 21.3 a token (28.5 without CUDA graphs)",
}
"""Milliseconds of each stage, of those that are known."""

ITL_MS = 21.3
CHUNK_TOKENS = 8
JSON_MS = {"orjson": "1.3", "json": "11"}
"""Milliseconds of one serialisation; of what document is not known."""
COMPRESSION = "The article takes zstd at level 3 instead of gzip; its figures are not known here."
TOKENIZER = "The article takes a tokenizer written in Rust, as this one is; its figures are not known here."
