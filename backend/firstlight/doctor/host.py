"""What of this machine slows an engine down, read from /proc and /sys: no GPU, no privileges, no package."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

WANTED_CORES = 4
"""The server, the engine's core and one rank, each with a core of its own, and one for all else."""
MAX_STEAL = 0.02


class Check(Struct, frozen=True):
    """One thing looked at: `ok` is None where it cannot be told. `check` is what to run."""

    name: str
    ok: bool | None
    says: str
    check: str


def checks(root: Path = Path("/"), interval_s: float = 0.2) -> list[Check]:
    """Look at the machine whose files lie below `root`; the time stolen by other machines is watched `interval_s`."""
    return [_cores(root), _load(root), _steal(root, interval_s), _governor(root), _thp(root)]


def cores(root: Path) -> float:
    """How many cores this process may use: its affinity, or its group's quota where that is less."""
    usable = float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    quota, _, period = _text(root / "sys/fs/cgroup/cpu.max").partition(" ")
    return min(usable, int(quota) / int(period)) if quota.isdigit() and period.isdigit() and int(period) else usable


def _cores(root: Path) -> Check:
    usable = cores(root)
    return Check("cores", usable >= WANTED_CORES, f"{usable:g} usable cores ({WANTED_CORES} wanted)", "nproc")


def _load(root: Path) -> Check:
    first = _text(root / "proc/loadavg").split(" ")[0]
    if not re.fullmatch(r"\d+\.\d+", first):
        return Check("load", None, "the load cannot be read", "uptime")
    usable = cores(root)
    return Check("load", float(first) <= usable, f"load {first} on {usable:g} cores", "uptime; top")


def _steal(root: Path, interval_s: float) -> Check:
    def ticks() -> list[int]:
        return [int(one) for one in _text(root / "proc/stat").partition("\n")[0].split()[1:9] if one.isdigit()]

    before = ticks()
    time.sleep(interval_s)
    after = ticks()
    if len(before) < 8 or len(after) < 8:
        return Check("steal", None, "stolen time cannot be read", "vmstat 1 5")
    share = (after[7] - before[7]) / max(1, sum(after) - sum(before))
    return Check("steal", share <= MAX_STEAL, f"{share:.0%} of the time taken by other machines", "vmstat 1 5")


def _governor(root: Path) -> Check:
    folder = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
    governor = _text(root / folder)
    says = f"CPU governor {governor}" if governor else "no CPU governor here (a virtual machine has none)"
    return Check("governor", governor == "performance" if governor else None, says, f"cat /{folder}")


def _thp(root: Path) -> Check:
    folder = "sys/kernel/mm/transparent_hugepage"
    found = dict(_chosen(root / folder))
    says = ", ".join(f"{name} {value}" for name, value in found.items()) or "the kernel has none"
    ok = found["enabled"] != "never" and found.get("defrag") != "always" if "enabled" in found else None
    return Check("thp", ok, f"transparent huge pages: {says}", f"cat /{folder}/enabled /{folder}/defrag")


def _chosen(folder: Path) -> Iterator[tuple[str, str]]:
    for name in ("enabled", "defrag"):
        if value := re.search(r"\[([\w+]+)\]", _text(folder / name)):
            yield name, value[1]


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeError):
        return ""
