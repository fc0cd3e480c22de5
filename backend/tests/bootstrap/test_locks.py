import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LOCKS = sorted((ROOT / "backend" / "requirements").glob("*.lock"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def pinned(name: str) -> dict[str, list[str]]:
    """Hashes by `name==version`."""
    entries = re.split(r"^(?=[a-z0-9])", (ROOT / "backend" / "requirements" / f"{name}.lock").read_text(), flags=re.M)
    return {entry.split()[0]: re.findall(r"--hash=(sha256:[0-9a-f]{64})", entry) for entry in entries[1:]}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_locked_package_has_hashes_and_no_word_about_where_it_comes_from(lock: Path) -> None:
    assert [name for name, hashes in pinned(lock.stem).items() if not hashes or "==" not in name] == []
    assert re.findall(r"(?m)^-|://", lock.read_text()) == []


@pytest.mark.parametrize("name", ["core", "cpu", "gpu"])
def test_the_locks_hold_what_the_package_asks_for(name: str) -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    assert set(PROJECT["project"]["dependencies"]) | set(extras.get(name, [])) <= set(pinned(name))


def test_the_tools_are_locked_as_asked_for() -> None:
    assert set(PROJECT["dependency-groups"]["dev"]) <= set(pinned("dev"))
    assert PROJECT["project"]["optional-dependencies"]["flash-attn"] == list(pinned("flash-attn"))


def test_the_cpu_lock_leaves_out_what_its_exclude_file_names() -> None:
    lines = (ROOT / "backend" / "requirements" / "cpu.exclude").read_text().splitlines()
    excluded = {line for line in lines if not line.startswith("#")}
    assert excluded & {name.split("==")[0] for name in pinned("cpu")} == set()


def test_packages_that_several_locks_name_have_one_version_on_a_cpu_host() -> None:
    versions: dict[str, set[str]] = {}
    for lock in ("core", "dev"):
        for name in pinned(lock):
            versions.setdefault(name.split("==")[0], set()).add(name)
    cpu = set(pinned("cpu"))
    named = {name.split("==")[0] for name in cpu}
    assert {name for name, found in versions.items() if name in named and not found & cpu} == set()
