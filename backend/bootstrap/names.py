"""Names of all settings, read from the source: it cannot be imported before its packages are installed."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path

from bootstrap.problem import Problem

PREFIX = "FIRSTLIGHT_"
OTHERS = {"FIRSTLIGHT_CONFIG", "FIRSTLIGHT_CACHE"}


def known(sections: Path) -> set[str]:
    """The environment variable of each setting in `sections`, the module with one class a section."""
    classes = {
        node.name: node for node in ast.parse(sections.read_text("utf-8")).body if isinstance(node, ast.ClassDef)
    }
    return {
        f"{PREFIX}{section}__{key}".upper()
        for section, kind in _fields(classes["Settings"])
        for key, _ in _fields(classes[kind])
    }


def check(env: Mapping[str, str], known: Iterable[str]) -> None:
    """Raises Problem for a variable that looks like a setting and is none. The package judges values, later."""
    names = sorted(known)
    for name in sorted(env):
        if (
            name.startswith(PREFIX)
            and name not in OTHERS
            and name.removesuffix("_FILE") not in names
            and name not in names
        ):
            # Without what they all begin with, which would make any two look alike.
            near = difflib.get_close_matches(name.removeprefix(PREFIX), [n.removeprefix(PREFIX) for n in names], 1)
            hint = f" (did you mean {PREFIX}{near[0]}?)" if near else ""
            raise Problem(f"{name}: there is no such setting{hint}: `firstlight settings` shows all")


def _fields(kind: ast.ClassDef) -> list[tuple[str, str]]:
    return [
        (node.target.id, ast.unparse(node.annotation))
        for node in kind.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
