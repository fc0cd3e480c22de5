"""zstd on a stream: every event readable at once, small windows, contexts used again (cases G02 to G04)."""

from __future__ import annotations

import zstandard
from hypothesis import given
from hypothesis import strategies as st

from firstlight.assembly.compress import Zstd, ZstdPool

POOL = ZstdPool(level=1, window_log=15)


def decoder() -> zstandard.ZstdDecompressionObj:
    return zstandard.ZstdDecompressor(max_window_size=2**23).decompressobj()


@given(st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=40))
def test_g03_each_event_can_be_read_whole_as_soon_as_it_is_sent(events: list[bytes]) -> None:
    coder, reader = Zstd(POOL), decoder()
    assert [reader.decompress(coder.event(event)) for event in events] == events
    assert reader.decompress(coder.last(b"end")) == b"end"
    assert reader.eof
    coder.close()


def test_g04_an_event_larger_than_the_window_can_be_read_whole() -> None:
    coder, event = Zstd(POOL), bytes(range(256)) * 400
    assert decoder().decompress(coder.event(event)) == event


def test_g02_the_frame_asks_for_the_window_that_was_set() -> None:
    coder = Zstd(ZstdPool(level=1, window_log=15))
    assert zstandard.get_frame_parameters(coder.event(b"x")).window_size == 2**15


def test_a_context_given_back_in_the_middle_of_a_frame_serves_the_next_stream() -> None:
    pool = ZstdPool(level=1, window_log=15)
    cut = Zstd(pool)
    cut.event(b"half of something" * 100)
    cut.close()
    context = pool.borrow()
    pool.give_back(context)
    following = Zstd(pool)
    assert pool.borrow() is not context
    assert decoder().decompress(following.event(b"whole") + following.last(b"")) == b"whole"


def test_two_streams_open_at_once_do_not_mix() -> None:
    pool = ZstdPool(level=1, window_log=15)
    one, two, reader_one, reader_two = Zstd(pool), Zstd(pool), decoder(), decoder()
    for index in range(50):
        left, right = b"left %d" % index, b"right %d" % index
        assert reader_one.decompress(one.event(left)) == left
        assert reader_two.decompress(two.event(right)) == right
