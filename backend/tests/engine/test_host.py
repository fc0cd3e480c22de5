"""What the host gives the engine's process, on this host."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import spawn
from pathlib import Path

import pytest

from firstlight.engine import host
from firstlight.errors import StartError

PARENT = """
import multiprocessing, sys, time
from firstlight.engine import host

if __name__ == "__main__":
    with host.leash():
        child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
        child.start()
    print(child.pid, flush=True)
    time.sleep(60)
"""


def gone(pid: int, within_s: float) -> bool:
    """Whether no process `pid` runs any more, zombies of an init that does not reap aside."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def runs(pid: int | None) -> bool:
    """Whether the spawned process has come through the leash's steps to its own Python."""
    words = Path(f"/proc/{pid}/cmdline").read_text("ascii").split("\0")
    return "--multiprocessing-fork" in words and words[0] == sys.executable and "-S" not in words


def test_variables_hold_inside_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FL_A", "before")
    monkeypatch.delenv("FL_B", raising=False)
    with host.environment({"FL_A": "inside", "FL_B": "inside"}):
        assert (os.environ["FL_A"], os.environ["FL_B"]) == ("inside", "inside")
    assert (os.environ["FL_A"], os.environ.get("FL_B")) == ("before", None)


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG")
def test_a_spawned_process_dies_when_its_parent_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "parent.py"
    program.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert not gone(child, 0.2)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert gone(child, 5)


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG")
def test_a_spawned_process_dies_with_the_thread_that_spawned_it() -> None:
    children = []

    def start() -> None:
        with host.leash():
            child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
            child.start()
        while not runs(child.pid):
            time.sleep(0.01)
        children.append(child)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    children[0].join(5)
    assert children[0].exitcode == -signal.SIGKILL


def test_the_leash_is_taken_off_again() -> None:
    python = spawn.get_executable()
    with host.leash():
        pass
    assert spawn.get_executable() == python
    assert "FIRSTLIGHT_PYTHON" not in os.environ


def test_the_kv_cache_is_as_large_as_the_weights_within_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    for free_gib, weights_gib, asked in ((24, 0.25, 0), (24, 2.5, 0), (24, 9, 0), (5, 2, 0), (24, 9, 7)):
        monkeypatch.setattr(host, "available_bytes", lambda free_gib=free_gib: free_gib * host.GIB)
        sizes.append(host.kv_cache_bytes(asked, int(weights_gib * host.GIB)) // host.GIB)
    assert sizes == [1, 3, 6, 1, 7]


def test_a_model_that_does_not_fit_is_refused_with_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "available_bytes", lambda: 8 * host.GIB)
    with pytest.raises(StartError, match=r"about 17\.5 GiB of memory \(2 of them KV cache\), 8\.0 are free"):
        host.kv_cache_bytes(0, 14 * host.GIB)


def test_the_memory_that_is_free_is_less_than_what_there_is() -> None:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < host.available_bytes() < total


def test_what_the_operator_has_set_is_loaded_ahead_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/mine.so")
    assert host.computing(alone=False)["LD_PRELOAD"].split(":")[-1] == "/mine.so"


def test_an_engine_that_is_alone_computes_on_every_core() -> None:
    counts = [host.computing(alone=alone).get("OMP_NUM_THREADS") for alone in (True, False)]
    assert counts == [str(len(os.sched_getaffinity(0))), None]


def test_only_a_small_machine_has_few_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for cores in (2, 8, 9, 64):
        monkeypatch.setattr(host, "cores", lambda cores=cores: cores)
        answers.append(host.few_cores())
    assert answers == [True, True, False, False]
