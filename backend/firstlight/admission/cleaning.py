"""Text from outside, freed of control characters before it reaches the model, a log or another page."""

from __future__ import annotations

import re

from msgspec.structs import replace

from firstlight.errors import InvalidRequest
from firstlight.wire import ChatRequest

_CONTROLS = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""C0 and C1 but for tab, line feed and carriage return; NUL is refused instead. The decoder lets no surrogate pass."""


def clean(request: ChatRequest) -> ChatRequest:
    """`request` with its texts cleaned. Raises InvalidRequest for NUL and for a text that is then empty or blank."""
    messages = tuple(
        replace(message, content=clean_text(message.content, f"/messages/{index}/content"))
        for index, message in enumerate(request.messages)
    )
    stop = tuple(clean_text(text, f"/stop/{index}", blank=True) for index, text in enumerate(request.stop))
    return replace(request, messages=messages, stop=stop)


def clean_text(text: str, field: str, *, blank: bool = False) -> str:
    """`text` without control characters; `field` is its JSON pointer. `blank` allows white space alone."""
    if "\0" in text:
        raise InvalidRequest(f"{field}: NUL is not allowed.", field=field)
    cleaned = _CONTROLS.sub("", text)
    if not (cleaned if blank else cleaned.strip()):
        raise InvalidRequest(f"{field}: there is no text.", field=field)
    return cleaned
