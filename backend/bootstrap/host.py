"""What this machine is."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

NVIDIA = (Path("/dev/nvidia0"), Path("/proc/driver/nvidia/version"))


@dataclass(frozen=True)
class Gpu:
    """`gib` is its memory."""

    name: str
    gib: float


@dataclass(frozen=True)
class Host:
    """`cpu_flags` is None where /proc/cpuinfo names none, `node` (major, minor) where there is no Node.js."""

    system: str
    machine: str
    cpu_flags: frozenset[str] | None
    has_gpu: bool
    node: tuple[int, int] | None
    has_npm: bool
    has_venv: bool


def look() -> Host:
    """This machine, without asking the network; well under a second."""
    return Host(
        system=platform.system(),
        machine=platform.machine(),
        cpu_flags=cpu_flags(Path("/proc/cpuinfo")),
        has_gpu=any(path.exists() for path in NVIDIA) or bool(gpus()),
        node=_version("node"),
        has_npm=shutil.which("npm") is not None,
        has_venv=_has_venv(),
    )


def cpu_flags(cpuinfo: Path) -> frozenset[str] | None:
    """Instruction sets of the first core, as the kernel names them."""
    try:
        found = re.search(r"^flags\s*:(.*)$", cpuinfo.read_text(), re.MULTILINE)
    except OSError:
        return None
    return frozenset(found[1].split()) if found else None


def gpus() -> list[Gpu]:
    """NVIDIA's GPUs that this process may use, by nvidia-smi; empty where it is missing or slow."""
    if not shutil.which("nvidia-smi") or os.environ.get("CUDA_VISIBLE_DEVICES") == "":
        return []
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [line.rsplit(",", 1) for line in text.splitlines() if "," in line]
    return [Gpu(name.strip(), int(mib) / 1024) for name, mib in rows if mib.strip().isdigit()]


def _version(tool: str) -> tuple[int, int] | None:
    try:
        text = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.match(r"v?(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def _has_venv() -> bool:
    # Debian's python3 comes without ensurepip, and then `python3 -m venv` fails half-way.
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        return False
    return True
