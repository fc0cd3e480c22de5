"""`firstlight doctor`: which stage exceeds its budget, by how much, since when, and what usually causes it."""

from __future__ import annotations

import ipaddress
import sys
from pathlib import Path
from urllib.parse import urlsplit

from msgspec.structs import replace

from firstlight import budgets
from firstlight.doctor import evidence, host
from firstlight.doctor.causes import Suspect, suspects
from firstlight.doctor.evidence import Evidence
from firstlight.doctor.host import Check
from firstlight.doctor.judge import Row, judge
from firstlight.doctor.probe import probe
from firstlight.doctor.read import is_url, read
from firstlight.doctor.report import Report
from firstlight.doctor.scrape import Scrape
from firstlight.doctor.words import Diagnosis, as_json, in_words

HERE = "http://127.0.0.1:8000"
"""The server that is asked when none is named."""


def examine(source: str = HERE, *, json: bool = False, budgets_file: str | None = None) -> int:
    """Print the diagnosis of `source`: a report file, `-` (standard input) or a server's URL. Returns the exit code.

    0: healthy; 1: something is over its budget. Raises StartError with one line where `source` cannot be read.
    """
    limits = budgets.load(Path(budgets_file)) if budgets_file else budgets.load()
    seen = read(source)
    verdict = judge(seen, limits)
    machine, is_host = host.checks(), is_url(source) and _is_here(source)
    if is_url(source):
        machine.append(probe(source))
    causes: dict[str, list[Suspect]] = {}
    for stage, row in verdict.rows.items():
        if row.over:
            causes[stage] = suspects(_with_host(_evidence(seen, stage, row, limits), machine, is_host=is_host))
    found = Diagnosis(verdict, causes, machine, is_host)
    sys.stdout.write(f"{as_json(found)}\n" if json else in_words(found))
    return 0 if verdict.healthy else 1


def _evidence(seen: Report | Scrape, stage: str, row: Row, limits: budgets.Budgets) -> Evidence:
    if isinstance(seen, Report):
        return evidence.of_report(seen, stage, row, limits)
    return evidence.of_scrape(seen, stage, row)


def _with_host(known: Evidence, machine: list[Check], *, is_host: bool) -> Evidence:
    """`known` and what our own request told of the stream, which weighs more than a report."""
    checks = {check.name: check for check in machine}
    streamed = checks["stream"].ok if "stream" in checks else None
    lump = known.in_a_lump if streamed is None else not streamed
    return replace(known, host=checks, is_host=is_host, in_a_lump=lump)


def _is_here(url: str) -> bool:
    try:
        name = urlsplit(url).hostname or ""
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
