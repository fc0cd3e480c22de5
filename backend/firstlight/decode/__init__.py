"""Stage 6: a prompt is handed to the engine and its reply runs: `Generation` out."""

from firstlight.decode.decode import Decode

__all__ = ["Decode"]
