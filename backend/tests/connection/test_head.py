"""The pure rules of a request's head."""

from __future__ import annotations

import pytest

from firstlight.connection.head import check_form, check_size
from firstlight.errors import HeadersTooLarge, InvalidRequest
from firstlight.settings import Connection

GOOD = [(b"host", b"chat.example")]


@pytest.mark.parametrize(
    "host", [b"chat.example", b"localhost:8000", b"127.0.0.1:1", b"[::1]", b"[::1]:8000", b"under_score.example"]
)
def test_d02_a_host_that_is_a_name_or_an_address_passes(host: bytes) -> None:
    check_form("1.1", b"/", [(b"host", host)], upgrade=False)


@pytest.mark.parametrize(
    "host", [b"", b"a b", b"a/b", b"a@b", b"a,b", b"a:b", b"a:123456", b"[::1", b"[x]", b"a\xe9", b"x" * 254]
)
def test_d02_any_other_host_is_refused(host: bytes) -> None:
    with pytest.raises(InvalidRequest):
        check_form("1.1", b"/", [(b"host", host)], upgrade=False)


@pytest.mark.parametrize("headers", [[], GOOD * 2])
def test_d02_no_host_and_two_hosts_are_refused(headers: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(InvalidRequest):
        check_form("1.1", b"/", headers, upgrade=False)


@pytest.mark.parametrize(
    ("version", "target"), [("2.0", b"/"), ("0.9", b"/"), ("1.1", b"http://other/"), ("1.1", b"*")]
)
def test_other_versions_and_targets_are_refused(version: str, target: bytes) -> None:
    with pytest.raises(InvalidRequest):
        check_form(version, target, GOOD, upgrade=False)


def test_an_upgrade_may_be_asked_for_without_a_body_only() -> None:
    check_form("1.1", b"/", GOOD, upgrade=True)
    with pytest.raises(InvalidRequest):
        check_form("1.1", b"/", [*GOOD, (b"content-length", b"2")], upgrade=True)


def test_d03_the_limits_of_a_head_are_exact() -> None:
    limits = Connection(max_header_bytes=100, max_header_fields=3)
    check_size(limits, b"/", [(b"a", b"x" * 94)])
    with pytest.raises(HeadersTooLarge) as many_bytes:
        check_size(limits, b"/", [(b"a", b"x" * 95)])
    check_size(limits, b"/", [(b"a", b"b")] * 3)
    with pytest.raises(HeadersTooLarge) as many_fields:
        check_size(limits, b"/", [(b"a", b"b")] * 4)
    assert (many_bytes.value.limit, many_fields.value.limit) == (100, 3)
