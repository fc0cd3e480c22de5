"""What a request's head must be: within the limits, and nothing that two servers could read in two ways."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firstlight.errors import HeadersTooLarge, InvalidRequest
from firstlight.settings import Connection

HOST = re.compile(rb"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?")
BODY_HEADERS = (b"content-length", b"transfer-encoding")

Headers = Sequence[tuple[bytes, bytes]]


def check_size(limits: Connection, target: bytes, headers: Headers) -> None:
    """Raise HeadersTooLarge where the target and the fields have too many bytes, or the fields are too many."""
    fields, size = limits.max_header_fields, limits.max_header_bytes
    if len(headers) > fields:
        raise HeadersTooLarge(f"There are more than {fields:,} header fields.", limit=fields)
    if section_bytes(target, headers) > size:
        raise too_many_bytes(limits)


def section_bytes(target: bytes, headers: Headers) -> int:
    """What the target and the fields have in bytes, each field with its colon, space and line end."""
    return len(target) + sum([len(name) + len(value) + 4 for name, value in headers])


def check_form(version: str, target: bytes, headers: Headers, *, upgrade: bool) -> None:
    """Raise InvalidRequest for what llhttp lets pass though no server should."""
    hosts = [value for name, value in headers if name == b"host"]
    if len(hosts) != 1 or not HOST.fullmatch(hosts[0]):
        raise InvalidRequest("There must be exactly one Host header, with a valid name.")
    if version not in ("1.0", "1.1") or not target.startswith(b"/"):
        raise InvalidRequest("The request line must read METHOD /path HTTP/1.1.")
    if upgrade and any(name in BODY_HEADERS for name, _ in headers):
        # llhttp skips the body of an upgrade: what follows would be read as the next request.
        raise InvalidRequest("A request with a body cannot ask for an upgrade.")


def too_many_bytes(limits: Connection) -> HeadersTooLarge:
    """The refusal of a header section that has, or would have, too many bytes."""
    size = limits.max_header_bytes
    return HeadersTooLarge(f"The header section has more than {size:,} bytes.", limit=size)
