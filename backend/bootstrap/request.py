"""What was asked for: make's variables first, then `FIRSTLIGHT_*`, then the settings file, then the defaults."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bootstrap.problem import Problem

# Each variable of `make run`, and the setting that it stands for.
VARIABLES = {
    "ENGINE": "FIRSTLIGHT_ENGINE__KIND",
    "MODEL": "FIRSTLIGHT_ENGINE__MODEL",
    "PORT": "FIRSTLIGHT_CONNECTION__PORT",
}


@dataclass(frozen=True)
class Request:
    """`source` names where each value was set, for messages. `env` is the server's environment."""

    engine: str
    model: str
    host: str
    port: str
    device: str
    flash_attn: bool
    source: Mapping[str, str]
    env: Mapping[str, str]


def read(env: Mapping[str, str]) -> Request:
    """The request in `env`. Raises Problem where the settings file cannot be read."""
    tables = _file(env.get("FIRSTLIGHT_CONFIG", ""))
    source: dict[str, str] = {}

    def value(section: str, key: str, default: str) -> str:
        name = f"FIRSTLIGHT_{section}__{key}".upper()
        variable = next((short for short, long in VARIABLES.items() if long == name), "")
        for origin, text in ((variable, env.get(variable)), (name, env.get(name))):
            if text:
                source[key] = origin
                return text
        source[key] = f"{env.get('FIRSTLIGHT_CONFIG')}: {section}.{key}"
        return str(tables.get(section, {}).get(key, default))

    return Request(
        engine=value("engine", "kind", "vllm"),
        model=value("engine", "model", ""),
        host=value("connection", "host", "127.0.0.1"),
        port=value("connection", "port", "8000"),
        device=env.get("DEVICE", ""),
        flash_attn=env.get("FLASH_ATTN", "") not in ("", "0"),
        source=source,
        env={**env, **{long: env[short] for short, long in VARIABLES.items() if env.get(short)}},
    )


def _file(path: str) -> dict[str, dict[str, object]]:
    try:
        tables = tomllib.loads(Path(path).read_text("utf-8")) if path else {}
    except (OSError, ValueError) as error:
        raise Problem(f"FIRSTLIGHT_CONFIG={path}: {error}") from error
    return {name: table for name, table in tables.items() if isinstance(table, dict)}
