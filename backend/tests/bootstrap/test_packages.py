import http.server
import io
import socket
import threading
from pathlib import Path

import pytest

from bootstrap.packages import Packages, answers
from bootstrap.problem import Problem
from bootstrap.progress import Progress
from bootstrap.steps import Steps


class NotFound(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        """Quiet."""


def test_an_index_that_says_anything_answers() -> None:
    with http.server.HTTPServer(("127.0.0.1", 0), NotFound) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        assert answers(f"http://127.0.0.1:{server.server_port}/whl/cpu")
        server.shutdown()


def test_an_index_that_cannot_be_reached_does_not() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        assert not answers(f"http://127.0.0.1:{closed.getsockname()[1]}/")


@pytest.fixture
def packages(tmp_path: Path) -> Packages:
    return Packages(Steps(tmp_path, Progress(io.StringIO())), {})


def test_a_package_that_was_half_installed_is_forgotten(packages: Packages, tmp_path: Path) -> None:
    site = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages"
    for name in ("whole-1.0", "half-2.0"):
        (site / f"{name}.dist-info").mkdir(parents=True)
        (site / f"{name}.dist-info" / "METADATA").touch()
    (site / "whole-1.0.dist-info" / "INSTALLER").touch()
    packages.forget_halves()
    assert [path.name for path in site.iterdir()] == ["whole-1.0.dist-info"]


def test_one_environment_holds_one_build_of_vllm(packages: Packages, tmp_path: Path) -> None:
    stamps = tmp_path / ".venv" / ".stamps"
    stamps.mkdir(parents=True)
    (stamps / "device").write_text("cpu")
    with pytest.raises(Problem) as caught:
        packages.environment("gpu")
    assert str(caught.value) == (".venv holds vLLM for CPU, and both share a name: rm -r .venv, then run it again")
