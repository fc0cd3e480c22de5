"""Which coding a client gets (case G01)."""

from __future__ import annotations

import pytest

from firstlight.assembly.negotiate import choose
from firstlight.errors import NotAcceptable


@pytest.mark.parametrize(
    ("header", "coding"),
    [
        (None, "identity"),
        ("", "identity"),
        ("zstd", "zstd"),
        ("ZSTD", "zstd"),
        ("zstd;q=0", "identity"),
        ("zstd;q=0.000", "identity"),
        ("zstd ; q=0.5", "zstd"),
        ("zstd;Q=0.001", "zstd"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, br", "identity"),
        ("x-zstd", "identity"),
        ("*", "zstd"),
        ("*;q=0, identity", "identity"),
        ("*;q=0.5, zstd;q=0", "identity"),
        ("identity;q=0, zstd", "zstd"),
        ("identity;q=1, zstd;q=0.5", "identity"),
        ("zstd;q=wrong", "identity"),
        ("zstd;q=2", "identity"),
        ("zstd;q=nan", "identity"),
        (",, ;q=1 , zstd", "zstd"),
    ],
)
def test_g01_zstd_is_chosen_only_where_the_client_weighs_it_most(header: str | None, coding: str) -> None:
    assert choose(header, ["zstd"]) == coding


@pytest.mark.parametrize("header", ["*;q=0", "identity;q=0", "identity;q=0, gzip", "identity;q=0, zstd;q=0"])
def test_g01_a_client_that_refuses_all_on_offer_is_told_what_there_is(header: str) -> None:
    with pytest.raises(NotAcceptable, match="zstd, identity"):
        choose(header, ["zstd"])


def test_the_order_on_offer_decides_between_equal_weights() -> None:
    assert choose("gzip, br, zstd", ["br", "zstd", "gzip"]) == "br"
    assert choose("gzip, br;q=0.9, zstd;q=0.9", ["br", "zstd", "gzip"]) == "gzip"
