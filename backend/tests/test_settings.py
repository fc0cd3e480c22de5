"""Settings: defaults, file, environment; one clear line where something is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight import settings
from firstlight.errors import StartError
from firstlight.settings import SECTIONS, Settings
from firstlight.settings.show import line

PAGE = Path(__file__).parents[2] / "docs/settings.md"

values = {
    "FIRSTLIGHT_CONNECTION__HOST": st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1),
    "FIRSTLIGHT_CONNECTION__PORT": st.integers(0, 65535).map(str),
    "FIRSTLIGHT_ROUTING__HOSTS": st.lists(st.sampled_from(["a.example", "b"])).map(",".join),
    "FIRSTLIGHT_ADMISSION__RATE": st.floats(0.001, 1_000_000).map(str),
    "FIRSTLIGHT_ENGINE__ENFORCE_EAGER": st.sampled_from(["true", "false", "null"]),
    "FIRSTLIGHT_GENERATIONS__GRACE_S": st.floats(0, 1e6).map(str),
    "FIRSTLIGHT_LOGS__LEVEL": st.sampled_from(["debug", "error"]),
}


def complaint(env: dict[str, str]) -> str:
    with pytest.raises(StartError) as refused:
        settings.load(env)
    return str(refused.value)


def test_without_anything_the_defaults_are_in_force() -> None:
    assert settings.load({"PATH": "/bin", "FIRSTLIGHT_CACHE": "/tmp/cache"}) == Settings()


def test_the_environment_comes_before_the_file_and_the_file_before_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "firstlight.toml"
    file.write_text('[admission]\nburst = 3\nrate = 2\n[routing]\nhosts = ["a", "b"]\n', "utf-8")
    loaded = settings.load({"FIRSTLIGHT_CONFIG": str(file), "FIRSTLIGHT_ADMISSION__BURST": "4"})
    expected = Settings(
        admission=settings.Admission(burst=4, rate=2.0),
        routing=settings.Routing(hosts=("a", "b")),
    )
    assert loaded == expected


def test_a_list_is_written_with_commas() -> None:
    loaded = settings.load({"FIRSTLIGHT_ROUTING__HOSTS": " a.example, b,"})
    assert loaded.routing.hosts == ("a.example", "b")
    assert settings.load({"FIRSTLIGHT_ROUTING__HOSTS": ""}).routing.hosts == ()


def test_a_value_may_stand_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "port").write_text(" 9000\n", "utf-8")
    assert settings.load({"FIRSTLIGHT_CONNECTION__PORT_FILE": str(tmp_path / "port")}).connection.port == 9000
    missing = str(tmp_path / "none")
    assert complaint({"FIRSTLIGHT_CONNECTION__PORT_FILE": missing}).startswith(
        f"FIRSTLIGHT_CONNECTION__PORT_FILE={missing}: [Errno 2]"
    )


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("PORT", "1", "there is no such setting (did you mean FIRSTLIGHT_CONNECTION__PORT?)"),
        ("ENGINE_MODEL", "x", "there is no such setting (did you mean FIRSTLIGHT_ENGINE__MODEL?)"),
        ("QWERTY", "", "there is no such setting"),
        ("ENGINE__MODLE", "x", "[engine] has no setting 'modle' (did you mean 'model'?)"),
        ("X__Y", "z", f"there is no section 'x' (there are: {', '.join(SECTIONS)})"),
        ("CONNECTION__PORT", "65536", "connection.port: Expected `int` <= 65535"),
        ("CONNECTION__PORT", "", "connection.port: Expected `int`, got `str`"),
        ("CONNECTION__HOST", "", "connection.host: Expected `str` of length >= 1"),
        ("CONNECTION__HOST", "a\0b", "connection.host: control characters, or not UTF-8"),
        ("ENGINE__MODEL", "\udcff", "engine.model: control characters, or not UTF-8"),
        ("ROUTING__HOSTS", "a,\udcff", "routing.hosts: control characters, or not UTF-8"),
        ("ADMISSION__RATE", "nan", "admission.rate: Expected `float` >= 0.001"),
        ("ADMISSION__RATE", "1e-320", "admission.rate: Expected `float` >= 0.001"),
        ("ADMISSION__BURST", "9" * 400, "admission.burst: Expected `int` <= 1000000"),
        ("LOGS__LEVEL", "loud", "logs.level: Invalid enum value 'loud'"),
    ],
)
def test_what_is_wrong_in_the_environment_is_one_line_that_names_it(name: str, value: str, reason: str) -> None:
    name = f"FIRSTLIGHT_{name}"
    assert complaint({name: value}) == f"{name}: {reason}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[admission]\nburts = 3", "[admission] has no setting 'burts' (did you mean 'burst'?)"),
        ("[admision]\nburst = 3", f"there is no section 'admision' (there are: {', '.join(SECTIONS)})"),
        ("burst = 3", "'burst' must stand in a section, as in [connection]"),
        ("[admission]\nburst = 0", "admission.burst: Expected `int` >= 1"),
        ('[admission]\n"a\\nb" = 0', "[admission] has no setting 'a\\nb'"),
    ],
)
def test_what_is_wrong_in_the_file_is_one_line_that_names_both(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "firstlight.toml"
    file.write_text(text, "utf-8")
    assert complaint({"FIRSTLIGHT_CONFIG": str(file)}) == f"{file}: {reason}"


@pytest.mark.parametrize("content", [None, b"not = = toml", b"\xff", b"x = " + b"[" * 3_000])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "firstlight.toml"
    if content is not None:
        file.write_bytes(content)
    assert complaint({"FIRSTLIGHT_CONFIG": str(file)}).startswith(f"FIRSTLIGHT_CONFIG={file}: ")


@given(st.fixed_dictionaries({}, optional=values))
def test_what_is_shown_read_back_as_a_file_is_the_same(env: dict[str, str]) -> None:
    loaded = settings.load(env)
    assert msgspec.convert(tomllib.loads(settings.describe(loaded, env)), Settings) == loaded


def test_each_setting_is_shown_with_where_it_was_set(tmp_path: Path) -> None:
    file = tmp_path / "firstlight.toml"
    file.write_text('[logs]\nlevel = "error"\n', "utf-8")
    env = {"FIRSTLIGHT_CONFIG": str(file), "FIRSTLIGHT_LOGS__FORMAT": "json"}
    shown = settings.describe(settings.load(env), env)
    assert f'\n[logs]\nlevel = "error"  # {file}\nformat = "json"  # FIRSTLIGHT_LOGS__FORMAT\n' in shown
    assert "\n# enforce_eager is not set     # default\n" in shown


@pytest.mark.parametrize("key", ["guest_key", "client_secret", "redis_password"])
def test_a_secret_is_never_shown(key: str) -> None:
    assert line(key, "hunter2") == f'{key} = "********"'
    assert line(key, "") == f'{key} = ""'


def test_the_page_of_the_documentation_is_in_step() -> None:
    assert PAGE.read_text("utf-8") == settings.markdown()


def test_every_setting_is_on_the_page_with_a_meaning() -> None:
    rows = [row.split(" | ") for row in PAGE.read_text("utf-8").splitlines() if row.startswith("| `")]
    assert [row[0] for row in rows] == [
        f"| `{key}`" for struct in SECTIONS.values() for key in struct.__struct_fields__
    ]
    assert [row[0] for row in rows if len(row) != 4 or len(row[3]) < 10] == []
