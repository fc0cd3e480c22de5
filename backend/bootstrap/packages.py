"""The Python side: `.venv`, packages as locked, the package itself, the small model."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from bootstrap.problem import Problem
from bootstrap.steps import Steps

TORCH = "torch==2.13.0+cpu"
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
PROBE_S = 3.0
PIP = {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PIP_PROGRESS_BAR": "off",
    "PIP_ROOT_USER_ACTION": "ignore",
    "PYTHONUNBUFFERED": "1",
}
# What the server and the engine's processes import: this finds what is missing, and compiles to bytecode what is used.
# (pip would compile all, minutes of work of which the server loads a tenth.)
IMPORTS = (
    "import vllm.v1.engine.async_llm, vllm.v1.engine.core, vllm.v1.worker.{0}_worker, vllm.v1.worker.{0}_model_runner, "
    "vllm.model_executor.models.llama, transformers.models.llama.modeling_llama, accelerate, gguf, "
    "litestar.plugins.pydantic"
)
# Some machines set the opposite, and then every start would compile all of it again.
COMPILE = {"PYTHONDONTWRITEBYTECODE": ""}


class Packages:
    """Installs into `.venv` of the checkout. Methods are called in the order they stand in; `env` is the server's."""

    def __init__(self, steps: Steps, env: Mapping[str, str]) -> None:
        self._steps = steps
        self._env = env
        self._root = steps.root
        self._venv = steps.root / ".venv"
        self._stamps = self._venv / ".stamps"
        self._locks = steps.root / "backend" / "requirements"
        self.python = self._venv / "bin" / "python"

    def environment(self, device: str) -> None:
        """The virtual environment and pip."""
        self._one_device(device)
        stamp, version = self._stamps / "venv", "{}.{}".format(*sys.version_info)
        # Another Python, or a checkout that was moved: what is installed there would not start.
        clear = ["--clear"] if stamp.exists() else []
        # Not sys.executable: with an environment active, that may be the very Python to be replaced.
        base = getattr(sys, "_base_executable", sys.executable)
        name = f"Python {version} environment"

        def make() -> None:
            self._steps.run(name, base, "-m", "venv", *clear, self._venv)
            self._pip(name, "--require-hashes", "-r", self._locks / "pip.lock")

        self._steps.once(name, stamp, [version, str(self._venv), self._locks / "pip.lock"], make)

    def core(self) -> None:
        """What the server needs around the engine, and the package itself, editable."""
        self._locked("Server packages", "core")
        name, project = "First Light itself", self._root / "pyproject.toml"

        def install() -> None:
            self._pip(name, "--no-deps", "--no-build-isolation", "--editable", self._root)
            self._steps.run(name, self.python, "-c", "import firstlight.serve", env=COMPILE)

        self._steps.once(name, self._stamps / "self", [project], install)

    def engine_ready(self, device: str) -> bool:
        """Whether no long step lies ahead."""
        return (self._stamps / device).is_file() and (self._stamps / "warm").is_file()

    def settings(self) -> None:
        """Judge the settings before the long steps; the server itself does too. Raises Problem with the same line."""
        command = [str(self.python), "-m", "firstlight", "settings"]
        done = subprocess.run(command, env=self._env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Problem(done.stderr.strip().removeprefix("firstlight: "))

    def tools(self) -> None:
        """What the checks and tests need."""
        self._locked("Tools for tests", "dev")

    def engine(self, device: str) -> None:
        """vLLM with its PyTorch."""
        if device == "cpu":
            self._torch()
        (self._stamps / "device").write_text(device)
        self._locked(f"vLLM for {device.upper()}", device)

    def flash_attn(self) -> None:
        """The optional FlashAttention; it compiles itself against the PyTorch that is there, for up to an hour."""
        self._locked("FlashAttention (compiles)", "flash-attn", "--no-build-isolation")

    def warm(self, device: str) -> None:
        """Import the engine once: checks and byte-compiles what the server will load."""
        name, lock, code = "First import of vLLM", self._locks / f"{device}.lock", IMPORTS.format(device)

        def load() -> None:
            self._steps.run(name, self.python, "-c", code, env=COMPILE)

        self._steps.once(name, self._stamps / "warm", [lock, code], load)

    def model(self) -> None:
        """The small model in the user's cache folder."""
        engine = self._root / "backend" / "firstlight" / "engine"
        sources = [engine / file for file in ("models.py", "packaged.py", "convert.py")]
        command = [str(self.python), "-m", "firstlight.engine.models"]
        self._steps.run_once("Small model", self._stamps / "model", sources, *command)

    def _one_device(self, device: str) -> None:
        stamp = self._stamps / "device"
        before = stamp.read_text() if stamp.is_file() else device
        if device not in ("none", before):
            raise Problem(
                f".venv holds vLLM for {before.upper()}, and both share a name: rm -r .venv, then run it again"
            )

    def _torch(self) -> None:
        name = "PyTorch for CPU"
        index = ["--retries", "1", "--timeout", "20", "--extra-index-url", TORCH_INDEX]

        def install() -> None:
            try:
                self._pip(name, "--no-deps", TORCH, *(index if answers(TORCH_INDEX) else []))
            except Problem as problem:
                raise Problem(
                    f"{problem} (it comes from {TORCH_INDEX}, or a folder named by PIP_FIND_LINKS)"
                ) from problem

        self._steps.once(name, self._stamps / "torch", [TORCH], install)

    def _locked(self, name: str, lock: str, *options: str) -> None:
        file = self._locks / f"{lock}.lock"

        def install() -> None:
            self._pip(name, "--no-deps", "--require-hashes", *options, "-r", file)

        self._steps.once(name, self._stamps / lock, [file], install)

    def _pip(self, name: str, *arguments: str | Path) -> None:
        self.forget_halves()
        self._steps.run(name, self.python, "-m", "pip", "install", "--no-compile", *arguments, env=PIP)

    def forget_halves(self) -> None:
        """Forget packages whose installation was broken off.

        pip writes INSTALLER last; a package without it looks complete to the next pip, and is not.
        """
        for info in self._venv.glob("lib/python*/site-packages/*.dist-info"):
            if not (info / "INSTALLER").exists():
                shutil.rmtree(info)


def answers(url: str) -> bool:
    """Whether `url` can be reached: pip would try for minutes before it looks elsewhere."""
    try:
        urllib.request.urlopen(url, timeout=PROBE_S).close()  # noqa: S310
    except urllib.error.HTTPError:
        return True
    except urllib.error.URLError as error:
        # A certificate that only pip is told to trust is no reason to do without.
        return isinstance(error.reason, ssl.SSLError)
    except OSError:
        return False
    return True
