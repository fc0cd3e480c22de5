"""A step runs once, until what it depends on changes. One set-up at a time in a checkout."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from bootstrap.problem import Problem
from bootstrap.progress import Progress

TAIL = 6
GOES_ON = "then run it again: it goes on where it stopped"
# What a tool's output says about why it failed, and what to do about it.
ADVICE = (
    (r"No space left on device|ENOSPC", f"the disk is full: free some space, {GOES_ON}"),
    (
        r"DO NOT MATCH THE HASHES|EINTEGRITY",
        "a download is not what was locked: try again (pip cache purge; npm cache verify)",
    ),
    (
        r"name resolution|Name or service|unreachable|timed out|Connection|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONN",
        f"check the network, {GOES_ON}",
    ),
)


class Steps:
    """Runs steps for the checkout at `root`; logs go to `root/.firstlight`."""

    def __init__(self, root: Path, progress: Progress) -> None:
        self.root = root
        self.progress = progress
        self._home = root / ".firstlight"
        self._lock: IO[str] | None = None
        self._running: set[subprocess.Popen[str]] = set()
        self._cancelled = threading.Event()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the checkout for one set-up. Commands hold it too, should this process alone be killed."""
        self._home.mkdir(exist_ok=True)
        with (self._home / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.progress.say("  another set-up of this checkout is under way: waiting for it")
                fcntl.flock(lock, fcntl.LOCK_EX)
            self._lock = lock
            yield

    def once(self, name: str, stamp: Path, inputs: Iterable[str | Path], action: Callable[[], None]) -> None:
        """Run `action` unless `stamp` says that it has run with the same `inputs`: texts, files, folders."""
        wanted = digest(inputs)
        if stamp.is_file() and stamp.read_text() == wanted:
            return
        self._log(name).unlink(missing_ok=True)
        with self.progress.step(name):
            action()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(wanted)

    def run_once(self, name: str, stamp: Path, inputs: Iterable[str | Path], *command: str | Path) -> None:
        """`once` with a command for an action."""
        self.once(name, stamp, inputs, lambda: self.run(name, *command))

    def run(self, name: str, *command: str | Path, env: Mapping[str, str] | None = None) -> None:
        """Run a command of step `name`, its output to a log. Raises Problem with the end of the output."""
        log = self._log(name)
        with self._start(command, env) as process, log.open("a") as copy:
            assert process.stdout is not None
            for line in process.stdout:
                copy.write(line)
                copy.flush()
                if line.strip():
                    self.progress.detail(name, line.strip())
            code = process.wait()
        self._running.discard(process)
        if code:
            raise self._failure(name, log)

    def parallel(self, *lanes: Callable[[], None]) -> None:
        """Run `lanes` at the same time. The first to fail ends the others; its Problem is raised."""
        failures: list[BaseException] = []

        def guarded(lane: Callable[[], None]) -> None:
            try:
                lane()
            except BaseException as error:  # noqa: BLE001 - carried to the thread that waits
                failures.append(error)
                self.cancel()

        threads = [threading.Thread(target=guarded, args=(lane,)) for lane in lanes]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self.cancel()
            for thread in threads:
                thread.join()
            raise
        if failures:
            raise failures[0]

    def cancel(self) -> None:
        """End every command under way, and start no other."""
        self._cancelled.set()
        for process in list(self._running):
            process.terminate()

    def _log(self, name: str) -> Path:
        return self._home / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}.log"

    def _start(self, command: Sequence[str | Path], env: Mapping[str, str] | None) -> subprocess.Popen[str]:
        if self._cancelled.is_set():
            raise Problem("cancelled")
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=self.root,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            pass_fds=[self._lock.fileno()] if self._lock else [],
        )
        self._running.add(process)
        if self._cancelled.is_set():
            process.terminate()
        return process

    def _failure(self, name: str, log: Path) -> Problem:
        if self._cancelled.is_set():
            return Problem("cancelled")
        tail = [line for line in log.read_text(errors="replace").splitlines() if line.strip()][-40:]
        for line in tail[-TAIL:]:
            self.progress.say(f"     {line[:300]}")
        where = log.relative_to(self.root)
        advice = next(
            (advice for sign, advice in ADVICE if re.search(sign, "\n".join(tail))), f"see {where}, {GOES_ON}"
        )
        return Problem(f"{name} failed: {advice}")


def digest(inputs: Iterable[str | Path]) -> str:
    """A hash of texts and of the names and contents of files and folders."""
    total = hashlib.sha256()
    for given in inputs:
        paths = (
            [given] if isinstance(given, str) or given.is_file() else sorted(p for p in given.rglob("*") if p.is_file())
        )
        for path in paths:
            total.update(str(path).encode() + b"\0")
            if isinstance(path, Path):
                total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
