"""Replies under way and kept for replay: the pump that owns each, its token log, the registry."""

from firstlight.generations.generation import Generation
from firstlight.generations.log import End, Piece, Reader, TokenLog
from firstlight.generations.registry import Registry

__all__ = ["End", "Generation", "Piece", "Reader", "Registry", "TokenLog"]
