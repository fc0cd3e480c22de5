import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

BACKEND = Path(__file__).parents[2]


def bootstrap(*arguments: str, **env: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "bootstrap", *arguments]
    done = subprocess.run(command, cwd=BACKEND, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", [(), ("walk",), ("run", "setup")])
def test_what_is_no_command_gets_the_usage(arguments: tuple[str, ...]) -> None:
    assert bootstrap(*arguments) == (2, "", "usage: python3 -m bootstrap run | setup | lock\n")


@pytest.mark.parametrize(
    ("env", "line"),
    [
        ({"PORT": "x"}, "PORT=x: a port is a whole number from 0 to 65535"),
        ({"MODEL": "nowhere"}, "MODEL=nowhere: there is no such folder, and a Hugging Face id looks like org/name"),
        (
            {"FIRSTLIGHT_ADMISSION__BURTS": "1"},
            "FIRSTLIGHT_ADMISSION__BURTS: there is no such setting (did you mean FIRSTLIGHT_ADMISSION__BURST?): "
            "`firstlight settings` shows all",
        ),
    ],
)
def test_what_cannot_be_run_is_told_in_one_line_before_anything_is_installed(env: dict[str, str], line: str) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert bootstrap("run", ENGINE="scripted", **env) == (2, "", f"First Light: {line}\n")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2
