"""The tiny application in a process of its own, `python -m tests.connection.program DRAIN`; it prints its port.

`drain` says what becomes of held answers: `release` lets them end, `hang` never comes back.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvloop

from firstlight.connection import bind, serve
from firstlight.settings import Connection
from tests.connection.served import TIME, Site

BACKEND = Path(__file__).parents[2]


async def main(drain: str) -> None:
    settings = Connection(port=0)
    listener = bind(settings)
    app = Site()

    async def end() -> None:
        if drain == "hang":
            await asyncio.Event().wait()
        app.release.set()

    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    await serve(app, settings, listener, drain=end)


class Program:
    """The process, and the port that it serves on."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self.process = process
        self.port = port

    def rss(self) -> int:
        """Resident bytes."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text("ascii").split()[1]
        return int(pages) * 4_096

    async def ended(self) -> tuple[int, str]:
        """Exit code and standard error."""
        async with asyncio.timeout(TIME):
            _, errors = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, errors.decode()


@asynccontextmanager
async def program(drain: str = "release") -> AsyncIterator[Program]:
    """The application, running; killed at the end if need be."""
    command = (sys.executable, "-m", "tests.connection.program", drain)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, cwd=BACKEND, stdout=pipe, stderr=pipe)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(TIME):
            port = int(await process.stdout.readline())
        yield Program(process, port)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))
