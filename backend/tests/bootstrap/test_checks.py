import socket
from dataclasses import replace
from pathlib import Path

import pytest

from bootstrap import checks
from bootstrap.host import Host
from bootstrap.problem import Problem
from bootstrap.request import Request, read

ROOT = Path(__file__).parents[3]
HOST = Host(
    system="Linux",
    machine="x86_64",
    cpu_flags=frozenset({"sse2", "avx2", "avx512f"}),
    has_gpu=False,
    node=(22, 1),
    has_npm=True,
    has_venv=True,
)


def asked(**env: str) -> Request:
    return read(env)


def refusal(check: object, *arguments: object) -> str:
    assert callable(check)
    with pytest.raises(Problem) as caught:
        check(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("env", "has_gpu", "device"),
    [
        ({}, False, "cpu"),
        ({}, True, "gpu"),
        ({"DEVICE": "cpu"}, True, "cpu"),
        ({"DEVICE": "gpu"}, False, "gpu"),
        ({"ENGINE": "scripted"}, True, "none"),
    ],
)
def test_the_device_is_what_is_there_unless_it_is_named(env: dict[str, str], has_gpu: bool, device: str) -> None:
    assert checks.device(read(env), replace(HOST, has_gpu=has_gpu)) == device


def test_unknown_engines_and_devices_are_refused() -> None:
    assert refusal(checks.device, asked(ENGINE="vlm"), HOST) == (
        "ENGINE=vlm: there is no such engine: choose vllm or scripted"
    )
    assert refusal(checks.device, asked(FIRSTLIGHT_ENGINE__KIND="vlm"), HOST) == (
        "FIRSTLIGHT_ENGINE__KIND=vlm: there is no such engine: choose vllm or scripted"
    )
    assert refusal(checks.device, asked(DEVICE="tpu"), HOST) == "DEVICE=tpu: there is no such device: choose cpu or gpu"


def test_a_missing_or_old_tool_is_named_with_what_to_install() -> None:
    checks.tools(HOST, ROOT)
    checks.tools(replace(HOST, node=(20, 19)), ROOT)
    install = "install Node.js 20.19 or newer, which brings npm (nodejs.org)"
    assert refusal(checks.tools, replace(HOST, node=None), ROOT) == f"Node.js is missing: {install}"
    assert refusal(checks.tools, replace(HOST, has_npm=False), ROOT) == f"npm is missing: {install}"
    assert refusal(checks.tools, replace(HOST, node=(20, 18)), ROOT) == (
        "Node.js 20.18 is too old: install 20.19 or newer (nodejs.org)"
    )
    assert refusal(checks.tools, replace(HOST, has_venv=False), ROOT) == (
        "this Python lacks the venv module: install it (Debian, Ubuntu: apt-get install python3-venv)"
    )


def test_the_cpu_engine_needs_avx2_and_wishes_for_avx512() -> None:
    assert checks.processor("cpu", HOST) == []
    assert checks.processor("cpu", replace(HOST, cpu_flags=frozenset({"avx2"}))) == [
        "this processor lacks AVX-512: the model runs, but more slowly"
    ]
    bare = replace(HOST, cpu_flags=frozenset({"sse2"}))
    assert refusal(checks.processor, "cpu", bare) == (
        "this processor lacks AVX2, which vLLM's CPU build needs: `make run ENGINE=scripted` runs without a model"
    )
    assert checks.processor("gpu", bare) == checks.processor("none", bare) == []
    assert checks.processor("cpu", replace(bare, machine="aarch64")) == []


def test_elsewhere_than_on_linux_only_the_scripted_engine_runs() -> None:
    mac = replace(HOST, system="Darwin", machine="arm64", cpu_flags=None)
    assert checks.processor("none", mac) == []
    assert refusal(checks.processor, "cpu", mac) == (
        "vLLM's packages are for Linux, and this is Darwin: `make run ENGINE=scripted` runs without a model"
    )


def test_a_model_is_a_folder_or_a_hugging_face_id(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "config.json").touch()
    for model in ("", str(tmp_path / "whole"), "org/Some-Model_1.5"):
        checks.model(asked(MODEL=model))
    assert refusal(checks.model, asked(MODEL=str(tmp_path))) == (
        f"MODEL={tmp_path}: the folder holds no config.json, so it is no model"
    )
    assert refusal(checks.model, asked(MODEL="/no/such")) == (
        "MODEL=/no/such: there is no such folder, and a Hugging Face id looks like org/name"
    )


def test_a_port_that_is_taken_or_none_is_refused() -> None:
    checks.port(asked(PORT="0"))
    for text in ("abc", "70000", "-1", "1.5"):
        assert refusal(checks.port, asked(PORT=text)) == f"PORT={text}: a port is a whole number from 0 to 65535"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert refusal(checks.port, asked(PORT=str(port))) == (
            f"cannot listen on 127.0.0.1:{port} (address already in use): free it, or choose another: "
            "make run PORT=8123"
        )


def test_too_little_space_is_told_in_gb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks.space("none", tmp_path)
    monkeypatch.setitem(checks.GB_NEEDED, "gpu", 10**9)
    assert refusal(checks.space, "gpu", tmp_path).startswith(
        f"{tmp_path}: 1000000000 GB of free disk space are needed, and "
    )
