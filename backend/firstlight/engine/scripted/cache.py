"""The prefix cache: which blocks of a prompt are known already. Bounded; what was not used for longest goes first."""

from __future__ import annotations

from collections import OrderedDict
from itertools import takewhile

BLOCK = 16
"""Tokens a block."""


class PrefixCache:
    """Blocks by the chain of hashes that leads to them, which begins with the salt: users never share a block."""

    def __init__(self, blocks: int) -> None:
        self._blocks = blocks
        self._known: OrderedDict[int, None] = OrderedDict()

    def match(self, salt: str, token_ids: list[int]) -> int:
        """Tokens of the prompt that are cached; from now on all its full blocks are.

        At least one token is always computed, since the reply's first token comes from it.
        """
        chains, link = [], hash(salt)
        for start in range(0, len(token_ids) - BLOCK + 1, BLOCK):
            link = hash((link, *token_ids[start : start + BLOCK]))
            chains.append(link)
        hits = sum(1 for _ in takewhile(self._known.__contains__, chains))
        self._keep(chains)
        return min(hits, (len(token_ids) - 1) // BLOCK) * BLOCK

    def _keep(self, chains: list[int]) -> None:
        # Backwards, so that a prompt's end goes before its beginning: without that the rest is worth nothing.
        for link in reversed(chains):
            self._known[link] = None
            self._known.move_to_end(link)
        while len(self._known) > self._blocks:
            self._known.popitem(last=False)
