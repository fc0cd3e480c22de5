"""Stage 5: an admitted request's messages become token ids that fit the model: `Prompt` out."""

from firstlight.prefill.prefill import Prefill

__all__ = ["Prefill"]
