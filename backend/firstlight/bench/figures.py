"""What every bench hands back, and how it is printed: a Markdown table for people, one JSON object for programs."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec


class Report(msgspec.Struct, frozen=True):
    """One measurement. `figures` are named `name_unit_stat`; `notes` is Markdown, for people only."""

    bench: str
    machine: str
    versions: dict[str, str]
    figures: dict[str, float]
    notes: str = ""


class Part(msgspec.Struct, frozen=True):
    """One of several tables of a bench: its `notes` are Markdown."""

    title: str
    figures: dict[str, float]
    notes: str


def report(bench: str, figures: dict[str, float], packages: Iterable[str], notes: str = "") -> Report:
    """A report of `figures` taken just now on this machine with the installed versions of `packages`."""
    versions = {"python": platform.python_version()} | {name: version(name) for name in packages}
    return Report(bench, machine(), versions, figures, notes)


def machine() -> str:
    """Processor, usable cores, system and load, in one line: load tells how far the figures can be trusted."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{_processor()}, {cores} cores, {platform.system()} {platform.machine()}, load {os.getloadavg()[0]:.2f}"


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of `values` lie, by nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; floats with three significant decimals at most, all columns but the first to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *[[_cell(value) for value in row] for row in rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def as_json(shown: Report) -> str:
    """The one object that `--json` prints."""
    fields = msgspec.to_builtins(shown)
    del fields["notes"]
    return msgspec.json.encode(fields).decode()


def as_markdown(shown: Report) -> str:
    """Heading, the machine, the bench's own notes, and every figure."""
    versions = ", ".join(f"{name} {number}" for name, number in shown.versions.items())
    parts = [f"## bench {shown.bench}", f"{shown.machine}; {versions}", shown.notes]
    return "\n\n".join(part for part in [*parts, table(["figure", "value"], shown.figures.items())] if part)


def _cell(value: object) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"
