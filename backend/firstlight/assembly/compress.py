"""A content coding applied to a stream, with every event readable as soon as it is sent."""

from __future__ import annotations

from collections import deque
from typing import Protocol

import zstandard

ZSTD = "zstd"

_SPARE = 64
"""Contexts kept for the next streams: making one costs more than a flush, keeping one about a hundred KiB."""


class Coder(Protocol):
    """Turns the bytes of one stream into those on the wire."""

    def event(self, data: bytes) -> bytes:
        """Bytes from which the other side can read all of `data` at once."""
        ...

    def last(self, data: bytes) -> bytes:
        """The same for the stream's last bytes."""
        ...

    def close(self) -> None:
        """The stream is over, complete or not; the coder is of no use any more."""
        ...


class Identity:
    """No coding."""

    def event(self, data: bytes) -> bytes:
        """`data` itself."""
        return data

    last = event

    def close(self) -> None:
        """Holds nothing."""


class Zstd:
    """One zstd frame, a block of it flushed for every event. Its context goes back to the pool at the end."""

    def __init__(self, pool: ZstdPool) -> None:
        self._pool = pool
        self._context = pool.borrow()
        self._frame = self._context.compressobj()

    def event(self, data: bytes) -> bytes:
        """At least one whole block that holds `data`."""
        return self._frame.compress(data) + self._frame.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)

    def last(self, data: bytes) -> bytes:
        """The frame's last block."""
        return self._frame.compress(data) + self._frame.flush(zstandard.COMPRESSOBJ_FLUSH_FINISH)

    def close(self) -> None:
        """Give the context back; a frame cut short does no harm to the next one."""
        self._pool.give_back(self._context)


class ZstdPool:
    """Compression contexts of one level and window (2 ** `window_log` bytes), used again stream after stream."""

    def __init__(self, level: int, window_log: int) -> None:
        self._parameters = zstandard.ZstdCompressionParameters.from_level(level, window_log=window_log)
        self._spare: deque[zstandard.ZstdCompressor] = deque(maxlen=_SPARE)

    def borrow(self) -> zstandard.ZstdCompressor:
        """A context that no other stream has."""
        if self._spare:
            return self._spare.pop()
        return zstandard.ZstdCompressor(compression_params=self._parameters)

    def give_back(self, context: zstandard.ZstdCompressor) -> None:
        """Keep `context` for the next stream; where enough are kept, the oldest goes."""
        self._spare.append(context)
