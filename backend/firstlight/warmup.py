"""The reply that nobody asked for: it passes through all stages before the server says that it is ready.

So the first user does not pay for what is only made on first use: kernels, templates, compression contexts, code paths.
"""

from __future__ import annotations

import asyncio
from typing import NoReturn

from firstlight.assembly import CODINGS
from firstlight.errors import FirstLightError, StartError
from firstlight.generations import Generation
from firstlight.routing import Service
from firstlight.stages import Timeline, now
from firstlight.wire import Done

_BODY = b'{"messages":[{"role":"user","content":"Hello"}],"max_tokens":16}'


async def warm_up(service: Service) -> float:
    """Have one reply in each coding; returns the last one's time to its first byte, in ms.

    Raises StartError where a stage refuses, or a reply is not whole.
    """
    try:
        replies = [await _reply(service, coding) for coding in CODINGS]
    except FirstLightError as error:
        raise StartError(f"the warm-up reply was refused: {error}") from error
    for reply in replies:
        if not isinstance(reply.log.end, Done):
            raise StartError(f"the warm-up reply failed: {reply.log.end and reply.log.end.message}")
    return replies[-1].timeline.marks.first_byte or 0.0


async def _reply(service: Service, coding: str) -> Generation:
    token = service.admission.guest().access_token
    admitted = service.admission.admit(f"Bearer {token}", _BODY, Timeline(now()))
    generation = await service.decode.decode(await service.prefill.prefill(admitted))
    await service.assembly.assemble(generation, coding)({"type": "http"}, _stays, _takes)
    return generation


async def _stays() -> NoReturn:
    """A client that never leaves."""
    while True:
        await asyncio.get_running_loop().create_future()


async def _takes(_: object) -> None:
    """A socket that takes everything at once."""
