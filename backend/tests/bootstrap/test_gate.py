import ast
import subprocess
import sys
from pathlib import Path

import pytest

BACKEND = Path(__file__).parents[2]
GATE = """
import runpy, sys
sys.version_info = ({major}, {minor}, 0, "final", 0)
runpy.run_module("bootstrap", run_name="__main__")
"""


def test_the_gate_parses_on_an_old_python() -> None:
    for name in ("__init__.py", "__main__.py"):
        ast.parse((BACKEND / "bootstrap" / name).read_text(), feature_version=(3, 4))


@pytest.mark.parametrize(("major", "minor"), [(3, 8), (3, 10), (3, 15)])
def test_a_python_that_does_not_suit_gets_one_line(major: int, minor: int) -> None:
    command = [sys.executable, "-c", GATE.format(major=major, minor=minor)]
    done = subprocess.run(command, cwd=BACKEND, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"First Light: it needs Python 3.11 to 3.14, and this is {major}.{minor}: "
        "install one, or name one: make run PYTHON=python3.12\n"
    )
