"""Defaults, then a TOML file, then the environment."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from firstlight.errors import StartError
from firstlight.settings.sections import SECTIONS, Settings

PREFIX = "FIRSTLIGHT_"
CONFIG = "FIRSTLIGHT_CONFIG"
CACHE = "FIRSTLIGHT_CACHE"
"""Not a setting of the server: the folder where `make run` and it keep what they prepare."""

_NO_TEXT = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff]")
"""In no name, path or address that works: control characters, and what the environment has that is not UTF-8."""


class Source(msgspec.Struct, frozen=True):
    """One value and `name`, the file or variable that it stands in."""

    name: str
    section: str
    key: str
    value: object


def load(env: Mapping[str, str] = os.environ) -> Settings:
    """Settings in force for `env`. Raises StartError with one line that names the key and where it was set."""
    values: dict[str, dict[str, object]] = {}
    for (section, key), source in sources(env).items():
        values.setdefault(section, {})[key] = source.value
    return msgspec.convert(values, Settings, strict=False)


def sources(env: Mapping[str, str] = os.environ) -> dict[tuple[str, str], Source]:
    """What sets each setting that is not left at its default, by section and key. Raises StartError, as `load` does."""
    found: dict[tuple[str, str], Source] = {}
    for source in (*_from_file(env.get(CONFIG, "")), *_from_env(env)):
        if source.section not in SECTIONS:
            raise StartError(
                f"{source.name}: there is no section {source.section!r} (there are: {', '.join(SECTIONS)})"
            )
        if source.key not in SECTIONS[source.section].__struct_fields__:
            hint = _hint(source.key, SECTIONS[source.section].__struct_fields__)
            raise StartError(f"{source.name}: [{source.section}] has no setting {source.key!r}{hint}")
        found[source.section, source.key] = source
    for source in found.values():
        texts = source.value if isinstance(source.value, list) else [source.value]
        if any(_NO_TEXT.search(str(text)) for text in texts):
            raise StartError(f"{source.name}: {source.section}.{source.key}: control characters, or not UTF-8")
        try:
            msgspec.convert({source.key: source.value}, SECTIONS[source.section], strict=False)
        except msgspec.ValidationError as error:
            reason = str(error).split(" - at")[0]
            raise StartError(f"{source.name}: {source.section}.{source.key}: {reason}") from error
    return found


def variable(section: str, key: str) -> str:
    """Name of the environment variable for a setting."""
    return f"{PREFIX}{section}__{key}".upper()


def _from_file(path: str) -> Iterator[Source]:
    if not path:
        return
    try:
        tables = tomllib.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StartError(f"{CONFIG}={path}: {error}") from error
    for section, table in tables.items():
        if not isinstance(table, dict):
            raise StartError(f"{path}: {section!r} must stand in a section, as in [connection]")
        for key, value in table.items():
            yield Source(path, section, key, value)


def _from_env(env: Mapping[str, str]) -> Iterator[Source]:
    for name, text in sorted(env.items()):
        if not name.startswith(PREFIX) or name in {CONFIG, CACHE}:
            continue
        section, separator, key = name.removeprefix(PREFIX).lower().partition("__")
        if not separator:
            raise StartError(f"{name}: there is no such setting{_variable_hint(section)}")
        fields = SECTIONS[section].__struct_fields__ if section in SECTIONS else ()
        if key.endswith("_file") and key not in fields:
            yield _typed(name, section, key.removesuffix("_file"), _read(name, text))
        else:
            yield _typed(name, section, key, text)


def _typed(name: str, section: str, key: str, text: str) -> Source:
    struct = SECTIONS.get(section)
    is_list = struct is not None and struct.__annotations__.get(key, "").startswith("tuple")
    return Source(name, section, key, [part.strip() for part in text.split(",") if part.strip()] if is_list else text)


def _read(name: str, path: str) -> str:
    try:
        return Path(path).read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise StartError(f"{name}={path}: {error}") from error


def _variable_hint(name: str) -> str:
    forms = {
        form: variable(section, key)
        for section, struct in SECTIONS.items()
        for key in struct.__struct_fields__
        for form in (key, f"{section}_{key}")
    }
    near = difflib.get_close_matches(name, forms, 1)
    return f" (did you mean {forms[near[0]]}?)" if near else ""


def _hint(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f" (did you mean '{near[0]}'?)" if near else ""
