"""The reply that nobody asked for: it passes through all stages before the server says that it is ready.

So the first user does not pay for what is only made on first use: kernels, templates, compression contexts, code paths.
"""

from __future__ import annotations

import asyncio
from typing import NoReturn

from firstlight.assembly import CODINGS
from firstlight.errors import Refused, StartError
from firstlight.routing import Service
from firstlight.stages import Timeline, now
from firstlight.wire import Error

_BODY = b'{"messages":[{"role":"user","content":"Hello"}],"max_tokens":3}'


async def warm_up(service: Service) -> float:
    """Have one reply in each coding; returns the last one's time to its first text (ms); to its end where it has none.

    Raises StartError where a stage refuses, or a reply is not whole.
    """
    first_byte_ms = 0.0
    for coding in CODINGS:
        try:
            first_byte_ms = await _reply(service, coding)
        except Refused as error:
            raise StartError(f"the warm-up reply was refused: {error}") from error
    return first_byte_ms


async def _reply(service: Service, coding: str) -> float:
    token = service.admission.guest().access_token
    admitted = service.admission.admit(f"Bearer {token}", _BODY, Timeline(now()))
    generation = await service.decode.decode(await service.prefill.prefill(admitted))
    await service.assembly.assemble(generation, coding)({"type": "http"}, _stays, _takes)
    end, marks = generation.log.end, generation.timeline.marks
    if isinstance(end, Error):
        raise StartError(f"the warm-up reply failed: {end.message}")
    return marks.first_byte or marks.finished or 0.0


async def _stays() -> NoReturn:
    """A client that never leaves."""
    while True:
        await asyncio.get_running_loop().create_future()


async def _takes(_: object) -> None:
    """A socket that takes everything at once."""
