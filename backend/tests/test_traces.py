"""Traces against a real receiver of OTLP over HTTP: the spans as they arrive, and a collector that is gone."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from firstlight import settings
from firstlight.engine.protocol import EngineRequest, Outputs
from firstlight.engine.scripted.engine import Scripted
from firstlight.errors import StartError
from firstlight.stages import Stage
from firstlight.traces import Traces
from tests.live import Live, Stream, ask, chat, last, live
from tests.test_tracecontext import GOOD, SPAN, TRACE

trace_service = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")


class Collector:
    """Takes every request of OTLP that comes; `spans` has what was in them."""

    def __init__(self) -> None:
        self.endpoint = ""
        self.spans: list[object] = []

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        assert head.startswith("post /v1/traces ")
        assert "content-type: application/x-protobuf" in head
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        message = trace_service.ExportTraceServiceRequest.FromString(await reader.readexactly(length))
        for resource in message.resource_spans:
            for scope in resource.scope_spans:
                self.spans += scope.spans
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()


@asynccontextmanager
async def collector() -> AsyncIterator[Collector]:
    """A collector on a free port."""
    made = Collector()
    server = await asyncio.start_server(made.take, "127.0.0.1", 0)
    async with server:
        made.endpoint = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/traces"
        yield made


async def called(server: Live, traceparent: str) -> Stream:
    """A whole reply to a caller that has a trace."""
    async with chat(server.client, "Hello", headers={"traceparent": traceparent}) as stream:
        return await last(stream)


async def test_a_reply_is_a_span_with_one_for_each_part_of_its_way_in_the_callers_trace() -> None:
    async with collector() as there:
        async with live(traces=settings.Traces(endpoint=there.endpoint)) as server:
            reply = await called(server, GOOD)
        spans = {span.name: span for span in there.spans}  # type: ignore[attr-defined]
    root, marks = spans["reply"], reply.end[1]["timing"]
    assert [span.name for span in there.spans] == [  # type: ignore[attr-defined]
        *(Stage.CONNECTION, Stage.ROUTING, Stage.CONNECTION, Stage.ADMISSION),
        *(Stage.PREFILL, Stage.DECODE, Stage.ASSEMBLY, "reply"),
    ]
    assert (root.trace_id.hex(), root.parent_span_id.hex()) == (TRACE, SPAN)
    for stage in ("admission", "prefill", "assembly"):
        assert spans[stage].trace_id.hex() == TRACE
        assert spans[stage].parent_span_id == root.span_id
    begin = root.start_time_unix_nano
    assert (spans["prefill"].start_time_unix_nano - begin) / 1e6 == pytest.approx(marks["shaped"], abs=0.001)
    assert (spans["assembly"].end_time_unix_nano - begin) / 1e6 == pytest.approx(marks["first_byte"], abs=0.001)
    assert (root.end_time_unix_nano - begin) / 1e6 == pytest.approx(marks["finished"], abs=0.001)
    told = {item.key: item.value.string_value or item.value.int_value for item in root.attributes}
    assert told == {
        "firstlight.generation": reply.start["generation"],
        "firstlight.finish": "stop",
        "gen_ai.request.model": "scripted-test",
        "gen_ai.usage.input_tokens": reply.start["prompt_tokens"],
        "gen_ai.usage.output_tokens": reply.end[1]["seq"],
    }


async def test_without_a_caller_the_trace_begins_with_the_reply_and_unsampled_ones_are_not_sent() -> None:
    async with collector() as there, live(traces=settings.Traces(endpoint=there.endpoint)) as server:
        await ask(server.client, "Hello")
        async with chat(server.client, "Hello", headers={"traceparent": GOOD[:-1] + "0"}) as stream:
            await last(stream)
    roots = [span for span in there.spans if span.name == "reply"]  # type: ignore[attr-defined]
    assert [root.parent_span_id for root in roots] == [b""]
    assert {span.trace_id for span in there.spans} == {roots[0].trace_id}  # type: ignore[attr-defined]


async def test_the_engine_is_told_of_the_replys_own_span() -> None:
    class Told(Scripted):
        async def generate(self, request: EngineRequest) -> Outputs:  # type: ignore[override]
            seen.append(request.trace)
            return await super().generate(request)

    seen: list[object] = []
    async with collector() as there, live(traces=settings.Traces(endpoint=there.endpoint), kind=Told) as server:
        await called(server, GOOD)
    root = there.spans[-1]
    assert seen[-1].traceparent == f"00-{TRACE}-{root.span_id.hex()}-01"  # type: ignore[attr-defined]


async def test_a_collector_that_is_gone_costs_no_reply_anything_and_the_stop_does_not_wait_for_it() -> None:
    begin = asyncio.get_running_loop().time()
    async with live(traces=settings.Traces(endpoint="http://127.0.0.1:9/v1/traces")) as server:
        for _ in range(5):
            assert (await ask(server.client, "Hi")).proven() == "Yes."
    assert asyncio.get_running_loop().time() - begin < 20


def test_missing_packages_stop_the_start_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(StartError, match=r"OpenTelemetry is missing .*: pip install 'firstlight\[traces\]'$"):
        Traces(settings.Traces(endpoint="http://collector:4318/v1/traces"))
    assert "opentelemetry" not in vars(sys.modules["firstlight.traces"])
