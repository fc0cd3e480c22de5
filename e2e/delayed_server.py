"""The real server with a delay at one named point, for the latency tests: `delayed_server.py [STAGE MILLISECONDS]`.

Nothing in the product knows of delays: this program puts one around a part of it, then serves as `firstlight serve`
does. For each reply it prints `accepted GENERATION SECONDS`: when the server accepted the request, on the machine's
monotonic clock, so that a test knows the true offset between the page's clock and the server's.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any
from unittest import mock

import msgspec

from firstlight import connection
from firstlight.__main__ import main
from firstlight.admission import Admission
from firstlight.decode import Decode
from firstlight.engine.scripted import scenario
from firstlight.engine.scripted.scenario import Reply, Scenario, Step
from firstlight.generations import Reader


def replace(owner: object, name: str, around: Callable[[Any], Any]) -> None:
    """Have `around`, given what stands at `name` of `owner`, stand there in its place until the process ends."""
    original = getattr(owner, name)
    mock.patch.object(owner, name, wraps(original)(around(original))).start()


def delay_routing(seconds: float) -> None:
    """After the request's headers are parsed, before the application sees it."""

    def around(serve: Any) -> Any:
        def serve_late(app: Any, *rest: Any, **options: Any) -> Any:
            async def late(scope: Any, receive: Any, send: Any) -> None:
                if scope.get("path") == "/api/chat":
                    await asyncio.sleep(seconds)
                await app(scope, receive, send)

            return serve(late, *rest, **options)

        return serve_late

    replace(connection, "serve", around)


def delay_admission(seconds: float) -> None:
    """After the body is read, before the token is verified."""

    def around(admit: Any) -> Any:
        def admit_late(*arguments: Any) -> Any:
            time.sleep(seconds)
            return admit(*arguments)

        return admit_late

    replace(Admission, "admit", around)


def delay_prefill(seconds: float) -> None:
    """In the engine, before the first token."""
    change_scenario(lambda played: msgspec.structs.replace(played, first_ms=played.first_ms + seconds * 1000))


def delay_decode(seconds: float) -> None:
    """In the engine, between a first token without text and the next, which has some."""
    opening = (Step(pieces=("",)), Step(pieces=("Late: ",), delay_ms=seconds * 1000))

    def late(reply: Reply) -> Reply:
        return msgspec.structs.replace(reply, script=(*opening, *reply.script))

    change_scenario(lambda played: msgspec.structs.replace(played, replies=tuple(map(late, played.replies))))


def delay_assembly(seconds: float) -> None:
    """When the first text is in the token log, before its reader takes it."""

    def around(wait: Any) -> Any:
        async def wait_longer(reader: Reader) -> None:
            first = reader.after == 0
            await wait(reader)
            if first:
                await asyncio.sleep(seconds)

        return wait_longer

    replace(Reader, "wait", around)


def change_scenario(change: Callable[[Scenario], Scenario]) -> None:
    """Have the engine play what `change` makes of the scenario."""
    replace(scenario, "load", lambda load: lambda path: change(load(path)))


def tell_accepted() -> None:
    """Print each reply's `accepted` line."""

    def around(decode: Any) -> Any:
        async def decode_and_tell(*arguments: Any) -> Any:
            generation = await decode(*arguments)
            sys.stdout.write(f"accepted {generation.id} {generation.timeline.accepted:.6f}\n")
            sys.stdout.flush()
            return generation

        return decode_and_tell

    replace(Decode, "decode", around)


DELAYS: dict[str, Callable[[float], None]] = {
    "routing": delay_routing,
    "admission": delay_admission,
    "prefill": delay_prefill,
    "decode": delay_decode,
    "assembly": delay_assembly,
}


def run(arguments: Sequence[str]) -> int:
    """Serve with the delay that `arguments` name, or none; returns the exit code."""
    if arguments:
        stage, milliseconds = arguments
        DELAYS[stage](float(milliseconds) / 1000)
    tell_accepted()
    return main(["serve"])


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
