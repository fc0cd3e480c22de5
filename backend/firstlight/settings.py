"""All settings: one frozen Struct a section. Defaults, then a TOML file, then the environment.

    FIRSTLIGHT_CONFIG=firstlight.toml            the file: [admission] burst = 16
    FIRSTLIGHT_ADMISSION__BURST=16               one setting; FIRSTLIGHT_<SECTION>__<KEY>
    FIRSTLIGHT_ADMISSION__GUEST_KEY_FILE=/run/x  the same from a file, for what must not stand in the environment

An unknown section or key, or a value out of range, stops the start with one line that names the key.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal, get_type_hints

import msgspec
from msgspec import Meta

from firstlight.errors import StartError

PREFIX = "FIRSTLIGHT_"
CONFIG = "FIRSTLIGHT_CONFIG"

Positive = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(gt=0, le=1)]
Seconds = Annotated[float, Meta(gt=0)]


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all sections."""


class Connection(Section):
    """Where the server listens, and what a socket may cost."""

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8000
    keep_alive_s: Seconds = 75.0
    """Idle time of a kept connection; longer than the 60 s of the proxy in front, so that the proxy closes first."""
    header_timeout_s: Seconds = 10.0
    body_timeout_s: Seconds = 15.0
    send_timeout_s: Seconds = 30.0
    """A reader that takes nothing for so long is cut off."""
    max_header_bytes: Positive = 32_768
    max_header_fields: Positive = 100
    max_body_bytes: Positive = 4_194_304
    max_connections: Positive = 2_000


class Routing(Section):
    """Where requests go."""

    static_dir: str = ""
    """Folder of the built page; empty: `frontend/dist` of the checkout."""
    hosts: tuple[str, ...] = ()
    """Names that `Host` may have; empty: any."""


class Admission(Section):
    """Who may ask, and how often."""

    token_ttl_s: Positive = 900
    rate: Annotated[float, Meta(gt=0)] = 1.0
    """Requests a second that a user's bucket gains."""
    burst: Positive = 20
    """Requests that a full bucket holds."""
    max_users: Positive = 100_000
    """Buckets kept; the longest unused goes first."""


class Engine(Section):
    """What computes the tokens."""

    kind: Literal["vllm", "scripted"] = "vllm"
    model: str = ""
    """Hugging Face id or folder; empty: the small model that `make run` prepares."""
    scenario: str = ""
    """Scenario file of the scripted engine; empty: its own demo."""
    max_model_len: Annotated[int, Meta(ge=0)] = 4096
    """Prompt and reply tokens of one request; 0: as the model has it."""
    max_num_seqs: Positive = 256
    max_num_batched_tokens: Positive = 8192
    tensor_parallel_size: Positive = 1
    pipeline_parallel_size: Positive = 1
    data_parallel_size: Positive = 1
    gpu_memory_utilization: Share = 0.9
    kv_cache_gib: Annotated[int, Meta(ge=0)] = 0
    """KV cache on the CPU engine in GiB; 0: from the memory found."""
    enforce_eager: bool | None = None
    """None: eager on a CPU (compiling costs a minute of start), CUDA graphs on a GPU."""
    default_max_tokens: Positive = 1024
    """Reply tokens where a request names no figure."""


class Generations(Section):
    """Replies under way and kept for replay."""

    max_running: Positive = 1_000
    log_bytes: Positive = 262_144
    """Memory for one reply: its text and 16 bytes a token. A longer one loses its beginning, once all readers have it."""
    total_bytes: Positive = 67_108_864
    """The same for all finished replies together."""
    max_kept: Positive = 5_000
    """Finished replies kept."""
    keep_s: Seconds = 600.0
    """How long a finished reply can be replayed."""
    grace_s: Annotated[float, Meta(ge=0)] = 0.0
    """How long a reply goes on with nobody reading before it is aborted."""


class Assembly(Section):
    """Tokens to bytes on the socket."""

    max_tokens_per_event: Positive = 8
    max_wait_ms: Annotated[float, Meta(ge=0)] = 16.0
    """No token waits longer for company: one display frame."""
    busy_wait_ms: Annotated[float, Meta(ge=0)] = 50.0
    """The same once `busy_streams` run."""
    busy_streams: Positive = 200
    heartbeat_s: Seconds = 10.0
    zstd_level: Annotated[int, Meta(ge=1, le=19)] = 1
    zstd_window_log: Annotated[int, Meta(ge=10, le=23)] = 17


class Logs(Section):
    """What is logged; never a message's text."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["auto", "console", "json"] = "auto"


class Settings(Section):
    """Every section."""

    connection: Connection = Connection()
    routing: Routing = Routing()
    admission: Admission = Admission()
    engine: Engine = Engine()
    generations: Generations = Generations()
    assembly: Assembly = Assembly()
    logs: Logs = Logs()


SECTIONS: dict[str, type[Section]] = get_type_hints(Settings)


def load(env: Mapping[str, str] = os.environ) -> Settings:
    """Settings in force for `env`. Raises StartError with one line that names the key and where it was set."""
    values: dict[str, dict[str, object]] = {}
    sources: dict[tuple[str, str], str] = {}
    for source, section, key, value in [*_from_file(env.get(CONFIG, "")), *_from_env(env)]:
        if section not in SECTIONS:
            raise StartError(f"{source}: there is no section '{section}' (there are: {', '.join(SECTIONS)})")
        if key not in SECTIONS[section].__struct_fields__:
            raise StartError(f"{source}: [{section}] has no setting '{key}'{_hint(key, section)}")
        values.setdefault(section, {})[key] = value
        sources[section, key] = source
    for (section, key), source in sources.items():
        try:
            msgspec.convert({key: values[section][key]}, SECTIONS[section], strict=False)
        except msgspec.ValidationError as error:
            raise StartError(f"{source}: {section}.{key}: {str(error).split(' - at')[0]}") from error
    return msgspec.convert(values, Settings, strict=False)


def _from_file(path: str) -> Iterator[tuple[str, str, str, object]]:
    if not path:
        return
    try:
        tables = tomllib.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise StartError(f"{CONFIG}={path}: {error}") from error
    for section, table in tables.items():
        if not isinstance(table, dict):
            raise StartError(f"{path}: '{section}' must stand in a section, as in [connection]")
        for key, value in table.items():
            yield path, section, key, value


def _from_env(env: Mapping[str, str]) -> Iterator[tuple[str, str, str, object]]:
    for name, text in sorted(env.items()):
        if not name.startswith(PREFIX) or "__" not in name:
            continue
        section, key = name.removeprefix(PREFIX).lower().split("__", 1)
        fields = SECTIONS[section].__struct_fields__ if section in SECTIONS else ()
        if key.endswith("_file") and key not in fields:
            key, text = key.removesuffix("_file"), _secret(name, text)
        is_list = key in fields and SECTIONS[section].__annotations__[key].startswith("tuple")
        yield name, section, key, [part.strip() for part in text.split(",")] if is_list else text


def _secret(name: str, path: str) -> str:
    try:
        return Path(path).read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise StartError(f"{name}={path}: {error}") from error


def _hint(key: str, section: str) -> str:
    near = difflib.get_close_matches(key, SECTIONS[section].__struct_fields__, 1)
    return f" (did you mean '{near[0]}'?)" if near else ""
