"""The entry of stage 5: messages become token ids that fit the model."""

from __future__ import annotations

from firstlight.engine.protocol import Engine
from firstlight.errors import ContextLength
from firstlight.stages import Admitted, Prompt


class Prefill:
    """Renders for `engine`, within its limits. `default_max_tokens` holds where a request names no figure."""

    def __init__(self, engine: Engine, default_max_tokens: int) -> None:
        self._engine = engine
        self._default_max_tokens = default_max_tokens

    async def prefill(self, admitted: Admitted) -> Prompt:
        """Tokenise, and set the mark tokenised. Raises ContextLength, InvalidRequest (the template refuses).

        A reply that would not fit is allowed what is left, at least one token.
        """
        token_ids = await self._engine.renderer.render(admitted.request.messages)
        limit = self._engine.limits.max_model_len
        left = limit - len(token_ids)
        if left < 1:
            raise ContextLength(
                f"The conversation has {len(token_ids)} tokens; the model takes {limit}, one at least for the reply.",
                field="/messages",
                limit=limit,
            )
        admitted.timeline.mark("tokenised")
        return Prompt(admitted, token_ids, min(admitted.request.max_tokens or self._default_max_tokens, left))
