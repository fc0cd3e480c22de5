"""The progress rule for whoever reads an answer: take something every now and then, or be cut off."""

from __future__ import annotations

import asyncio
import socket
import struct

from firstlight.stages import now

RESET = struct.pack("ii", 1, 0)


class ReaderWatch:
    """Aborts `transport` once its unsent bytes have not become fewer for `patience` seconds.

    It runs only while nobody writes: while writing is paused, and after the last byte of an answer was written.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport, patience: float) -> None:
        self._loop = loop
        self._transport = transport
        self._patience = patience
        self._timer: asyncio.TimerHandle | None = None
        self._unsent = 0
        self._progress = 0.0

    def start(self) -> None:
        """Watch from now on, until nothing is unsent."""
        self.stop()
        self._unsent = self._transport.get_write_buffer_size()
        self._progress = now()
        if self._unsent:
            self._wait()

    def stop(self) -> None:
        """Watch no longer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        self._timer = self._loop.call_later(self._patience / 8, self._look)

    def _look(self) -> None:
        unsent = self._transport.get_write_buffer_size()
        moment = now()
        if unsent < self._unsent:
            self._unsent, self._progress = unsent, moment
        if moment - self._progress >= self._patience:
            # A reset, so that the kernel too lets go of what the reader never took.
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            self._transport.abort()
        elif unsent:
            self._wait()
