"""Makes the lock files from pyproject.toml: exact versions with hashes, and no word about where they come from."""

from __future__ import annotations

from pathlib import Path

from bootstrap.steps import Steps

# Found for every Python and machine at once; vLLM's CUDA packages exist for one kind only.
EVERYWHERE = ("--universal",)
GPU_HOST = ("--python-platform", "x86_64-manylinux_2_28")


def make(steps: Steps, python: Path) -> None:
    """Write all locks with uv. The ones made later take the versions of those before them."""
    folder = Path("backend/requirements")
    core, cpu, gpu = (folder / f"{name}.in" for name in ("core", "cpu", "gpu"))
    project = Path("pyproject.toml")
    excludes = ("--excludes", folder / "cpu.exclude")

    def compile_(name: str, *arguments: str | Path) -> None:
        lock = folder / f"{name}.lock"
        with steps.progress.step(lock.name):
            options = [
                "--quiet",
                "--generate-hashes",
                "--python-version",
                "3.11",
                "--custom-compile-command",
                "make lock",
            ]
            steps.run(lock.name, python, "-m", "uv", "pip", "compile", *options, "--output-file", lock, *arguments)

    compile_("pip", *EVERYWHERE, folder / "pip.in")
    compile_("cpu", *EVERYWHERE, *excludes, "--extra", "cpu", project, core, cpu)
    compile_("core", *EVERYWHERE, "--constraints", folder / "cpu.lock", project, core)
    compile_("gpu", *GPU_HOST, "--extra", "gpu", "--constraints", folder / "core.lock", project, core, gpu)
    compile_("dev", *EVERYWHERE, "--constraints", folder / "cpu.lock", "--group", "dev")
