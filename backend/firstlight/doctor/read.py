"""From what the user names to a report or a scrape."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx

from firstlight.doctor import report, scrape
from firstlight.doctor.report import Report
from firstlight.doctor.scrape import Scrape
from firstlight.errors import StartError

MAX_BYTES = 64 * 1024 * 1024
PATIENCE_S = 10.0


def is_url(source: str) -> bool:
    """Whether `source` is a server, not a file."""
    return source.startswith(("http://", "https://"))


def read(source: str) -> Report | Scrape:
    """What `source` says: a file, `-` (standard input) or the URL of a server. Raises StartError with one line."""
    if is_url(source):
        return scrape.parse(_fetched(source), source)
    name = "standard input" if source == "-" else source
    return parse(_stored(source, name), name)


def parse(data: bytes, name: str) -> Report | Scrape:
    """What `data` is. Raises StartError with one line, which calls the source `name`, where it is neither."""
    if not data.strip():
        raise StartError(f"{name} is empty")
    return report.parse(data, name) if data.lstrip()[:1] in b'{["' else scrape.parse(data, name)


def _stored(source: str, name: str) -> bytes:
    try:
        if source == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(source).open("rb") as file:
                data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise StartError(f"{name} cannot be read: {reason}") from error
    _capped(data, name)
    return data


def _fetched(url: str) -> bytes:
    address = url if url.endswith("/metrics") else f"{url.rstrip('/')}/metrics"
    try:
        # No proxy from the environment: what is asked is the server that the user named.
        with (
            httpx.Client(timeout=PATIENCE_S, trust_env=False) as client,
            client.stream("GET", address, headers={"accept": "text/plain"}) as answer,
        ):
            if answer.status_code != 200:
                raise StartError(
                    f"{address} answered {answer.status_code}: is it First Light, does a proxy hide /metrics?"
                )
            data = bytearray()
            for part in answer.iter_bytes():
                data += part
                _capped(data, address)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise StartError(f"{address} cannot be reached: {report.plain(str(error) or type(error).__name__)}") from error
    return bytes(data)


def _capped(data: bytes | bytearray, name: str) -> None:
    if len(data) > MAX_BYTES:
        raise StartError(f"{name} is larger than {MAX_BYTES // 2**20} MiB")
