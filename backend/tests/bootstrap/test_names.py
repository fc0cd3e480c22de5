from pathlib import Path

import pytest

from bootstrap import names
from bootstrap.problem import Problem
from firstlight.settings.load import variable
from firstlight.settings.sections import SECTIONS

SOURCE = Path(__file__).parents[2] / "firstlight" / "settings" / "sections.py"
KNOWN = names.known(SOURCE)


def test_the_names_read_from_the_source_are_those_of_the_package() -> None:
    fields = [(section, key) for section, struct in SECTIONS.items() for key in struct.__struct_fields__]
    assert {variable(section, key) for section, key in fields} == KNOWN


def test_settings_secrets_in_files_and_other_variables_pass() -> None:
    known = ["FIRSTLIGHT_ENGINE__MODEL", "FIRSTLIGHT_ENGINE__MODEL_FILE", "FIRSTLIGHT_CACHE", "FIRSTLIGHT_CONFIG"]
    names.check(dict.fromkeys([*known, "PATH", "FIRSTLIGHTER"], "x"), KNOWN)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("FIRSTLIGHT_ENGINE__MODLE", " (did you mean FIRSTLIGHT_ENGINE__MODEL?)"),
        ("FIRSTLIGHT_CONNECTION_PORT", " (did you mean FIRSTLIGHT_CONNECTION__PORT?)"),
        ("FIRSTLIGHT_XYZZY", ""),
    ],
)
def test_what_looks_like_a_setting_and_is_none_is_refused(name: str, hint: str) -> None:
    with pytest.raises(Problem) as caught:
        names.check({name: "1"}, KNOWN)
    assert str(caught.value) == f"{name}: there is no such setting{hint}: `firstlight settings` shows all"
