"""`run` sets up and serves, `setup` sets up for the tests too, `lock` makes the lock files."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bootstrap import checks, fits, host, locks, names, request
from bootstrap.packages import Packages
from bootstrap.page import Page
from bootstrap.problem import Problem
from bootstrap.progress import Progress
from bootstrap.steps import Steps

ROOT = Path(__file__).resolve().parents[2]
USAGE = "usage: python3 -m bootstrap run | setup | lock"


def main(arguments: Sequence[str]) -> int:
    """Do what `arguments` say. 2 with one line where that cannot be, 130 when interrupted; `run` becomes the server."""
    commands = {"run": _run, "setup": _setup, "lock": _lock}
    if len(arguments) != 1 or arguments[0] not in commands:
        sys.stderr.write(USAGE + "\n")
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        commands[arguments[0]]()
    except Problem as problem:
        sys.stderr.write(f"First Light: {problem}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("\nFirst Light: stopped; the next run goes on from here\n")
        return 130
    return 0


def _run() -> None:
    asked, device = _preflight()
    checks.port(asked)
    checks.model(asked)
    with _steps() as steps:
        packages, page = Packages(steps, asked.env), Page(steps)

        def page_side() -> None:
            page.packages()
            page.build()

        steps.parallel(lambda: _python_side(steps, packages, asked, device), page_side)
    # Setting up takes minutes: time enough for somebody else to take the port.
    checks.port(asked)
    command = [str(packages.python), "-m", "firstlight", "serve"]
    os.execve(command[0], command, dict(asked.env))  # noqa: S606


def _setup() -> None:
    asked, device = _preflight()
    with _steps() as steps:
        packages, page = Packages(steps, asked.env), Page(steps)

        def page_side() -> None:
            page.packages()
            page.browser()

        steps.parallel(lambda: _python_side(steps, packages, asked, device, tests=True), page_side)


def _lock() -> None:
    asked, _ = _preflight()
    with _steps() as steps:
        packages = Packages(steps, asked.env)
        packages.environment("none")
        packages.tools()
        locks.make(steps, packages.python)


def _preflight() -> tuple[request.Request, str]:
    os.chdir(ROOT)
    names.check(os.environ, names.known(ROOT / "backend" / "firstlight" / "settings" / "sections.py"))
    asked, here = request.read(os.environ), host.look()
    device = checks.device(asked, here)
    checks.tools(here, ROOT)
    notes = checks.processor(device, here)
    largest = "core" if device == "none" else device
    if not (ROOT / ".venv" / ".stamps" / largest).is_file():
        checks.space(device, ROOT)
    if asked.flash_attn and device != "gpu":
        notes.append("FLASH_ATTN=1 changes nothing here: it is for a GPU")
    if device == "gpu" and not asked.model:
        found = host.gpus()
        notes += [f"{len(found)} x {found[0].name}, {found[0].gib:.0f} GiB each; models that fit:"] if found else []
        notes += [f"  {line}" for line in fits.suggest(found)]
    for note in notes:
        sys.stderr.write(f"First Light: {note}\n")
    return asked, device


def _python_side(steps: Steps, packages: Packages, asked: request.Request, device: str, *, tests: bool = False) -> None:
    packages.environment(device)
    packages.core()
    if tests:
        packages.tools()
    if device == "none":
        return
    if not packages.engine_ready(device):
        packages.settings()
    packages.engine(device)
    if asked.flash_attn and device == "gpu":
        packages.flash_attn()
    lanes = [lambda: packages.warm(device)]
    if tests or not asked.model:
        lanes.append(packages.model)
    steps.parallel(*lanes)


@contextlib.contextmanager
def _steps() -> Iterator[Steps]:
    with Progress(sys.stderr) as progress:
        steps = Steps(ROOT, progress)
        with steps.locked():
            yield steps
