"""Whatever goes wrong, the answer is a problem document with our headers, and never tells of our insides."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import httpx
import pytest
from litestar import Litestar, get
from litestar.exceptions import ClientException, InternalServerException

from firstlight import settings
from firstlight.routing import handlers
from firstlight.routing.headers import CONTENT_SECURITY_POLICY
from tests.live import chat, last, live, until

ROUTES = {
    "/": {"GET", "HEAD", "OPTIONS"},
    "/api/chat": {"POST", "OPTIONS"},
    "/api/generations/gen-1": {"GET", "DELETE", "OPTIONS"},
    "/api/generations/gen-1/timing": {"POST", "OPTIONS"},
    "/auth/guest": {"POST", "OPTIONS"},
    "/livez": {"GET", "OPTIONS"},
    "/readyz": {"GET", "OPTIONS"},
    "/metrics": {"GET", "OPTIONS"},
}
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
CHAT = {"messages": [{"role": "user", "content": "Hello"}]}


@pytest.mark.parametrize("path", ROUTES)
async def test_a_method_that_an_address_does_not_take_is_a_problem_that_names_those_it_does(path: str) -> None:
    async with live() as server:
        for method in sorted(METHODS - ROUTES[path]):
            response = await server.client.request(method, path)
            assert response.status_code == 405
            assert set(response.headers["allow"].split(", ")) == ROUTES[path]
            if method != "HEAD":
                assert response.headers["content-type"] == "application/problem+json"
                assert response.json() == {
                    "type": "method_not_allowed",
                    "title": "Method not allowed",
                    "status": 405,
                    "detail": "This address does not take that method.",
                }


@pytest.mark.parametrize("path", ["/nothing", "/api", "/api/chat/x", "/../etc/passwd", "/assets/%2e%2e/x", "/%00"])
async def test_an_address_that_is_none_is_a_problem(path: str) -> None:
    async with live() as server:
        response = await server.client.get(path)
        assert response.json() == {
            "type": "not_found",
            "title": "Not found",
            "status": 404,
            "detail": "There is nothing at this address.",
        }


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/json; charset=utf-16"},
        {"content-type": ""},
        {"content-type": "application/json", "content-encoding": "gzip"},
    ],
)
async def test_c04_c05_a_body_that_is_no_plain_json_is_refused(headers: dict[str, str]) -> None:
    async with live() as server:
        response = await server.client.post("/api/chat", content=json.dumps(CHAT), headers=headers)
        assert (response.status_code, response.json()["type"]) == (415, "unsupported_media")


@pytest.mark.parametrize(
    "method_path", [("POST", "/api/chat"), ("GET", "/api/generations/g"), ("DELETE", "/api/generations/g")]
)
@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer x.y.z", "Basic eDp5"])
async def test_without_a_good_token_every_api_route_answers_401(
    method_path: tuple[str, str], authorization: str | None
) -> None:
    async with live() as server:
        headers = {} if authorization is None else {"authorization": authorization}
        body = {"json": CHAT} if method_path[0] == "POST" else {}
        response = await server.anyone.request(*method_path, headers=headers, **body)
        assert (response.status_code, response.json()["type"]) == (401, "unauthenticated")
        assert response.headers["www-authenticate"] == 'Bearer error="invalid_token"'


async def test_l14_a_page_of_another_site_gets_no_token() -> None:
    async with live() as server:
        sites = ["cross-site", "same-site", "same-origin", "none"]
        answers = [await server.anyone.post("/auth/guest", headers={"sec-fetch-site": site}) for site in sites]
        assert [answer.status_code for answer in answers] == [403, 403, 200, 200]
        assert answers[0].json()["type"] == "forbidden"


async def test_o07_a_fault_of_ours_is_500_with_a_request_id_and_nothing_of_our_insides(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(*_: object) -> NoReturn:
        raise RuntimeError("secret insides")

    async with live() as server:
        server.service.admission.admit = broken  # type: ignore[method-assign]
        response = await server.client.post("/api/chat", json=CHAT)
        problem = response.json()
        assert response.status_code == 500
        assert len(problem.pop("request_id")) == 16
        assert problem == {
            "type": "internal",
            "title": "Internal error",
            "status": 500,
            "detail": "Something went wrong on the server. Its log has more, under this request id.",
        }
        assert "server" not in response.headers
    assert "secret insides" in "".join(capsys.readouterr())


async def test_l09_l12_every_answer_carries_the_security_headers() -> None:
    async with live() as server:
        for method, path in [("GET", "/"), ("GET", "/no"), ("PUT", "/livez"), ("GET", "/livez"), ("OPTIONS", "/livez")]:
            check_headers((await server.client.request(method, path)).headers)
        async with server.client.stream("POST", "/api/chat", json=CHAT) as response:
            check_headers(response.headers)


def check_headers(headers: Any) -> None:
    expected = {
        "content-security-policy": CONTENT_SECURITY_POLICY,
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }
    assert {name: headers.get_list(name) for name in expected} == {name: [value] for name, value in expected.items()}
    assert "cache-control" in headers
    assert not [name for name in headers if name.startswith("access-control-")]


async def test_while_the_model_loads_a_chat_is_told_when_to_come_back() -> None:
    async with live() as server:
        server.service.state = "loading"
        response = await server.client.post("/api/chat", json=CHAT)
        assert (response.status_code, response.json()["type"]) == (503, "engine_unavailable")
        assert response.headers["retry-after"] == str(response.json()["retry_after"]) == "2"


async def test_j01_once_the_server_drains_new_chats_are_refused_and_running_ones_end_with_an_error() -> None:
    async with live() as server, chat(server.client, "endless") as stream:
        await until(stream, "start")
        await server.service.drain()
        assert (await server.client.get("/readyz")).json()["status"] == "draining"
        refused = await server.client.post("/api/chat", json=CHAT)
        assert (refused.status_code, refused.json()["type"]) == (503, "draining")
        name, error = (await last(stream)).end
        assert (name, error["type"], error["retryable"]) == ("error", "draining", True)


async def test_a_header_that_is_too_long_never_reaches_a_handler() -> None:
    async with live(connection=settings.Connection(port=0, max_header_bytes=2_000)) as server:
        response = await server.client.get("/livez", headers={"x-long": "x" * 3_000})
        assert (response.status_code, response.json()["type"]) == (431, "headers_too_large")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("chat.example.com", 200),
        ("CHAT.example.com:8000", 200),
        ("[::1]:8000", 200),
        ("[::1]", 200),
        ("example.com", 400),
        ("chat.example.com.evil", 400),
        ("chat-example.com", 400),
        ("127.0.0.1.", 400),
    ],
)
async def test_d02_a_server_with_names_answers_to_no_other(host: str, status: int) -> None:
    async with live(routing=settings.Routing(hosts=("chat.example.com", "[::1]", "127.0.0.1"))) as server:
        response = await server.anyone.get("/livez", headers={"host": host})
        assert response.status_code == status


async def test_what_the_framework_refuses_is_told_in_our_form_and_what_breaks_in_it_is_a_fault_of_ours() -> None:
    @get("/refuses")
    async def refuses() -> None:
        raise ClientException("Invalid host header")

    @get("/breaks")
    async def breaks() -> None:
        raise InternalServerException("insides")

    counted: list[str] = []
    app = Litestar([refuses, breaks], exception_handlers=handlers(counted.append), logging_config=None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        answers = [(await client.get(path)).json() for path in ("/refuses", "/breaks")]
    assert [(answer["status"], answer["type"]) for answer in answers] == [(400, "invalid_request"), (500, "internal")]
    assert answers[0]["detail"] == "Invalid host header"
    assert "insides" not in answers[1]["detail"]
    assert counted == ["invalid_request", "internal"]
