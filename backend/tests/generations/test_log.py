"""The token log: every reader gets the same text, however it and the writer take turns."""

from __future__ import annotations

import asyncio
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.errors import Gone, InvalidRequest
from firstlight.generations import Piece, Reader, TokenLog
from firstlight.wire import Done, Error, Marks, Usage

texts = st.text(st.characters(codec="utf-8"), max_size=12)
outputs = st.lists(st.tuples(texts, st.integers(1, 9)), max_size=30)
END = Error(seq=0, type="internal", message="x", retryable=True)


def done(log: TokenLog) -> Done:
    return Done(log.seq, "stop", Usage(1, log.seq, 0), Marks(), log.sha256)


def filled(pieces: list[tuple[str, int]], max_bytes: int = 1_000_000) -> TokenLog:
    log = TokenLog(max_bytes)
    for number, (text, tokens) in enumerate(pieces):
        log.append(text, tokens, float(number))
    return log


def test_a_piece_tells_its_position_its_tokens_and_when_it_came() -> None:
    log = filled([("Hel", 1), ("", 2), ("lo", 1), ("é", 3)])
    pieces = [Piece(1, "Hel", 1, 0.0), Piece(4, "lo", 3, 2.0), Piece(7, "é", 3, 3.0)]
    assert log.read(0) == (pieces, None)
    assert log.read(4) == (pieces[2:], None)
    assert log.read(7) == ([], None)
    assert log.sha256 == hashlib.sha256("Helloé".encode()).hexdigest()


def test_tokens_without_text_at_the_end_show_in_the_count_alone() -> None:
    log = filled([("Hi", 1), ("", 2)])
    log.close(done(log))
    assert log.seq == 3
    assert log.read(1) == log.read(3) == ([], done(log))


def test_text_without_a_token_takes_the_position_of_those_that_had_none_or_is_left_out() -> None:
    log = filled([("a", 1), ("", 1), ("b", 0), ("c", 0)])
    assert [(piece.seq, piece.text) for piece in log.read(0)[0]] == [(1, "a"), (2, "b")]
    assert log.sha256 == hashlib.sha256(b"ab").hexdigest()


def test_the_first_end_holds() -> None:
    log = TokenLog(1000)
    log.close(END)
    log.close(done(log))
    assert log.read(0) == ([], END)


@pytest.mark.parametrize("after", [-1, 2, 3, 5, 10**12])
def test_a_position_that_is_none_is_refused(after: int) -> None:
    log = filled([("a", 1), ("b", 3)])
    with pytest.raises(InvalidRequest):
        Reader(log, after)
    assert log.readers == set()


def test_a_log_over_its_bound_loses_its_beginning() -> None:
    log = filled([("x" * 100, 1)] * 10, max_bytes=300)
    assert log.bytes <= 300
    assert [piece.seq for piece in log.read(8)[0]] == [9, 10]
    for read in (log.read, log.check):
        with pytest.raises(Gone):
            read(7)
    assert log.sha256 == hashlib.sha256(b"x" * 1000).hexdigest()


def test_what_a_present_reader_has_yet_to_read_is_never_lost() -> None:
    log = filled([("x" * 100, 1)] * 2, max_bytes=300)
    reader, ahead = Reader(log, 1), Reader(log, 2)
    for number in range(20):
        log.append(f"{number:03}" * 30, 1, 0.0)
        ahead.read()
    assert "".join(piece.text for piece in reader.read()[0]) == "x" * 100 + "".join(f"{n:03}" * 30 for n in range(20))
    reader.leave()
    reader.leave()
    log.append("y", 1, 0.0)
    assert log.bytes <= 300


@given(outputs, st.integers(40, 400), st.data())
def test_readers_that_come_at_any_position_and_time_get_exactly_what_follows(
    outputs: list[tuple[str, int]], max_bytes: int, data: st.DataObject
) -> None:
    log = TokenLog(max_bytes)
    pieces: list[Piece] = []
    following: list[tuple[Reader, int, list[Piece]]] = []
    for text, tokens in outputs:
        log.append(text, tokens, 0.0)
        if text:
            pieces.append(Piece(log.seq, text, log.seq - (pieces[-1].seq if pieces else 0), 0.0))
        if data.draw(st.booleans()):
            after = data.draw(st.sampled_from([0, *(piece.seq for piece in pieces)]))
            try:
                following.append((Reader(log, after), after, []))
            except Gone:
                assert log.bytes + sum(len(piece.text.encode()) + 16 for piece in pieces) > max_bytes
        for reader, _, got in following:
            if data.draw(st.booleans()):
                got.extend(reader.read()[0])
    for reader, after, got in following:
        got.extend(reader.read()[0])
        assert got == [piece for piece in pieces if piece.seq > after]
    assert log.sha256 == hashlib.sha256("".join(text for text, _ in outputs).encode()).hexdigest()


@given(outputs, st.lists(st.lists(st.integers(0, 3), max_size=12), min_size=1, max_size=4), st.lists(st.integers(0, 2)))
def test_waiting_readers_of_any_pace_get_the_same_text_and_the_end(
    outputs: list[tuple[str, int]], paces: list[list[int]], gaps: list[int]
) -> None:
    async def follow(log: TokenLog, pace: list[int]) -> tuple[str, Done | Error]:
        reader, text, end = Reader(log), "", None
        pauses = iter(pace)
        while end is None:
            await reader.wait()
            await turns(next(pauses, 0))
            pieces, end = reader.read()
            text += "".join(piece.text for piece in pieces)
        return text, end

    async def play() -> list[tuple[str, Done | Error]]:
        log = TokenLog(1_000_000)
        readers = [asyncio.create_task(follow(log, pace)) for pace in paces]
        pauses = iter(gaps)
        for text, tokens in outputs:
            log.append(text, tokens, 0.0)
            await turns(next(pauses, 0))
        log.close(END)
        return await asyncio.gather(*readers)

    assert asyncio.run(play()) == [("".join(text for text, _ in outputs), END)] * len(paces)


async def test_a_wait_that_is_cut_short_leaves_nothing_behind_and_the_next_one_works() -> None:
    log = TokenLog(1000)
    for _ in range(10):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(log.wait(0), 0.001)
    assert len(log._more._waiters) == 0
    waiting = asyncio.create_task(log.wait(0))
    await turns(1)
    log.append("a", 1, 0.0)
    await waiting


async def test_waking_a_hundred_readers_makes_no_task() -> None:
    log = TokenLog(1000)
    waiting = [asyncio.create_task(log.wait(0)) for _ in range(100)]
    await turns(1)
    before = len(asyncio.all_tasks())
    log.append("a", 1, 0.0)
    assert len(asyncio.all_tasks()) == before
    await asyncio.gather(*waiting)


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)
