import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from firstlight.engine.models import ModelSource, cache, resolve
from firstlight.errors import StartError


def folder_with(tmp_path: Path, *names: str) -> Path:
    folder = tmp_path / "My-Model"
    folder.mkdir()
    for name in names:
        (folder / name).touch()
    return folder


def test_a_whole_folder_is_taken_under_its_own_name(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "config.json", "tokenizer.json", "model.safetensors")
    assert resolve(str(folder)) == ModelSource(name="My-Model", path=str(folder))


def test_a_folder_may_be_named_from_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder_with(tmp_path, "config.json", "tokenizer.json", "pytorch_model.bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert resolve("~/My-Model") == ModelSource(name="My-Model", path=str(tmp_path / "My-Model"))


def test_a_folder_that_lacks_files_is_refused_with_their_names(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "config.json")
    with pytest.raises(StartError) as caught:
        resolve(str(folder))
    assert str(caught.value) == f"model {folder}: it lacks tokenizer.json and weights (*.safetensors)"


def test_a_hugging_face_id_is_passed_on() -> None:
    assert resolve("org-1/Some.Model_2") == ModelSource(name="org-1/Some.Model_2", path="org-1/Some.Model_2")


@pytest.mark.parametrize("model", ["/no/such/folder", "./x", "name", "a/b/c", "../up", "org/", " org/name"])
def test_what_is_neither_is_refused(model: str) -> None:
    with pytest.raises(StartError) as caught:
        resolve(model)
    assert str(caught.value) == f"model '{model}': there is no such folder, and a Hugging Face id looks like org/name"


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FIRSTLIGHT_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/ada")
    assert cache() == Path("/home/ada/.cache/firstlight")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    assert cache() == Path("/var/cache/firstlight")
    monkeypatch.setenv("FIRSTLIGHT_CACHE", "~/light")
    assert cache() == Path("/home/ada/light")


@pytest.mark.engine
def test_the_small_model_carries_its_template_and_its_sampling_defaults() -> None:
    folder = Path(resolve("").path)
    assert (folder / "chat_template.jinja").read_text() == (
        "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\n"
        "You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}"
        "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
    )
    generation = json.loads((folder / "generation_config.json").read_text())
    wanted = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2, "temperature": 0.2, "top_p": 0.9}
    assert {key: generation.get(key) for key in wanted} == wanted
    config = json.loads((folder / "config.json").read_text())
    wanted = {"model_type": "llama", "dtype": "bfloat16", "vocab_size": 49152, "max_position_embeddings": 8192}
    assert {key: config.get(key) for key in wanted} == wanted


@pytest.mark.engine
@pytest.mark.timeout(600)
def test_a_real_conversion_that_is_killed_leaves_no_model(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "firstlight.engine.models"]
    env = {**os.environ, "FIRSTLIGHT_CACHE": str(tmp_path)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env, start_new_session=True) as process:
        assert process.stderr is not None
        assert any("converting" in line for line in process.stderr)
        os.killpg(process.pid, signal.SIGKILL)
    assert list((tmp_path / "models").glob("SmolLM2*")) == []
    again = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    folder = Path(again.stdout.strip())
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == [".lock", folder.name]
    assert (folder / "model.safetensors").stat().st_size == 269_060_552
