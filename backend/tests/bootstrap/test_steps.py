import io
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bootstrap.problem import Problem
from bootstrap.progress import Progress
from bootstrap.steps import Steps, digest

PYTHON = sys.executable


@pytest.fixture
def out() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def steps(tmp_path: Path, out: io.StringIO) -> Steps:
    (tmp_path / ".firstlight").mkdir()
    return Steps(tmp_path, Progress(out))


def lines(out: io.StringIO) -> list[str]:
    """What was shown, without the seconds."""
    return [line.rsplit(" (", 1)[0] for line in out.getvalue().splitlines()]


def test_a_step_runs_again_only_when_what_it_depends_on_changes(steps: Steps, tmp_path: Path, out: io.StringIO) -> None:
    stamp, source, runs = tmp_path / "deep" / "stamp", tmp_path / "source", list[int]()

    def run(*inputs: str | Path) -> None:
        steps.once("Step", stamp, inputs, lambda: runs.append(1))

    source.write_text("one")
    run("3.11", source)
    run("3.11", source)
    assert len(runs) == 1
    source.write_text("two")
    run("3.11", source)
    assert len(runs) == 2
    run("3.12", source)
    assert len(runs) == 3
    assert lines(out) == ["  .. Step", "  ok Step"] * 3


def test_a_step_that_fails_is_not_taken_for_done(steps: Steps, tmp_path: Path, out: io.StringIO) -> None:
    def fail() -> None:
        raise Problem("no")

    for _ in range(2):
        with pytest.raises(Problem, match=r"^no$"):
            steps.once("Step", tmp_path / "stamp", ["same"], fail)
    assert lines(out) == ["  .. Step", "  !! Step"] * 2


def test_a_folders_digest_is_that_of_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").write_text("1")
    first = digest([tmp_path])
    assert digest([tmp_path]) == first
    (tmp_path / "a" / "x").rename(tmp_path / "a" / "y")
    assert digest([tmp_path]) != first


def test_a_commands_output_goes_to_a_log(steps: Steps, tmp_path: Path, out: io.StringIO) -> None:
    steps.run("npm packages", PYTHON, "-c", "import os; print(os.environ['NAME'], os.getcwd())", env={"NAME": "ada"})
    assert (tmp_path / ".firstlight" / "npm-packages.log").read_text() == f"ada {tmp_path}\n"
    assert out.getvalue() == ""


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full: free some space"),
        ("Temporary failure in name resolution", "check the network"),
        ("npm error code EAI_AGAIN", "check the network"),
        ("something else", "see .firstlight/step.log"),
    ],
)
def test_a_failed_command_shows_its_last_words_and_what_to_do(
    steps: Steps, out: io.StringIO, said: str, advice: str
) -> None:
    with pytest.raises(Problem) as caught:
        steps.run("Step", PYTHON, "-c", f"import sys; print('begin'); print({said!r}, file=sys.stderr); sys.exit(7)")
    assert str(caught.value) == f"Step failed: {advice}, then run it again: it goes on where it stopped"
    assert out.getvalue().splitlines()[-1] == f"     {said}"


def test_the_first_lane_that_fails_ends_the_others(steps: Steps) -> None:
    started = threading.Event()

    def endless() -> None:
        started.set()
        steps.run("Endless", PYTHON, "-c", "import time; time.sleep(600)")

    def fail() -> None:
        assert started.wait(30)
        raise Problem("the first failure")

    with pytest.raises(Problem, match=r"^the first failure$"):
        steps.parallel(endless, fail)


def test_lanes_run_at_the_same_time(steps: Steps) -> None:
    meet = threading.Barrier(2, timeout=30)
    steps.parallel(lambda: meet.wait() and None, lambda: meet.wait() and None)


HOLDER = """
import sys
from pathlib import Path
from bootstrap.progress import Progress
from bootstrap.steps import Steps

with Steps(Path(sys.argv[1]), Progress(sys.stdout)).locked():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_set_up_waits_for_the_first(steps: Steps, tmp_path: Path, out: io.StringIO) -> None:
    backend = Path(__file__).parents[2]
    command = [PYTHON, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, cwd=backend, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdin is not None
        assert first.stdout.readline() == "held\n"
        threading.Timer(0.3, first.stdin.close).start()
        with steps.locked():
            assert first.wait(30) == 0
    assert out.getvalue() == "  another set-up of this checkout is under way: waiting for it\n"
