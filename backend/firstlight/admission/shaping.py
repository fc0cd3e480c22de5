"""What a conversation must look like, beyond its types."""

from __future__ import annotations

from firstlight.errors import InvalidRequest
from firstlight.wire import ChatRequest


def check_shape(request: ChatRequest) -> None:
    """Raise InvalidRequest unless `system` stands first or nowhere, and the last message is the user's."""
    for index, message in enumerate(request.messages[1:], 1):
        if message.role == "system":
            field = f"/messages/{index}/role"
            raise InvalidRequest(f"{field}: only the first message may be the system's.", field=field)
    if request.messages[-1].role != "user":
        field = f"/messages/{len(request.messages) - 1}/role"
        raise InvalidRequest(f"{field}: the last message must be the user's.", field=field)
