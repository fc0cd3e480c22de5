import os
from pathlib import Path

import pytest

from bootstrap import host
from bootstrap.fits import suggest
from bootstrap.host import Gpu


def test_the_first_cores_flags_are_read(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nflags\t\t: fpu avx2 avx512f\nprocessor\t: 1\nflags\t\t: fpu\n")
    assert host.cpu_flags(cpuinfo) == {"fpu", "avx2", "avx512f"}


def test_where_the_kernel_names_no_flags_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "arm").write_text("processor\t: 0\nFeatures\t: asimd\n")
    assert host.cpu_flags(tmp_path / "arm") is host.cpu_flags(tmp_path / "missing") is None


@pytest.fixture
def smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for an nvidia-smi that prints what a test wants."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return tmp_path / "nvidia-smi"


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_gpus_are_listed_with_their_memory(smi: Path) -> None:
    script(smi, "echo 'NVIDIA H200, 143771'; echo 'NVIDIA A10, 23028'")
    assert host.gpus() == [Gpu("NVIDIA H200", 143771 / 1024), Gpu("NVIDIA A10", 23028 / 1024)]


def test_a_broken_driver_means_no_gpus(smi: Path) -> None:
    script(smi, "echo 'NVIDIA-SMI has failed'; exit 9")
    assert host.gpus() == []


def test_gpus_that_are_hidden_do_not_count(smi: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(smi, "echo 'NVIDIA H200, 143771'")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert host.gpus() == []


@pytest.mark.parametrize(
    ("gpus", "lines"),
    [
        ([], []),
        ([Gpu("small", 6.0)], ["make run MODEL=Qwen/Qwen2.5-1.5B-Instruct   (3 GiB of weights)"]),
        (
            [Gpu("big", 140.0)] * 2,
            [
                "FIRSTLIGHT_ENGINE__TENSOR_PARALLEL_SIZE=2 make run MODEL=meta-llama/Llama-3.3-70B-Instruct   "
                "(131 GiB of weights)",
                "make run MODEL=RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic   (68 GiB of weights)",
                "make run MODEL=Qwen/Qwen2.5-32B-Instruct   (61 GiB of weights)",
            ],
        ),
    ],
)
def test_the_largest_models_that_fit_are_named_with_how_to_start_them(gpus: list[Gpu], lines: list[str]) -> None:
    assert suggest(gpus) == lines
