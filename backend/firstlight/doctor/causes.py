"""The usual causes of a row that is over: what each is called, which rows it can lengthen, what points to it, a check.

To add one: write what points to it in `signs.py`, and an entry in CAUSES here.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from firstlight.doctor import signs
from firstlight.doctor.evidence import Evidence
from firstlight.doctor.judge import SERVED
from firstlight.doctor.signs import Finding


class Cause(Struct, frozen=True):
    """A cause by its stable `name`, its `title` for people, what to `check`, and the rows that it can lengthen."""

    name: str
    title: str
    check: str
    stages: tuple[str, ...]
    look: Callable[[Evidence], Finding | None]


class Suspect(Struct, frozen=True):
    """A cause that fits: `supported` by data, or only allowed by it."""

    name: str
    title: str
    supported: bool
    evidence: str
    check: str


def suspects(evidence: Evidence) -> list[Suspect]:
    """The causes that fit, those that explain most first, those that are only possible last."""
    found = [(cause, cause.look(evidence)) for cause in CAUSES if evidence.stage in cause.stages]
    fitting = [(cause, finding) for cause, finding in found if finding is not None]
    fitting.sort(key=lambda one: -1.0 if one[1].ms is None else one[1].ms, reverse=True)
    return [
        Suspect(cause.name, cause.title, finding.ms is not None, finding.evidence, cause.check)
        for cause, finding in fitting
    ]


COMPUTED = ("prefill", "decode")

CAUSES: tuple[Cause, ...] = (
    Cause(
        "cold",
        "a cold start (JIT, caches)",
        "send two replies after a restart, compare them in the overlay",
        (*SERVED, "connection", "assembly"),
        signs.cold,
    ),
    Cause(
        "queueing",
        "queueing for a place in the engine",
        "firstlight_engine_running at /metrics; raise engine.max_num_seqs, or add a replica",
        ("prefill",),
        signs.part("scheduled - queued"),
    ),
    Cause(
        "tokenizer",
        "a slow tokenizer",
        "firstlight bench tables (its tokenizer table); shorten the prompt",
        ("prefill",),
        signs.part("tokenised - shaped"),
    ),
    Cause(
        "prefix-cache-miss",
        "a prefix-cache miss",
        "usage.cached_tokens of a follow-up; the cache may be too small",
        ("prefill",),
        signs.cache_miss,
    ),
    Cause(
        "long-prompt",
        "a long prompt",
        "usage.prompt_tokens; ask the same in a new chat",
        ("prefill",),
        signs.long_prompt,
    ),
    Cause(
        "eager",
        "eager mode",
        "firstlight settings (engine.enforce_eager); on a GPU leave it unset",
        COMPUTED,
        signs.compute("whether it is eager is not told here"),
    ),
    Cause(
        "graph-miss",
        "a CUDA graph miss",
        "vLLM's start log: the captured sizes against the replies at once",
        COMPUTED,
        signs.compute("whether a graph was replayed is not told here"),
    ),
    Cause(
        "cores",
        "too few CPU cores",
        "nproc; uptime; vmstat 1 5 on the server's host",
        (*SERVED, "assembly"),
        signs.cores,
    ),
    Cause(
        "thp", "transparent huge pages", "cat /sys/kernel/mm/transparent_hugepage/{enabled,defrag}", COMPUTED, signs.thp
    ),
    Cause(
        "silent-tokens",
        "tokens without text first",
        "the first chunk's tokens; long stop strings hold text back",
        ("decode",),
        signs.silent_tokens,
    ),
    Cause(
        "verification",
        "the token's verification",
        "verified - body of a second reply with the same token",
        ("admission",),
        signs.part("verified - body"),
    ),
    Cause(
        "long-conversation",
        "a long conversation to clean and shape",
        "the request's size; a new chat",
        ("admission",),
        signs.part("shaped - bucket"),
    ),
    Cause(
        "not-reused",
        "a connection that was not reused",
        "the proxy's keep-alive: 60 s, below connection.keep_alive_s",
        ("connection",),
        signs.not_reused,
    ),
    Cause(
        "upload",
        "a body that arrives slowly",
        "the request's size and the client's upload",
        ("connection",),
        signs.part("body - routed"),
    ),
    Cause(
        "headers",
        "large request headers",
        "the browser's network panel: cookies of other apps on the same host",
        ("connection",),
        signs.headers,
    ),
    Cause(
        "network", "the network itself", "ping the server from the client", ("connection", "unaccounted"), signs.network
    ),
    Cause(
        "proxy-buffering",
        "a proxy that buffers",
        "firstlight doctor URL, through the proxy and past it",
        ("unaccounted", "connection"),
        signs.proxy,
    ),
    Cause(
        "clock",
        "a clock that jumped",
        "chronyc tracking; whether the computer slept",
        ("connection", "unaccounted"),
        signs.clock,
    ),
    Cause(
        "slow-reader",
        "a reader that is too slow",
        "the client's network and main thread; other tabs",
        ("assembly", "unaccounted"),
        signs.slow_reader,
    ),
    Cause(
        "token-refresh",
        "a token refreshed on the send path",
        "the network panel: /auth/guest before /api/chat",
        ("capture",),
        signs.token_refresh,
    ),
    Cause(
        "main-thread",
        "a busy main thread",
        "the browser's performance panel; extensions off",
        ("capture", "assembly"),
        signs.main_thread,
    ),
    Cause(
        "hidden-tab",
        "a hidden tab",
        "keep the tab in front while measuring",
        ("capture", "assembly", "unaccounted"),
        signs.hidden,
    ),
)
