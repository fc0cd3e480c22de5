"""One short reply, asked as a guest: do its events come one by one, or does something on the way hold them back?"""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import msgspec

from firstlight.doctor.evidence import lumped
from firstlight.doctor.host import Check
from firstlight.doctor.report import plain
from firstlight.wire import ChatRequest, Delta, Message, Token

PATIENCE_S = 20.0
_QUESTION = ChatRequest((Message("user", "Count from one to forty."),), max_tokens=64)
_TO_RUN = "firstlight doctor URL, once through the proxy and once past it"


def probe(url: str) -> Check:
    """Ask the server at `url` (without `/metrics`); `ok` is None where the answer does not tell."""
    try:
        lags = list(_lags(url.removesuffix("/metrics").rstrip("/")))
    except (httpx.HTTPError, httpx.InvalidURL, msgspec.MsgspecError, UnicodeError) as error:
        reason = plain(str(error) or type(error).__name__)
        return Check("stream", None, f"no reply could be asked: {reason}", _TO_RUN)
    together = lumped(lags)
    if together is None:
        return Check("stream", None, f"{len(lags)} events, too few or too close together to tell", _TO_RUN)
    sent, arrived = (max(times) - min(times) for times in zip(*lags, strict=True))
    says = f"{len(lags)} events sent over {sent:.0f} ms arrived over {arrived:.0f} ms"
    return Check("stream", not together, says, _TO_RUN)


def _lags(url: str) -> Iterator[tuple[float, float]]:
    """When each delta was sent (server's clock) and when it arrived (ours), milliseconds."""
    deadline = time.monotonic() + PATIENCE_S
    # Never through a proxy of the environment: what is looked for is one in front of the server.
    with httpx.Client(base_url=url, timeout=PATIENCE_S, trust_env=False) as client:
        token = msgspec.json.decode(client.post("/auth/guest").raise_for_status().content, type=Token)
        headers = {
            "authorization": f"Bearer {token.access_token}",
            "content-type": "application/json",
            "accept-encoding": "identity",
        }
        body = msgspec.json.encode(_QUESTION)
        with client.stream("POST", "/api/chat", content=body, headers=headers) as answer:
            answer.raise_for_status()
            rest = b""
            for part in answer.iter_raw():
                arrived = time.monotonic()
                *blocks, rest = (rest + part).split(b"\n\n")
                for block in blocks:
                    name, _, data = block.partition(b"\ndata: ")
                    if name == b"event: delta" and (at := msgspec.json.decode(data, type=Delta).at) is not None:
                        yield at, arrived * 1_000
                if arrived > deadline:
                    return
