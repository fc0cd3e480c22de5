"""The whole server on a real socket, over the scripted engine, and a client that reads its streams."""

from __future__ import annotations

import asyncio
import hashlib
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import zstandard

from firstlight import connection, settings
from firstlight.app import create_app
from firstlight.engine.scripted.engine import Scripted
from firstlight.engine.scripted.scenario import Reply, Scenario, Step
from firstlight.routing import Service

HELLO = "Hello there, how can I help you today? I am a script that answers the same to everybody who says hello."

QUICK = Scenario(
    model="scripted-test",
    first_ms=2,
    step_ms=1,
    replies=(
        Reply(exact="Hello", script=(Step(text=HELLO),)),
        Reply(exact="endless", script=(Step(text="word ", repeat=100_000, delay_ms=2),)),
        Reply(exact="slow start", script=(Step(text="late", delay_ms=400),)),
        Reply(exact="dies", script=(Step(text="One two"), Step(die=True))),
        Reply(exact="fails", script=(Step(text="One two"), Step(fail="the script says so"))),
        Reply(prefix="say ", script=(Step(echo=4_000),)),
        Reply(script=(Step(text="Yes."),)),
    ),
)

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Nobody here speaks TLS; without this each client would read all certificate authorities first."""

FREE = settings.Admission(rate=10_000.0, burst=10_000)
"""Buckets that never run dry."""


@dataclass
class Live:
    """A running server. `client` has a guest's token, `anyone` none."""

    url: str
    anyone: httpx.AsyncClient
    client: httpx.AsyncClient
    engine: Scripted
    service: Service

    async def guest(self) -> httpx.AsyncClient:
        """A client with a token of its own."""
        token = (await self.anyone.post("/auth/guest")).json()["access_token"]
        headers = {"authorization": f"Bearer {token}", "accept-encoding": "identity"}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=30, verify=NO_TLS)


@dataclass
class Stream:
    """What has come of one stream: events as (name, data), comments as ("", text)."""

    response: httpx.Response
    events: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(data["text"] for name, data in self.events if name == "delta")

    @property
    def deltas(self) -> list[dict[str, Any]]:
        return [data for name, data in self.events if name == "delta"]

    @property
    def start(self) -> dict[str, Any]:
        assert self.events[0][0] == "start"
        return self.events[0][1]

    @property
    def end(self) -> tuple[str, dict[str, Any]]:
        """The terminal event: exactly one, and the last."""
        assert [name for name, _ in self.events if name in ("done", "error")] == [self.events[-1][0]]
        return self.events[-1]

    def proven(self) -> str:
        """The text of a stream from 0 that is whole and proven by its sha256."""
        name, done = self.end
        assert name == "done", done
        assert done["sha256"] == hashlib.sha256(self.text.encode()).hexdigest()
        assert done["seq"] == done["usage"]["completion_tokens"]
        seq = 0
        for delta in self.deltas:
            seq += delta["tokens"]
            assert delta["seq"] == seq
        return self.text


@asynccontextmanager
async def live(
    scenario: Scenario = QUICK,
    *,
    wait: bool = True,
    kind: type[Scripted] = Scripted,
    **sections: settings.Section,
) -> AsyncIterator[Live]:
    """A server with `sections` of settings in force, ready if `wait`; it is stopped at the end, and nothing is left."""
    before = asyncio.all_tasks()
    chosen = settings.Settings(**{"connection": settings.Connection(port=0), "admission": FREE} | sections)
    engine, ready, stop = kind(scenario), asyncio.get_running_loop().create_future(), connection.Stop()
    app = create_app(chosen, engine, ready.set_result, ready.set_exception)
    with connection.bind(chosen.connection) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        service: Service = app.state.service
        serving = asyncio.create_task(
            connection.serve(
                app, chosen.connection, listener, drain=service.drain, stop=stop, refused=app.state.metrics.refused
            )
        )
        try:
            if wait:
                await ready
            async with httpx.AsyncClient(base_url=url, timeout=30, verify=NO_TLS) as anyone:
                server = Live(url, anyone, anyone, engine, service)
                async with await server.guest() as client:
                    server.client = client
                    yield server
        finally:
            stop.ask()
            await serving
    assert [task for task in asyncio.all_tasks() - before if not task.done()] == []


@asynccontextmanager
async def chat(
    client: httpx.AsyncClient, message: str, *, headers: dict[str, str] | None = None, **fields: object
) -> AsyncIterator[AsyncIterator[Stream]]:
    """Ask; gives the stream again and again, with one event more each time."""
    body = {"messages": [{"role": "user", "content": message}]} | fields
    async with client.stream("POST", "/api/chat", json=body, headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        yield follow(response)


async def ask(client: httpx.AsyncClient, message: str, **fields: Any) -> Stream:
    """Ask, and read the whole answer."""
    async with chat(client, message, **fields) as stream:
        return await last(stream)


async def replay(client: httpx.AsyncClient, generation: str, after: int | str = 0) -> Stream:
    """Follow a reply from position `after` to its end."""
    async with client.stream("GET", f"/api/generations/{generation}", params={"from": after}) as response:
        assert response.status_code == 200, await response.aread()
        return await last(follow(response))


async def last(stream: AsyncIterator[Stream]) -> Stream:
    """The stream once it has ended."""
    seen = [item async for item in stream]
    return seen[-1]


async def until(stream: AsyncIterator[Stream], name: str) -> Stream:
    """The stream once an event of that name has come."""
    async for item in stream:
        if item.events[-1][0] == name:
            return item
    raise AssertionError(f"the stream ended without {name}")


async def follow(response: httpx.Response) -> AsyncIterator[Stream]:
    """Read events as their bytes come, zstd undone chunk by chunk."""
    stream, rest = Stream(response), b""
    unpack = zstandard.ZstdDecompressor().decompressobj() if "content-encoding" in response.headers else None
    async for data in response.aiter_raw():
        rest += unpack.decompress(data) if unpack else data
        *blocks, rest = rest.split(b"\n\n")
        for block in blocks:
            stream.events.append(event(block))
            yield stream
    assert rest == b""


def event(block: bytes) -> tuple[str, Any]:
    """One event's name and data; of a comment the text alone."""
    if block.startswith(b":"):
        return "", block[1:].decode()
    name, data = block.split(b"\n")
    return name.removeprefix(b"event: ").decode(), json.loads(data.removeprefix(b"data: "))
