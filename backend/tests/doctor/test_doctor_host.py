"""The host checks read the kernel's files, and say so where they cannot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from firstlight.doctor.host import Check, checks, cores

THP = "sys/kernel/mm/transparent_hugepage"


def host(root: Path, files: dict[str, str]) -> dict[str, Check]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return {check.name: check for check in checks(root, interval_s=0)}


@pytest.mark.parametrize(
    ("enabled", "defrag", "ok"),
    [
        ("always [madvise] never", "always defer defer+madvise [madvise] never", True),
        ("always madvise [never]", "always defer defer+madvise [madvise] never", False),
        ("[always] madvise never", "[always] defer defer+madvise madvise never", False),
        ("rubbish", "[always] defer", None),
    ],
)
def test_huge_pages_are_wanted_without_waiting_for_them(tmp_path: Path, enabled: str, defrag: str, ok: bool) -> None:
    assert host(tmp_path, {f"{THP}/enabled": enabled, f"{THP}/defrag": defrag})["thp"].ok is ok


@pytest.mark.parametrize(("governor", "ok"), [("performance", True), ("powersave", False)])
def test_the_governor_should_be_performance(tmp_path: Path, governor: str, ok: bool) -> None:
    assert host(tmp_path, {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": governor})["governor"].ok is ok


def test_the_groups_quota_counts_where_it_is_less_than_the_cores(tmp_path: Path) -> None:
    assert cores(tmp_path) == len(os.sched_getaffinity(0))
    found = host(tmp_path, {"sys/fs/cgroup/cpu.max": "50000 100000", "proc/loadavg": "1.50 1.0 1.0 1/2 3"})
    assert cores(tmp_path) == 0.5
    assert (found["cores"].ok, found["load"].ok) == (False, False)


@pytest.mark.parametrize("quota", ["max 100000", "rubbish", "0 0", ""])
def test_no_quota_is_no_limit(tmp_path: Path, quota: str) -> None:
    host(tmp_path, {"sys/fs/cgroup/cpu.max": quota})
    assert cores(tmp_path) == len(os.sched_getaffinity(0))


def test_a_host_that_shows_nothing_is_not_told_rather_than_wrong(tmp_path: Path) -> None:
    found = host(tmp_path, {})
    assert {name: check.ok for name, check in found.items() if name != "cores"} == dict.fromkeys(
        ("load", "steal", "governor", "thp")
    )


def test_this_machine_can_be_looked_at() -> None:
    assert [check.name for check in checks(interval_s=0.01)] == ["cores", "load", "steal", "governor", "thp"]
