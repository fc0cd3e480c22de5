"""Frames between the server and the engine's process: four bytes of length, big-endian, and a msgpack document."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

HEADER = 4


def pack(document: object) -> bytes:
    """`document` as a frame."""
    body = msgspec.msgpack.encode(document)
    return len(body).to_bytes(HEADER, "big") + body


class Inbox:
    """Bytes as they come in, frames as they get whole."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The documents that `data` completes, not decoded."""
        self._bytes += data
        while len(self._bytes) >= HEADER:
            end = HEADER + int.from_bytes(self._bytes[:HEADER], "big")
            if len(self._bytes) < end:
                return
            body = bytes(self._bytes[HEADER:end])
            del self._bytes[:end]
            yield body
