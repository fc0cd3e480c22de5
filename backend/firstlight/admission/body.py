"""The body's bytes to a typed request. What the contract does not name goes no further.

Decoding by type ends at the first value that is none of the contract, so that no nesting, however deep, is followed.
"""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from firstlight.errors import InvalidRequest
from firstlight.wire import ChatRequest, PageTiming

T = TypeVar("T")

_requests = msgspec.json.Decoder(ChatRequest)
_timings = msgspec.json.Decoder(PageTiming)

_PLACE = re.compile(r" - at `\$(?P<path>.*)`$", re.DOTALL)
_INDEX = re.compile(r"\[(\d+)\]")
_KEY = re.compile(r"Object (?:contains unknown|missing required) field `(?P<name>.*)`$", re.DOTALL)
_LIMIT = re.compile(r"[<>]=? (\d+)")

_SHOWN = 100
"""Characters of a client's own words that an answer repeats."""


def decode(body: bytes) -> ChatRequest:
    """The request that `body` is. Raises InvalidRequest, which names the field and the limit that was broken."""
    return _decode(_requests, body)


def decode_timing(body: bytes) -> PageTiming:
    """The page's timing that `body` is. Raises as `decode` does."""
    return _decode(_timings, body)


def _decode(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise _invalid(str(error)) from error
    except msgspec.DecodeError as error:
        raise InvalidRequest(f"The body is not JSON: {str(error).removeprefix('JSON is malformed: ')}.") from error


def _invalid(message: str) -> InvalidRequest:
    """From msgspec's words, such as "Expected `int` >= 1 - at `$.max_tokens`"."""
    place = _PLACE.search(message)
    reason = _PLACE.sub("", message)
    key = _KEY.match(reason)
    limit = _LIMIT.search(reason) if reason.startswith("Expected") else None
    path = _INDEX.sub(r".\1", place["path"]) if place else ""
    pointer = path.replace(".", "/") + (f"/{_escaped(_short(key['name']))}" if key else "")
    return InvalidRequest(
        f"{pointer or 'The body'}: {_short(reason)}.", field=pointer, limit=int(limit[1]) if limit else None
    )


def _escaped(name: str) -> str:
    """As one step of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
