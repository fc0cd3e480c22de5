"""Hostile HTTP/1.1 framings, each with a second request hidden behind it; read by the tests and by `bench servers`.

Sources: RFC 9112 sections 2.2, 3.2, 5, 6 and 7; the shapes known from request smuggling.
"""

from __future__ import annotations

import socket
import time
from typing import Literal

import msgspec

HOST = b"Host: chat.example\r\n"
POST = b"POST /first HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
SMUGGLED = b"GET /smuggled HTTP/1.1\r\n" + HOST + b"\r\n"

FRAMINGS: dict[str, bytes] = {
    "length and chunked": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 7\r\n\r\n{}",
    "two equal lengths": POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "length with a sign": POST + b"Content-Length: +2\r\n\r\n{}",
    "negative length": POST + b"Content-Length: -2\r\n\r\n{}",
    "list of lengths": POST + b"Content-Length: 2, 2\r\n\r\n{}",
    "unknown transfer coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "chunked not last": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "space before colon": POST + b"Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "bad chunk end": CHUNKED + b"2\r\n{}xx0\r\n\r\n",
    "bad chunk size": CHUNKED + b"0x2\r\n{}\r\n0\r\n\r\n",
    "huge chunk size": CHUNKED + b"fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
    "bare LF in a chunk": CHUNKED + b"2\n{}\n0\n\n",
    "bare LF in the head": b"GET /first HTTP/1.1\nHost: chat.example\n\n",
    "bare CR in a value": b"GET /first HTTP/1.1\r\n" + HOST + b"X: a\rb\r\n\r\n",
    "folded line": b"GET /first HTTP/1.1\r\n" + HOST + b"X: a\r\n b\r\n\r\n",
    "space before a name": b"GET /first HTTP/1.1\r\n X: a\r\n" + HOST + b"\r\n",
    "NUL in a value": b"GET /first HTTP/1.1\r\n" + HOST + b"X: a\x00b\r\n\r\n",
    "no Host": b"GET /first HTTP/1.1\r\n\r\n",
    "two Hosts": b"GET /first HTTP/1.1\r\n" + HOST + HOST + b"\r\n",
    "bad Host": b"GET /first HTTP/1.1\r\nHost: a b/@c\r\n\r\n",
    "empty Host": b"GET /first HTTP/1.1\r\nHost:\r\n\r\n",
    "no version": b"GET /first\r\n",
    "version 2.0": b"GET /first HTTP/2.0\r\n" + HOST + b"\r\n",
    "upgrade with a body": POST + b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}",
    "101 fields": b"GET /first HTTP/1.1\r\n" + HOST + b"X: a\r\n" * 100 + b"\r\n",
    "65 KiB of fields": b"GET /first HTTP/1.1\r\n" + HOST + (b"X: " + b"a" * 1_021 + b"\r\n") * 65 + b"\r\n",
}


class Outcome(msgspec.Struct, frozen=True):
    """What a server did: the status codes that it sent, whether the hidden request ran, whether it closed."""

    statuses: tuple[int, ...]
    hidden_ran: bool
    closed: bool

    @property
    def verdict(self) -> Literal["refused", "closed", "runs it", "runs both", "hangs"]:
        """`refused` is right: 4xx, closed, nothing run; `closed` without an answer is as safe."""
        if self.hidden_ran:
            return "runs both"
        if any(status < 300 for status in self.statuses):
            return "runs it"
        if not self.closed:
            return "hangs"
        return "refused" if self.statuses else "closed"


def attempt(port: int, framing: bytes, patience: float = 2.0) -> Outcome:
    """Send `framing` and the hidden request to a probe on loopback `port`; wait `patience` seconds for the close."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as client:
        answer, closed = b"", False
        deadline = time.monotonic() + patience
        try:
            client.sendall(framing + SMUGGLED)
            while (left := deadline - time.monotonic()) > 0:
                client.settimeout(left)
                data = client.recv(65_536)
                if not data:
                    closed = True
                    break
                answer += data
        except TimeoutError:
            pass
        except OSError:
            closed = True
    parts = answer.split(b"HTTP/1.1 ")[1:]
    return Outcome(tuple(int(part[:3]) for part in parts), b"path=/smuggled" in answer, closed)
