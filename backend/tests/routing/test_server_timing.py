"""`Server-Timing`: on every answer there is, in the words of the stages, and true."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from firstlight import settings
from firstlight.stages import Stage
from tests.connection.served import raw
from tests.live import ask, live

ENTRY = re.compile(r"(\w+);dur=(\d+\.\d{3})")


def entries(headers: httpx.Headers | dict[str, str]) -> dict[str, float]:
    """Milliseconds by stage; the whole header must be such entries."""
    found = [ENTRY.fullmatch(entry) for entry in headers["server-timing"].split(", ")]
    return {match[1]: float(match[2]) for match in found if match}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("HEAD", "/", 200),
        ("GET", "/livez", 200),
        ("GET", "/readyz", 200),
        ("GET", "/metrics", 200),
        ("POST", "/auth/guest", 200),
        ("GET", "/nowhere", 404),
        ("PUT", "/livez", 405),
        ("GET", "/api/generations/gen-1", 404),
    ],
)
async def test_an_answer_without_a_reply_has_two_stages(tmp_path: Path, method: str, path: str, status: int) -> None:
    (tmp_path / "index.html").write_text("page", "utf-8")
    async with live(routing=settings.Routing(static_dir=str(tmp_path))) as server:
        response = await server.client.request(method, path)
        assert response.status_code == status
        assert list(entries(response.headers)) == [Stage.CONNECTION, Stage.ROUTING]


async def test_a_stream_has_what_is_known_when_its_headers_leave() -> None:
    async with live() as server:
        stream = await ask(server.client, "slow start")
        seen, marks = entries(stream.response.headers), stream.end[1]["timing"]
        assert list(seen) == [Stage.CONNECTION, Stage.ROUTING, Stage.ADMISSION, Stage.PREFILL]
        assert seen["routing"] == pytest.approx(marks["routed"] - marks["headers"], abs=0.002)
        assert seen["admission"] == pytest.approx(marks["shaped"] - marks["body"], abs=0.002)
        assert marks["queued"] - 0.01 <= sum(seen.values()) <= marks["started"] + 0.01
        assert marks["first_token"] > sum(seen.values())


async def test_a_refusal_has_the_stage_that_refused_as_its_last() -> None:
    async with live() as server:
        unsigned = await server.anyone.post("/api/chat", json={}, headers={"authorization": "Bearer x"})
        empty = await server.client.post("/api/chat", json={})
        text = await server.client.post("/api/chat", content=b"Hello")
        assert [response.status_code for response in (unsigned, empty, text)] == [401, 400, 415]
        assert [list(entries(response.headers))[-1] for response in (unsigned, empty, text)] == [Stage.ADMISSION] * 3


async def test_a_refusal_by_the_protocol_says_how_long_the_connection_took() -> None:
    limits = settings.Connection(port=0, header_timeout_s=0.3)
    async with live(connection=limits) as server, raw(int(server.url.rpartition(":")[2])) as client:
        answer = await client.ask(b"GET / HT")
        assert answer.status == 408
        assert list(entries(answer.headers)) == [Stage.CONNECTION]
        assert entries(answer.headers)["connection"] >= 299
