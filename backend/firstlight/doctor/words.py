"""The verdict in plain words, and as the one object of `--json`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec
from msgspec import Struct

from firstlight.doctor.causes import Suspect
from firstlight.doctor.host import Check
from firstlight.doctor.judge import Row, Verdict
from firstlight.doctor.report import plain

MAX_REASONS = 5
"""Reasons for what is missing that are told in words; `--json` has all."""


class Diagnosis(Struct, frozen=True):
    """All that is to be said: `suspects` by row that is over."""

    verdict: Verdict
    suspects: dict[str, list[Suspect]]
    host: list[Check]
    is_host: bool


def as_json(found: Diagnosis) -> str:
    """The object described in docs/doctor.md, on one line."""
    verdict = found.verdict
    stages = {name: _row(row) | {"causes": _causes(found, name)} for name, row in verdict.rows.items()}
    shown = {
        "version": 1,
        "source": verdict.source,
        "replies": verdict.replies,
        "healthy": verdict.healthy,
        "blamed": verdict.blamed,
        "ttft": _row(verdict.ttft),
        "stages": stages,
        "missing": [{"why": plain(why), "replies": count} for why, count in verdict.missing.items()],
        "host": [msgspec.to_builtins(check) for check in found.host],
    }
    return msgspec.json.encode(shown).decode()


def in_words(found: Diagnosis) -> str:
    """The same for people; of a healthy source one line."""
    verdict = found.verdict
    if verdict.healthy:
        return f"Healthy: {_whole(verdict)}; every stage is within its budget.\n"
    return "\n".join([*_heading(verdict), *_stages(found), *_missing(verdict), *_machine(found)]) + "\n"


def _heading(verdict: Verdict) -> Iterator[str]:
    over = ", ".join(name for name, row in verdict.rows.items() if row.over)
    yield f"Over budget: {over or 'the whole, though no stage is'}. {_whole(verdict)}."


def _stages(found: Diagnosis) -> Iterator[str]:
    over = {name: row for name, row in found.verdict.rows.items() if row.over}
    for name in sorted(over, key=lambda name: over[name].excess_ms, reverse=True):
        row = over[name]
        part = ", the server's part of it," if row.part else ""
        excess = f"{_ms(row.excess_ms)} over" if row.excess_ms else "over it in the latest replies"
        yield (
            f"\n{name}{part} is {excess}: p50 {_ms(row.p50_ms)}, p95 {_ms(row.p95_ms)} "
            f"against {_ms(row.budget_ms)}, in {_count(row.replies, 'reply', 'replies')}; "
            f"{_since(row, found.verdict.source)}."
        )
        for suspect in found.suspects[name]:
            mark = "-" if suspect.supported else "? perhaps"
            yield f"  {mark} {suspect.title}: {suspect.evidence}.\n      Check: {suspect.check}"


def _missing(verdict: Verdict) -> Iterator[str]:
    if verdict.missing:
        yield "\nWhat the page could not tell:"
    for why, count in list(verdict.missing.items())[:MAX_REASONS]:
        yield f"  {_count(count, 'reply', 'replies')}: {plain(why)}"


def _machine(found: Diagnosis) -> Iterator[str]:
    yield "\nThis machine:" if found.is_host else "\nThis machine (it counts if the server runs here):"
    for check in found.host:
        mark = {True: "ok", False: "look", None: "not told"}[check.ok]
        yield f"  {mark}: {check.says}" + ("" if check.ok else f"  Check: {check.check}")


def _whole(verdict: Verdict) -> str:
    ttft = verdict.ttft
    told = f"TTFT p50 {_ms(ttft.p50_ms)}, p95 {_ms(ttft.p95_ms)} (budget {_ms(ttft.budget_ms)})"
    return f"{_count(verdict.replies, 'reply', 'replies')}, {told}"


def _since(row: Row, source: str) -> str:
    if row.since is not None:
        return f"since {row.since:%Y-%m-%d %H:%M:%S %Z}"
    return "the latest is within it" if source == "report" else "since when is not told"


def _row(row: Row) -> dict[str, object]:
    return {
        "replies": row.replies,
        "p50_ms": row.p50_ms,
        "p95_ms": row.p95_ms,
        "budget_ms": row.budget_ms,
        "excess_ms": row.excess_ms,
        "over": row.over,
        "since": _time(row.since),
    }


def _causes(found: Diagnosis, name: str) -> list[dict[str, object]]:
    return [msgspec.to_builtins(suspect) for suspect in found.suspects.get(name, [])]


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _ms(value: float | None) -> str:
    return "not told" if value is None else f"{value:.1f} ms"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
