"""The page, from memory: variants by weight, strong tags, nothing but what was built."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from firstlight import settings
from tests.live import live

INDEX, SCRIPT = b"<!doctype html><title>First Light</title>", b"console.log('first light')"


@pytest.fixture
def dist(tmp_path: Path) -> settings.Routing:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_bytes(INDEX)
    (tmp_path / "assets/app-1a2b.js").write_bytes(SCRIPT)
    (tmp_path / "assets/app-1a2b.js.gz").write_bytes(gzip.compress(SCRIPT, mtime=0))
    (tmp_path / "assets/app-1a2b.js.br").write_bytes(b"brotli's bytes")
    (tmp_path / "assets/app-1a2b.js.zst").write_bytes(b"zstd's bytes")
    return settings.Routing(static_dir=str(tmp_path))


async def test_the_page_itself_is_always_asked_for_and_its_hashed_files_never_again(dist: settings.Routing) -> None:
    async with live(routing=dist) as server:
        page = await server.anyone.get("/")
        script = await server.anyone.get("/assets/app-1a2b.js", headers={"accept-encoding": "identity"})
    assert (page.content, page.headers["content-type"]) == (INDEX, "text/html; charset=utf-8")
    assert page.headers["cache-control"] == "no-cache"
    assert (script.content, script.headers["content-type"]) == (SCRIPT, "text/javascript; charset=utf-8")
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("accept", "coding", "body"),
    [
        ("gzip, deflate, br, zstd", "br", b"brotli's bytes"),
        ("zstd, gzip", "zstd", b"zstd's bytes"),
        ("gzip, br;q=0", "gzip", gzip.compress(SCRIPT, mtime=0)),
        ("br;q=0.2, zstd;q=0.3", "zstd", b"zstd's bytes"),
        ("deflate", None, SCRIPT),
        ("", None, SCRIPT),
    ],
)
async def test_the_variant_that_the_browser_weighs_most_is_sent(
    dist: settings.Routing, accept: str, coding: str | None, body: bytes
) -> None:
    async with (
        live(routing=dist) as server,
        server.anyone.stream("GET", "/assets/app-1a2b.js", headers={"accept-encoding": accept}) as response,
    ):
        assert response.headers.get("content-encoding") == coding
        assert response.headers["vary"] == "Accept-Encoding"
        assert b"".join([data async for data in response.aiter_raw()]) == body


async def test_each_variant_has_its_own_tag_and_a_known_one_is_answered_304(dist: settings.Routing) -> None:
    url, tags = "/assets/app-1a2b.js", []
    async with live(routing=dist) as server:
        for coding in ("identity", "br", "gzip"):
            request = {"accept-encoding": coding}
            tag = (await server.anyone.head(url, headers=request)).headers["etag"]
            tags.append(tag)
            for known in (tag, f'"x", W/{tag}', "*"):
                again = await server.anyone.get(url, headers=request | {"if-none-match": known})
                assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
                assert "content-type" not in again.headers
            other = await server.anyone.head(url, headers=request | {"if-none-match": '"x"'})
            assert other.status_code == 200
    assert len(set(tags)) == 3


async def test_head_says_all_but_the_body(dist: settings.Routing) -> None:
    async with live(routing=dist) as server:
        response = await server.anyone.head("/")
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-length"] == str(len(INDEX))


@pytest.mark.parametrize(
    "path", ["/index.html", "/assets/app-1a2b.js.br", "/assets", "/assets/../index.html", "/assets/%2e%2e/index.html"]
)
async def test_nothing_is_served_but_the_addresses_of_the_page(dist: settings.Routing, path: str) -> None:
    async with live(routing=dist) as server:
        assert (await server.anyone.get(path)).status_code == 404


async def test_without_a_built_page_the_answer_says_how_to_build_it(tmp_path: Path) -> None:
    async with live(routing=settings.Routing(static_dir=str(tmp_path / "none"))) as server:
        response = await server.anyone.get("/")
    assert (response.status_code, response.json()["title"]) == (503, "Page not built")
    assert "`make run`" in response.json()["detail"]
    assert response.headers["retry-after"] == "1"
