"""`firstlight bench servers`: our HTTP server beside plain uvicorn, granian and hypercorn, in one run on loopback.

Latency (rounds interleaved, so that noise of the machine falls on all alike), hostile framings, stalled clients.
"""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from firstlight.bench.contenders import CONTENDERS, WANTED, missing
from firstlight.bench.figures import Report, percentile, report, table
from firstlight.bench.framings import CHUNKED, FRAMINGS, HOST, POST, attempt
from firstlight.bench.streamclient import END, StreamClient

PATIENCE = 8.0
"""Seconds after which a stalled client that is still connected counts as kept; every deadline is set to 2 s."""

STALLS = {
    "half-sent head": b"GET /first HTTP/1.1\r\n" + HOST + b"X: ",
    "body that stops": POST + b"Content-Length: 5\r\n\r\n{1,",
    "chunk that stops": CHUNKED + b"5\r\n{1,",
    "never sends": b"",
    "stalled reader": b"GET /endless HTTP/1.1\r\n" + HOST + b"\r\n",
}


def measure(quick: bool) -> Report:
    """Run every contender that is installed; figures per contender, the verdicts as tables in the notes."""
    absent = missing()
    names = [name for name in CONTENDERS if name not in absent]
    with ExitStack() as running:
        ports = {name: running.enter_context(_running(name)) for name in names}
        figures = _latency(ports, rounds=10 if quick else 60)
        rivals = {name: port for name, port in ports.items() if name != "floor"}
        framed = _framings(rivals)
        stalled = _stalls(rivals)
    stopped = table(["SIGTERM during a stream", "its end", "exit"], [_stop(name) for name in rivals])
    notes = [f"{name} is not installed and was left out: pip install {name}=={WANTED[name]}" for name in absent]
    notes += [framed, stalled, stopped]
    packages = ["uvicorn", "httptools", "uvloop", *(name for name in WANTED if name not in absent)]
    return report("servers", figures, packages, "\n\n".join(notes))


@contextmanager
def _running(name: str) -> Iterator[int]:
    """The contender `name` in a process of its own; the port that it answers on."""
    with _process(name) as (_, port):
        yield port


@contextmanager
def _process(name: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "firstlight.bench.contenders", name, str(port)])  # noqa: S603  (our own)
    try:
        _await_answer(port)
        yield process, port
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_answer(port: int) -> None:
    deadline = time.monotonic() + 15
    while True:
        try:
            with StreamClient(port, 1) as client:
                client.burst()
        except ConnectionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def _latency(ports: dict[str, int], rounds: int) -> dict[str, float]:
    samples: dict[tuple[str, int], list[float]] = {(name, width): [] for width in (1, 50) for name in ports}
    with ExitStack() as clients:
        client = {key: clients.enter_context(StreamClient(ports[key[0]], key[1])) for key in samples}
        for _ in range(rounds + 1):
            order = list(samples)
            random.shuffle(order)
            for key in order:
                for _ in range(50 // key[1]):
                    samples[key] += client[key].burst()
    return {
        f"{name}_{width}_at_once_ms_{stat}": round(percentile(values[50:], share), 4)
        for (name, width), values in samples.items()
        for stat, share in (("p50", 0.5), ("p95", 0.95))
    }


def _framings(ports: dict[str, int]) -> str:
    def row(item: tuple[str, bytes]) -> list[str]:
        return [item[0], *(attempt(port, item[1]).verdict for port in ports.values())]

    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(row, FRAMINGS.items()))
    return table(["framing", *ports], rows)


def _stalls(ports: dict[str, int]) -> str:
    with ThreadPoolExecutor(len(STALLS) * len(ports)) as pool:
        waits = {(stall, name): pool.submit(_held, ports[name], STALLS[stall]) for stall in STALLS for name in ports}
        rows = [[stall, *(waits[stall, name].result() for name in ports)] for stall in STALLS]
    return table(["client", *ports], rows)


def _held(port: int, opening: bytes) -> str:
    """How long a client that sends `opening`, then nothing, and never reads, keeps its connection."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect(("127.0.0.1", port))
        began = time.monotonic()
        client.sendall(opening)
        while time.monotonic() - began < PATIENCE:
            if _peer_has_gone(client):
                return f"closed after {time.monotonic() - began:.1f} s"
            time.sleep(0.05)
    return f"open after {PATIENCE:g} s"


def _stop(name: str) -> list[str]:
    """What becomes of a stream with a second to go, and of the process, when SIGTERM comes."""
    with _process(name) as (process, port), socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(b"GET /slow HTTP/1.1\r\n" + HOST + b"\r\n")
        answer = b""
        while b"path=" not in answer:
            answer += client.recv(4_096)
        process.terminate()
        began = time.monotonic()
        while data := client.recv(4_096):
            answer += data
        code = process.wait(10)
        took = time.monotonic() - began
    return [name, "whole" if answer.endswith(END) else "cut", f"code {code} after {took:.1f} s"]


def _peer_has_gone(client: socket.socket) -> bool:
    """Whether the kernel has seen the other end close (TCP state no longer ESTABLISHED), without reading anything."""
    established = 1
    return client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != established
