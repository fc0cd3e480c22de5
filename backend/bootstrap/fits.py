"""Models that fit the memory of the GPUs found."""

from __future__ import annotations

from collections.abc import Sequence

from bootstrap.host import Gpu

# Name on Hugging Face and GiB of its weights, from small to large.
MODELS = (
    ("Qwen/Qwen2.5-1.5B-Instruct", 2.9),
    ("openai/gpt-oss-20b", 12.8),
    ("Qwen/Qwen2.5-7B-Instruct", 14.2),
    ("meta-llama/Llama-3.1-8B-Instruct", 15.0),
    ("Qwen/Qwen3-32B-FP8", 32.0),
    ("Qwen/Qwen2.5-32B-Instruct", 61.0),
    ("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", 67.7),
    ("meta-llama/Llama-3.3-70B-Instruct", 131.4),
)
# Of a GPU's memory; the rest is for the KV cache, activations and CUDA graphs.
SHARE_FOR_WEIGHTS = 0.7
NAMED = 3


def suggest(gpus: Sequence[Gpu]) -> list[str]:
    """One line a model, largest first: how to start it on as few of `gpus` as hold it."""
    smallest = min((gpu.gib for gpu in gpus), default=0.0)
    lines = []
    for name, gib in reversed(MODELS):
        # Tensor parallelism splits attention heads evenly: powers of two divide those of all models above.
        count = next((n for n in (1, 2, 4, 8) if n <= len(gpus) and gib <= n * smallest * SHARE_FOR_WEIGHTS), 0)
        if count:
            prefix = f"FIRSTLIGHT_ENGINE__TENSOR_PARALLEL_SIZE={count} " if count > 1 else ""
            lines.append(f"{prefix}make run MODEL={name}   ({gib:.0f} GiB of weights)")
    return lines[:NAMED]
