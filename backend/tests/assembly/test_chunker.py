"""The chunker: first text alone, then a few tokens together, none held longer than the limit, nothing lost."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from firstlight.assembly.chunker import Chunker
from firstlight.generations import Piece
from firstlight.wire import Delta

MAX_WAIT = 0.016

steps = st.lists(st.tuples(st.integers(1, 12), st.floats(0, 0.1)), min_size=1, max_size=60)
"""One reply: tokens of each piece, seconds since the one before."""


def pieces_of(reply: list[tuple[int, float]]) -> list[Piece]:
    seqs = accumulate(tokens for tokens, _ in reply)
    times = accumulate(gap for _, gap in reply)
    return [Piece(seq, f"<{seq}>", tokens, at) for seq, at, (tokens, _) in zip(seqs, times, reply, strict=True)]


def play(pieces: list[Piece], after: int = 0) -> list[tuple[float, Delta]]:
    """Deltas with the times at which a reader that is never late sends them."""
    chunker, sent = Chunker(8, after), []
    for index, piece in enumerate(pieces):
        chunker.add([piece])
        upcoming = pieces[index + 1].at if index + 1 < len(pieces) else float("inf")
        now = piece.at
        while (due := chunker.due(MAX_WAIT)) is not None and max(due, now) <= upcoming:
            now = max(due, now)
            sent.append((now, chunker.take(now)))
    return sent


def test_the_first_text_goes_out_at_once_and_alone() -> None:
    chunker = Chunker(8)
    chunker.add([Piece(1, "Hel", 1, 0.0), Piece(2, "lo", 1, 0.0)])
    assert chunker.due(MAX_WAIT) == 0.0
    assert chunker.take(10.0) == Delta(seq=1, text="Hel", tokens=1)


def test_the_second_token_of_a_fast_reply_waits_for_company_until_a_frame_has_passed() -> None:
    chunker = Chunker(8)
    chunker.add([Piece(1, "a", 1, 10.0)])
    chunker.take(10.0)
    chunker.add([Piece(2, "b", 1, 10.002)])
    assert chunker.due(MAX_WAIT) == 10.0 + MAX_WAIT


def test_a_token_of_a_slow_reply_does_not_wait() -> None:
    chunker = Chunker(8)
    chunker.add([Piece(1, "a", 1, 10.0)])
    chunker.take(10.0)
    chunker.add([Piece(2, "b", 1, 10.03)])
    due = chunker.due(MAX_WAIT)
    assert due is not None
    assert due < 10.03


def test_eight_waiting_tokens_go_out_together_without_waiting_for_the_frame() -> None:
    chunker = Chunker(8)
    chunker.add([Piece(1, "a", 1, 10.0)])
    chunker.take(10.0)
    chunker.add([Piece(seq, str(seq), 1, 10.001) for seq in range(2, 9)])
    assert chunker.due(MAX_WAIT) == 10.0 + MAX_WAIT
    chunker.add([Piece(9, "9", 1, 10.001)])
    assert chunker.due(MAX_WAIT) == 0.0
    assert chunker.take(10.002) == Delta(seq=9, text="23456789", tokens=8)


def test_a_late_reader_takes_all_that_waits_in_one_event_after_the_first() -> None:
    pieces = [Piece(seq, str(seq % 10), 1, 0.0) for seq in range(1, 101)]
    chunker = Chunker(8)
    chunker.add(pieces)
    assert [chunker.take(5.0), chunker.take(5.0)] == [
        Delta(seq=1, text="1", tokens=1),
        Delta(seq=100, text="".join(piece.text for piece in pieces[1:]), tokens=99),
    ]
    assert chunker.due(MAX_WAIT) is None


def test_a_reader_that_resumes_takes_all_in_one_event_counted_from_where_it_was() -> None:
    chunker = Chunker(8, after=40)
    chunker.add([Piece(43, "x", 3, 0.0), Piece(44, "y", 1, 0.0)])
    assert chunker.due(MAX_WAIT) == 0.0
    assert chunker.take(5.0) == Delta(seq=44, text="xy", tokens=4)


@given(steps)
def test_the_deltas_joined_are_the_reply_and_seq_grows_by_tokens(reply: list[tuple[int, float]]) -> None:
    pieces = pieces_of(reply)
    deltas = [delta for _, delta in play(pieces)]
    assert "".join(delta.text for delta in deltas) == "".join(piece.text for piece in pieces)
    assert [delta.seq for delta in deltas] == list(accumulate(delta.tokens for delta in deltas))
    assert deltas[-1].seq == pieces[-1].seq


@given(steps, st.integers(0, 59))
def test_any_resumption_gives_the_rest_of_the_text(reply: list[tuple[int, float]], cut: int) -> None:
    pieces = pieces_of(reply)
    kept = pieces[: cut % len(pieces)]
    after = kept[-1].seq if kept else 0
    rest = [delta.text for _, delta in play(pieces[len(kept) :], after)]
    assert "".join(piece.text for piece in kept) + "".join(rest) == "".join(piece.text for piece in pieces)


@given(steps)
def test_no_token_waits_longer_than_the_limit_and_no_event_holds_a_token_too_many(
    reply: list[tuple[int, float]],
) -> None:
    pieces = pieces_of(reply)
    sent = play(pieces)
    for at, delta in sent:
        inside = [piece for piece in pieces if delta.seq - delta.tokens < piece.seq <= delta.seq]
        assert at - inside[0].at <= MAX_WAIT + 1e-9
        assert sum(piece.tokens for piece in inside[:-1]) < 8
    assert sent[0] == (pieces[0].at, Delta(seq=pieces[0].seq, text=pieces[0].text, tokens=pieces[0].tokens))
