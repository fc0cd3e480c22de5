"""The shape of the code: who may build what, who may import what, and how long a file or function may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from firstlight.wire import Marks

PACKAGE = Path(__file__).parents[1] / "firstlight"
FILES = {str(path.relative_to(PACKAGE)): ast.parse(path.read_bytes()) for path in sorted(PACKAGE.rglob("*.py"))}

MAX_FILE_LINES = 260
MAX_FUNCTION_LINES = 60


def calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call of something of that name, with the file that it stands in."""
    for file, tree in FILES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == name:
                yield file, node


@pytest.mark.parametrize(
    ("proof", "stage"), [("Admitted", "admission"), ("Prompt", "prefill"), ("Generation", "decode")]
)
def test_only_its_own_stage_builds_the_type_that_proves_it_ran(proof: str, stage: str) -> None:
    assert {file.split("/")[0] for file, _ in calls(proof)} == {stage}


def test_every_mark_that_is_set_is_one_of_the_contract() -> None:
    names = {node.args[0].value for _, node in calls("mark") if isinstance(node.args[0], ast.Constant)}
    assert names <= set(Marks.__struct_fields__)


@pytest.mark.parametrize("library", ["vllm", "torch", "transformers"])
def test_heavy_libraries_are_imported_late_and_in_the_engine_alone(library: str) -> None:
    for file, tree in FILES.items():
        found = [node for node in ast.walk(tree) if library in _imported(node)]
        assert not found or file.startswith("engine/"), file
        assert not [node for node in tree.body if node in found], f"{file}: at the top"


def test_no_file_is_longer_than_one_can_read_at_a_sitting() -> None:
    lengths = {file: len((PACKAGE / file).read_text("utf-8").splitlines()) for file in FILES}
    assert {file: length for file, length in lengths.items() if length > MAX_FILE_LINES} == {}


def test_no_function_is_longer_than_a_screen() -> None:
    lengths = {
        f"{file}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for file, tree in FILES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: length for name, length in lengths.items() if length > MAX_FUNCTION_LINES} == {}


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {(node.module or "").split(".")[0]}
    return set()
