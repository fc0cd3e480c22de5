"""A client on kept loopback connections that times streams: request's first byte out to body's first byte in."""

from __future__ import annotations

import json
import selectors
import socket
import time
from typing import Self

BODY = json.dumps({"messages": [{"role": "user", "content": "Hello, how are you today? " * 8}]}).encode()
REQUEST = (
    b"POST /first HTTP/1.1\r\nHost: chat.example\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\n"
    b"Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en\r\nOrigin: http://chat.example\r\n"
    b"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36\r\n"
    b"Authorization: Bearer " + b"x" * 320 + b"\r\nContent-Length: " + str(len(BODY)).encode() + b"\r\n\r\n" + BODY
)
END = b"0\r\n\r\n"


class StreamClient:
    """`width` kept connections to one server."""

    def __init__(self, port: int, width: int) -> None:
        self._sockets = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(width)]
        self._selector = selectors.DefaultSelector()
        for connection in self._sockets:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(connection, selectors.EVENT_READ, connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        for connection in self._sockets:
            connection.close()

    def burst(self) -> list[float]:
        """One request on every connection at once; milliseconds to the first byte of each body.

        Raises ConnectionError or TimeoutError where an answer does not come whole.
        """
        sent: dict[socket.socket, float] = {}
        for outgoing in self._sockets:
            sent[outgoing] = time.perf_counter()
            outgoing.sendall(REQUEST)
        answers = dict.fromkeys(self._sockets, b"")
        first: dict[socket.socket, float] = {}
        ended = 0
        while ended < len(self._sockets):
            ready = self._selector.select(10)
            if not ready:
                raise TimeoutError("no answer within 10 s")
            for key, _ in ready:
                connection: socket.socket = key.data
                data = connection.recv(65_536)
                if not data:
                    raise ConnectionError("the connection was closed")
                answers[connection] += data
                if connection not in first and answers[connection].partition(b"\r\n\r\n")[2]:
                    first[connection] = (time.perf_counter() - sent[connection]) * 1_000
                ended += answers[connection].endswith(END)
        return list(first.values())
