from pathlib import Path

import pytest

from bootstrap.problem import Problem
from bootstrap.request import read


def test_with_nothing_said_the_defaults_hold() -> None:
    asked = read({})
    assert (asked.engine, asked.model, asked.host, asked.port) == ("vllm", "", "127.0.0.1", "8000")
    assert (asked.device, asked.flash_attn, asked.env) == ("", False, {})


def test_a_variable_goes_before_the_setting_and_the_setting_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "firstlight.toml"
    file.write_text('[engine]\nkind = "scripted"\nmodel = "org/file"\n[connection]\nport = 1\nhost = "0.0.0.0"\n')
    env = {
        "FIRSTLIGHT_CONFIG": str(file),
        "FIRSTLIGHT_ENGINE__MODEL": "org/setting",
        "FIRSTLIGHT_CONNECTION__PORT": "2",
        "PORT": "3",
    }
    asked = read(env)
    assert (asked.engine, asked.model, asked.host, asked.port) == ("scripted", "org/setting", "0.0.0.0", "3")
    assert asked.source == {
        "kind": f"{file}: engine.kind",
        "model": "FIRSTLIGHT_ENGINE__MODEL",
        "host": f"{file}: connection.host",
        "port": "PORT",
    }
    assert asked.env == {**env, "FIRSTLIGHT_CONNECTION__PORT": "3"}


@pytest.mark.parametrize(("text", "wanted"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_flash_attn_is_a_switch(text: str, wanted: bool) -> None:
    assert read({"FLASH_ATTN": text}).flash_attn is wanted


def test_a_settings_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"^FIRSTLIGHT_CONFIG=/no/such\.toml: .*No such file"):
        read({"FIRSTLIGHT_CONFIG": "/no/such.toml"})
    broken = tmp_path / "broken.toml"
    broken.write_text("[engine")
    with pytest.raises(Problem, match=rf"^FIRSTLIGHT_CONFIG={broken}: "):
        read({"FIRSTLIGHT_CONFIG": str(broken)})
