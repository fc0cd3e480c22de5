"""When tokens go out: the first text at once and alone, then a few together, none waiting longer than a frame.

Pure: it keeps no clock. Times are seconds of `stages.now()`.
"""

from __future__ import annotations

from collections.abc import Iterable

from firstlight.generations import Piece
from firstlight.wire import Delta, Marks


class Chunker:
    """Groups the pieces of one reply, for one reader, into deltas; joined, these are the pieces, whatever the times."""

    def __init__(self, max_tokens: int, after: int = 0) -> None:
        """Send once `max_tokens` wait. `after` is the position that the reader has already: 0 for a whole reply."""
        self._max_tokens = max_tokens
        self._sent_seq = after
        self._sent_at: float | None = None
        self._waiting: list[Piece] = []
        self._first = after == 0

    def add(self, pieces: Iterable[Piece]) -> None:
        """Take what the log has more, in its order."""
        self._waiting += pieces

    def due(self, max_wait: float) -> float | None:
        """The moment at which what waits is to go out, 0.0 for at once; None where nothing waits.

        It lies at most `max_wait` seconds after the last delta, hence after the oldest token that waits.
        """
        if not self._waiting:
            return None
        if self._sent_at is None or self._waiting[-1].seq - self._sent_seq >= self._max_tokens:
            return 0.0
        return self._sent_at + max_wait

    def take(self, now: float, at: float | None = None, timing: Marks | None = None) -> Delta:
        """The next delta: all that waits, except that the first text of a reply goes alone. Needs `due` to be set.

        `at` and `timing` are fields of the delta, which says when it left on the reply's own clock.
        """
        count = 1 if self._first else len(self._waiting)
        pieces, self._waiting = self._waiting[:count], self._waiting[count:]
        seq = pieces[-1].seq
        text = "".join(piece.text for piece in pieces)
        delta = Delta(seq=seq, text=text, tokens=seq - self._sent_seq, at=at, timing=timing)
        self._first, self._sent_seq, self._sent_at = False, seq, now
        return delta
