"""The token log of one reply: written by its pump, read at their own pace by any number of readers."""

from __future__ import annotations

import asyncio
import hashlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from firstlight.errors import Gone, InvalidRequest
from firstlight.wire import Done, Error

End = Done | Error

_ROW_BYTES = 16
"""What a piece costs beside its text: `seq`, where its text ends, `at`."""


class Piece(msgspec.Struct, frozen=True, gc=False):
    """Text that came at `at` (seconds of `stages.now()`). `seq` counts the reply's tokens up to its end."""

    seq: int
    text: str
    tokens: int
    at: float


class TokenLog:
    """Append-only, with exactly one `end`. Text lies in one buffer, positions beside it in arrays: 16 bytes a piece.

    Tokens without text are counted with the next piece, at the end by `seq` alone. Over `max_bytes` the log drops its
    oldest pieces, though none that a present reader has yet to read. One thread: that of the event loop.
    """

    def __init__(self, max_bytes: int) -> None:
        self.seq = 0
        self.end: End | None = None
        self.readers: set[Reader] = set()
        self._max_bytes = max_bytes
        self._dropped_seq = self._dropped_bytes = 0
        self._text = bytearray()
        self._seqs, self._stops, self._ats = array("I"), array("I"), array("d")
        self._sha = hashlib.sha256()
        self._more = asyncio.Event()

    @property
    def sha256(self) -> str:
        """Digest of all text so far, dropped text included; lower-case hex."""
        return self._sha.hexdigest()

    @property
    def has_text(self) -> bool:
        """Whether any text has come, dropped text included."""
        return self._last_seq > 0

    @property
    def bytes(self) -> int:
        """Memory that the log's content takes."""
        return len(self._text) + _ROW_BYTES * len(self._seqs)

    def append(self, text: str, tokens: int, at: float) -> None:
        """Add `tokens` more tokens and their text, which came at `at`.

        Text with no token to its name has no position and is left out: an engine that was told to abort may still let
        go of characters that it held back for a stop string.
        """
        self.seq += tokens
        if not text or self.seq == self._last_seq:
            return
        data = text.encode()
        self._sha.update(data)
        self._text += data
        self._seqs.append(self.seq)
        self._stops.append(self._dropped_bytes + len(self._text))
        self._ats.append(at)
        if self.bytes > self._max_bytes:
            self._drop()
        self._wake()

    def close(self, end: End) -> None:
        """The reply ends with `end`; the first call holds."""
        if self.end is None:
            self.end = end
            self._wake()

    def check(self, after: int) -> None:
        """Raise Gone where text after position `after` is kept no longer, InvalidRequest where no piece ends there."""
        if 0 <= after < self._dropped_seq:
            raise Gone(f"Text from position {after} is kept no longer.")
        index = bisect_left(self._seqs, after)
        known = index < len(self._seqs) and self._seqs[index] == after
        if not known and after not in {self._dropped_seq, self.seq}:
            raise InvalidRequest(f"{after} is no position of this reply: give the seq of an event that you had, or 0.")

    def read(self, after: int) -> tuple[list[Piece], End | None]:
        """All pieces after position `after`, and the end where it has come. Does not wait. Raises Gone."""
        if after < self._dropped_seq:
            raise Gone(f"Text from position {after} is kept no longer.")
        first = bisect_right(self._seqs, after)
        return [self._piece(index) for index in range(first, len(self._seqs))], self.end

    def gaps(self) -> Iterator[tuple[float, int]]:
        """The time (seconds) between two tokens and how often it was, of all pieces kept: a piece's tokens share it."""
        for (before, last), (seq, at) in pairwise(zip(self._seqs, self._ats, strict=True)):
            yield (at - last) / (seq - before), seq - before

    async def wait(self, after: int) -> None:
        """Return once there is a piece after position `after`, or the end. Waking costs one future a waiting reader."""
        while self._last_seq <= after and self.end is None:
            await self._more.wait()

    @property
    def _last_seq(self) -> int:
        return self._seqs[-1] if self._seqs else self._dropped_seq

    def _piece(self, index: int) -> Piece:
        before = self._seqs[index - 1] if index else self._dropped_seq
        start = self._stops[index - 1] - self._dropped_bytes if index else 0
        text = self._text[start : self._stops[index] - self._dropped_bytes].decode()
        return Piece(self._seqs[index], text, self._seqs[index] - before, self._ats[index])

    def _size(self, count: int) -> int:
        """Memory of the first `count` pieces."""
        return self._stops[count - 1] - self._dropped_bytes + _ROW_BYTES * count

    def _drop(self) -> None:
        passed = bisect_right(self._seqs, min((reader.after for reader in self.readers), default=self.seq))
        excess = self.bytes - self._max_bytes
        count = next((count for count in range(1, passed + 1) if self._size(count) >= excess), passed)
        if not count:
            return
        dropped = self._stops[count - 1] - self._dropped_bytes
        self._dropped_seq = self._seqs[count - 1]
        self._dropped_bytes += dropped
        del self._text[:dropped]
        for column in (self._seqs, self._stops, self._ats):
            del column[:count]

    def _wake(self) -> None:
        self._more.set()
        self._more.clear()


class Reader:
    """One follower of a log, from position `after` on: the log keeps what it has yet to read until it leaves."""

    def __init__(self, log: TokenLog, after: int = 0) -> None:
        """Join. Raises InvalidRequest or Gone, as `TokenLog.check`."""
        log.check(after)
        self.after = after
        self._log = log
        log.readers.add(self)

    def read(self) -> tuple[list[Piece], End | None]:
        """What came since the last call, and the end where it has come. Does not wait."""
        pieces, end = self._log.read(self.after)
        if pieces:
            self.after = pieces[-1].seq
        return pieces, end

    async def wait(self) -> None:
        """Return once `read` has something to give, or the end."""
        await self._log.wait(self.after)

    def leave(self) -> None:
        """Read no more. Idempotent."""
        self._log.readers.discard(self)
