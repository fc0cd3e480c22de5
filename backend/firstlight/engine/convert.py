"""One GGUF file to a model folder: `python -m firstlight.engine.convert FILE FOLDER`.

A process of its own, so that the server does not keep transformers and a second copy of the weights in memory.
"""

from __future__ import annotations

import sys
from pathlib import Path

# SmolLM2's model card recommends these; its GGUF carries no sampling defaults, and at temperature 1 it rambles.
TEMPERATURE = 0.2
TOP_P = 0.9


def convert(gguf: Path, folder: Path) -> None:
    """Write bf16 weights, tokenizer, chat template and generation config of `gguf` into `folder`."""
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    # Without `dequantize` the weights stay in GGUF's blocks, and cannot be saved.
    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, dtype="bfloat16", quantization_config=GgufConfig(dequantize=True)
    )
    model.generation_config.update(do_sample=True, temperature=TEMPERATURE, top_p=TOP_P)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
