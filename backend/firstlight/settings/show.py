"""The settings for people: what is in force, as TOML, and what there is, as a page of the documentation."""

from __future__ import annotations

import ast
import inspect
import os
from collections.abc import Mapping
from itertools import pairwise

import msgspec

from firstlight.settings import sections
from firstlight.settings.load import sources
from firstlight.settings.sections import SECTIONS, Section, Settings

_SECRET = ("_key", "_secret", "_password")
"""Ends of the names of settings whose values are never shown."""

_PAGE = """\
# Settings

Defaults, then the TOML file that `FIRSTLIGHT_CONFIG` names, then the environment: `burst` in section `[admission]` is
`FIRSTLIGHT_ADMISSION__BURST` there, or `FIRSTLIGHT_ADMISSION__BURST_FILE` for a file that holds the value. An unknown
name or a value out of range stops the start with one line that names it. `FIRSTLIGHT_CACHE` is the folder for what is
downloaded and prepared. `firstlight settings` prints what is in force and where it was set.

This page is generated from `backend/firstlight/settings/sections.py` by `firstlight settings --markdown`.
"""


def describe(settings: Settings, env: Mapping[str, str] = os.environ) -> str:
    """All of `settings` as TOML, each line with where `env` set it; secrets masked."""
    origin = {place: source.name for place, source in sources(env).items()}
    blocks = []
    for name in SECTIONS:
        section = getattr(settings, name)
        lines = {key: line(key, getattr(section, key)) for key in section.__struct_fields__}
        width = max(map(len, lines.values()))
        noted = (f"{text:<{width}}  # {origin.get((name, key), 'default')}" for key, text in lines.items())
        blocks.append("\n".join([f"[{name}]", *noted]))
    return "\n\n".join(blocks) + "\n"


def markdown() -> str:
    """The page `docs/settings.md`: every setting with its default, what it may be, and its meaning."""
    page = [_PAGE]
    for name, struct in SECTIONS.items():
        meanings = _meanings(struct)
        page.append(f"## [{name}]\n\n{struct.__doc__}\n\n| setting | default | may be | meaning |\n|---|---|---|---|")
        for field in msgspec.structs.fields(struct):
            default = "not set" if field.default is None else f"`{_toml(field.default)}`"
            page.append(f"| `{field.name}` | {default} | {_range(field.type)} | {meanings[field.name]} |")
        page.append("")
    return "\n".join(page).rstrip() + "\n"


def line(key: str, value: object) -> str:
    """One setting as TOML; a secret is masked."""
    if key.endswith(_SECRET) and value:
        return f'{key} = "********"'
    return f"# {key} is not set" if value is None else f"{key} = {_toml(value)}"


def _toml(value: object) -> str:
    return repr(value) if isinstance(value, float) else msgspec.json.encode(value).decode()


def _range(kind: object) -> str:
    info = msgspec.inspect.type_info(kind)
    if isinstance(info, msgspec.inspect.UnionType):
        return " or ".join(_name(member) for member in info.types if not isinstance(member, msgspec.inspect.NoneType))
    return _name(info)


def _name(info: msgspec.inspect.Type) -> str:
    if isinstance(info, msgspec.inspect.LiteralType):
        return ", ".join(f"`{value}`" for value in info.values)
    words = {"IntType": "whole number", "FloatType": "number", "StrType": "text", "BoolType": "`true` or `false`"}
    bounds = {"gt": "over", "ge": "from", "le": "to"}
    limits = [f"{word} {value}" for name, word in bounds.items() if (value := getattr(info, name, None)) is not None]
    return " ".join([words.get(type(info).__name__, "list of texts"), *limits])


def _meanings(struct: type[Section]) -> dict[str, str]:
    """The strings that stand below the fields in the source, which Python itself does not keep."""
    source = ast.parse(inspect.getsource(sections))
    body = next(node.body for node in source.body if isinstance(node, ast.ClassDef) and node.name == struct.__name__)
    return {
        field.target.id: " ".join(note.value.value.split())
        for field, note in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(note, ast.Expr) and isinstance(note.value, ast.Constant) and isinstance(note.value.value, str)
    }
