"""Which content coding a client gets, by RFC 9110, section 12.5.3, weights included."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firstlight.errors import NotAcceptable

IDENTITY = "identity"

_WEIGHT = re.compile(r"(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)")
_UNNAMED = 0.0001
"""Weight of identity where the client does not name it: acceptable, but any coding that it names is better."""


def choose(accept_encoding: str | None, offered: Sequence[str]) -> str:
    """The coding of `offered` (in our order of preference) that the client weighs most, or identity.

    `accept_encoding` is the header's value; None, a client that sends none, gets identity. Elements with a malformed
    weight are ignored. Raises NotAcceptable where the client refuses identity and all that is offered.
    """
    if accept_encoding is None:
        return IDENTITY
    weights = _weights(accept_encoding)
    wildcard = weights.get("*")
    best = max((*offered, IDENTITY), key=lambda coding: weights.get(coding, _default(coding, wildcard)))
    if weights.get(best, _default(best, wildcard)) == 0:
        raise NotAcceptable(f"Accept-Encoding refuses everything on offer: {', '.join((*offered, IDENTITY))}.")
    return best


def _default(coding: str, wildcard: float | None) -> float:
    if wildcard is not None:
        return wildcard
    return _UNNAMED if coding == IDENTITY else 0.0


def _weights(header: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for element in header.split(","):
        coding, *parameters = (part.strip().lower() for part in element.split(";"))
        weight = parameters[0].removeprefix("q=") if parameters else "1"
        if coding and _WEIGHT.fullmatch(weight):
            weights[coding] = float(weight)
    return weights
