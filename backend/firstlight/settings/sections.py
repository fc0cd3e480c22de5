"""The settings themselves: one frozen Struct a section, each setting with its default and its meaning."""

from __future__ import annotations

from typing import Annotated, Literal, get_type_hints

import msgspec
from msgspec import Meta

Positive = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(gt=0, le=1)]
Seconds = Annotated[float, Meta(gt=0)]


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all sections."""


class Connection(Section, frozen=True):
    """Where the server listens, and what a socket may cost."""

    host: Annotated[str, Meta(min_length=1)] = "127.0.0.1"
    """Address to listen on."""
    port: Annotated[int, Meta(ge=0, le=65535)] = 8000
    """Port to listen on; 0: any free one."""
    keep_alive_s: Seconds = 75.0
    """Idle time of a kept connection; longer than the 60 s of the proxy in front, so that the proxy closes first."""
    header_timeout_s: Seconds = 10.0
    """A request whose headers take longer to arrive is cut off."""
    body_timeout_s: Seconds = 15.0
    """A request whose body takes longer to arrive is cut off."""
    send_timeout_s: Seconds = 30.0
    """A reader that takes nothing for so long is cut off."""
    max_header_bytes: Positive = 32_768
    """Request line and headers of one request."""
    max_header_fields: Positive = 100
    """Header lines of one request."""
    max_body_bytes: Positive = 4_194_304
    """Body of one request."""
    max_connections: Positive = 2_000
    """Sockets open at once."""


class Routing(Section, frozen=True):
    """Where requests go."""

    static_dir: str = ""
    """Folder of the built page; empty: `frontend/dist` of the checkout."""
    hosts: tuple[str, ...] = ()
    """Names that `Host` may have; empty: any."""


class Admission(Section, frozen=True):
    """Who may ask, and how often."""

    token_ttl_s: Positive = 900
    """How long a guest token is good for."""
    rate: Annotated[float, Meta(ge=0.001, le=1_000_000)] = 1.0
    """Requests a second that a user's bucket gains."""
    burst: Annotated[int, Meta(ge=1, le=1_000_000)] = 20
    """Requests that a full bucket holds."""
    max_users: Positive = 100_000
    """Buckets kept; the longest unused goes first."""


class Engine(Section, frozen=True):
    """What computes the tokens."""

    kind: Literal["vllm", "scripted"] = "vllm"
    """`vllm`: a real model; `scripted`: plays a scenario, needs no model."""
    model: str = ""
    """Hugging Face id or folder; empty: the small model that `make run` prepares."""
    scenario: str = ""
    """Scenario file of the scripted engine; empty: its own demo."""
    max_model_len: Annotated[int, Meta(ge=0)] = 4096
    """Prompt and reply tokens of one request; 0: as the model has it."""
    max_num_seqs: Positive = 256
    """Replies computed at once; further ones wait."""
    max_num_batched_tokens: Positive = 8192
    """Tokens computed in one step: larger steps read prompts faster and hold running replies up longer."""
    tensor_parallel_size: Positive = 1
    """GPUs that share every layer."""
    pipeline_parallel_size: Positive = 1
    """GPUs that hold a part of the layers each."""
    data_parallel_size: Positive = 1
    """Copies of the model."""
    gpu_memory_utilization: Share = 0.9
    """Share of the GPU memory that the engine takes."""
    kv_cache_gib: Annotated[int, Meta(ge=0)] = 0
    """KV cache on the CPU engine in GiB; 0: from the memory found."""
    enforce_eager: bool | None = None
    """Not set: eager on a CPU (compiling costs a minute of start), CUDA graphs on a GPU."""
    default_max_tokens: Positive = 1024
    """Reply tokens where a request names no figure."""


class Generations(Section, frozen=True):
    """Replies under way and kept for replay."""

    max_running: Positive = 1_000
    """Replies under way; one more is refused with 503."""
    log_bytes: Positive = 262_144
    """Memory for one reply: text and 16 bytes a token. A longer one loses its beginning, once all readers have it."""
    total_bytes: Positive = 67_108_864
    """The same for all finished replies together."""
    max_kept: Positive = 5_000
    """Finished replies kept."""
    keep_s: Seconds = 600.0
    """How long a finished reply can be replayed."""
    grace_s: Annotated[float, Meta(ge=0)] = 0.0
    """How long a reply goes on with nobody reading before it is aborted."""


class Assembly(Section, frozen=True):
    """Tokens to bytes on the socket."""

    max_tokens_per_event: Positive = 8
    """Tokens that go out together without waiting."""
    max_wait_ms: Annotated[float, Meta(ge=0)] = 16.0
    """No token waits longer for company: one display frame."""
    busy_wait_ms: Annotated[float, Meta(ge=0)] = 50.0
    """The same once `busy_streams` run."""
    busy_streams: Positive = 200
    """Replies under way from which `busy_wait_ms` holds."""
    heartbeat_s: Seconds = 10.0
    """A stream that is silent for so long gets a comment."""
    zstd_level: Annotated[int, Meta(ge=1, le=19)] = 1
    """Compression level."""
    zstd_window_log: Annotated[int, Meta(ge=10, le=23)] = 15
    """Window of 2 to this power in bytes; a long reply costs about twice as much memory while it streams."""


class Logs(Section, frozen=True):
    """What is logged; never a message's text."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """Least level that is logged."""
    format: Literal["auto", "console", "json"] = "auto"
    """`auto`: console on a terminal, else JSON."""


class Metrics(Section, frozen=True):
    """What is measured for whoever runs the server."""

    page_share: Annotated[float, Meta(ge=0, le=1)] = 1.0
    """Share of the replies whose pages are asked to tell afterwards what they saw of it."""


class Traces(Section, frozen=True):
    """OpenTelemetry traces; they need the package's extra `traces`."""

    endpoint: Annotated[str, Meta(pattern="^(https?://.+)?$")] = ""
    """Where spans are sent, OTLP over HTTP, such as `http://collector:4318/v1/traces`; empty: no traces."""


class Settings(Section, frozen=True):
    """Every section."""

    connection: Connection = Connection()
    routing: Routing = Routing()
    admission: Admission = Admission()
    engine: Engine = Engine()
    generations: Generations = Generations()
    assembly: Assembly = Assembly()
    logs: Logs = Logs()
    metrics: Metrics = Metrics()
    traces: Traces = Traces()


SECTIONS: dict[str, type[Section]] = get_type_hints(Settings)
