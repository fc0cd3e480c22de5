"""The built page, served from memory in the coding that its reader likes best; compressed when it was built."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from litestar import Request
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

from firstlight.assembly import IDENTITY, choose
from firstlight.errors import NotBuilt

BUILT = Path(__file__).parents[3] / "frontend" / "dist"
"""Where the build leaves the page, in a checkout."""

_CODINGS = {"br": ".br", "zstd": ".zst", "gzip": ".gz"}
"""Codings in the order of our preference (brotli's best level is the smallest), each with its files' suffix."""

_HASHED = "/assets/"
"""Below it a file's name changes with its content."""

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


class Variant(msgspec.Struct, frozen=True):
    """One coding of a file. `etag` is strong: other bytes, another tag."""

    body: bytes
    etag: bytes


class File(msgspec.Struct, frozen=True):
    """A file of the page, with its variants by coding; `identity` is always there."""

    media_type: str
    cache_control: str
    variants: Mapping[str, Variant]

    def answer(self, accept_encoding: str | None, if_none_match: str) -> Answer:
        """The response. Raises NotAcceptable."""
        coding = choose(accept_encoding, [name for name in _CODINGS if name in self.variants])
        variant = self.variants[coding]
        headers = [
            (b"etag", variant.etag),
            (b"cache-control", self.cache_control.encode()),
            (b"vary", b"Accept-Encoding"),
        ]
        known = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
        if known & {variant.etag.decode(), "*"}:
            return Answer(304, headers, b"")
        headers.append((b"content-type", self.media_type.encode()))
        headers.append((b"content-length", str(len(variant.body)).encode()))
        if coding != IDENTITY:
            headers.append((b"content-encoding", coding.encode()))
        return Answer(200, headers, variant.body)


class Answer(msgspec.Struct, frozen=True):
    """A whole response, as an ASGI application. To HEAD it says all but the body."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        body = b"" if scope["method"] == "HEAD" else self.body  # type: ignore[typeddict-item]
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


def load(folder: Path) -> dict[str, File]:
    """All files below `folder` by the path of their URL, `index.html` at `/`; none where there is no such folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in _CODINGS.values())
    files = {f"/{path.relative_to(folder).as_posix()}": path for path in paths}
    return {"/" if url == "/index.html" else url: _file(url, path) for url, path in files.items()}


def page_route(files: Mapping[str, File]) -> HTTPRouteHandler:
    """One handler for just the addresses that there are files for; `/` says how to build them where there are none."""

    async def page(request: Request[Any, Any, Any]) -> ASGIApp:
        file = files.get(request.scope["path"])
        if file is None:
            raise NotBuilt("The page is not built: run `make run`, or `npm run build`, and start the server again.")
        return file.answer(request.headers.get("accept-encoding"), request.headers.get("if-none-match", ""))

    return HTTPRouteHandler(sorted({"/", *files}), http_method=["GET", "HEAD"])(page)


def _file(url: str, path: Path) -> File:
    variants = {IDENTITY: _variant(path)}
    for coding, suffix in _CODINGS.items():
        packed = path.with_name(path.name + suffix)
        if packed.is_file():
            variants[coding] = _variant(packed)
    cache_control = "public, max-age=31536000, immutable" if url.startswith(_HASHED) else "no-cache"
    return File(_TYPES.get(path.suffix, "application/octet-stream"), cache_control, variants)


def _variant(path: Path) -> Variant:
    body = path.read_bytes()
    return Variant(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode())
