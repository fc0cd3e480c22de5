"""The command line, as a process: what it prints, what it exits with, what it does not import."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from firstlight.__main__ import main
from firstlight.stages import Stage

SCRIPTED = {"FIRSTLIGHT_ENGINE__KIND": "scripted", "FIRSTLIGHT_CONNECTION__PORT": "0"}


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "firstlight", *arguments],
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@contextmanager
def serving(**env: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "firstlight", "serve"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=os.environ | SCRIPTED | env, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


def test_settings_are_printed_with_where_they_were_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings"]) == 0
    assert "[admission]" in capsys.readouterr().out
    assert main(["settings", "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("# Settings\n")


@pytest.mark.parametrize(
    ("env", "line"),
    [
        ({"FIRSTLIGHT_ADMISSION__BURTS": "1"}, "has no setting 'burts' (did you mean 'burst'?)"),
        ({"FIRSTLIGHT_CONNECTION__PORT": "70000"}, "FIRSTLIGHT_CONNECTION__PORT: connection.port"),
        (SCRIPTED | {"FIRSTLIGHT_ENGINE__SCENARIO": "/no/such.json"}, "scenario /no/such.json"),
    ],
)
def test_o01_what_cannot_start_exits_with_2_and_one_line(env: dict[str, str], line: str) -> None:
    done = run("serve", **env)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"firstlight: [^\n]+\n", done.stderr)
    assert line in done.stderr


def test_a_port_that_is_taken_exits_with_2_and_says_which_to_choose() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("serve", **SCRIPTED | {"FIRSTLIGHT_CONNECTION__PORT": port})
    assert done.returncode == 2
    assert re.fullmatch(rf"firstlight: port {port} on 127.0.0.1 is taken: [^\n]+\n", done.stderr)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_says_when_it_listens_and_when_it_is_ready_and_ends_orderly(number: signal.Signals) -> None:
    with serving() as process:
        assert process.stdout is not None
        listens = re.fullmatch(r"First Light listens on (http://127\.0\.0\.1:\d+/) .*\n", process.stdout.readline())
        assert listens is not None
        ready = process.stdout.readline()
        assert re.fullmatch(r"Ready after \d+\.\d s; the warm-up reply began after \d+ ms\. Chat at .*\n", ready)
        with urllib.request.urlopen(f"{listens[1]}readyz") as response:
            assert response.status == 200
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
        assert (process.returncode, out, err) == (0, "", "")


def test_signals_without_end_do_not_spoil_the_end() -> None:
    with serving() as process:
        assert process.stdout is not None
        lines = [process.stdout.readline(), process.stdout.readline()]
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.002)
        assert (process.returncode, lines[1][:5], process.communicate()) == (0, "Ready", ("", ""))


def test_an_interrupt_before_it_serves_leaves_no_traceback(tmp_path: Path) -> None:
    config = tmp_path / "held.toml"
    os.mkfifo(config)
    with serving(FIRSTLIGHT_CONFIG=str(config)) as process:
        # Closed after the signal: one that comes just before the process reads would otherwise wake nobody.
        with config.open("w", encoding="utf-8"):
            process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=10) == ("", "")
        assert process.returncode == 130


def test_o03_a_reply_is_logged_in_one_line_without_its_text_or_its_users_token() -> None:
    with serving(FIRSTLIGHT_LOGS__FORMAT="json") as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[4]
        process.stdout.readline()
        with httpx.Client(base_url=url) as client:
            token = client.post("auth/guest").json()["access_token"]
            body = {"messages": [{"role": "user", "content": "canary-in-the-prompt"}], "max_tokens": 20}
            answer = client.post("api/chat", json=body, headers={"authorization": f"Bearer {token}"})
        process.terminate()
        logged = process.communicate(timeout=10)[1]
    assert "canary" in answer.text
    assert not [secret for secret in ("canary", *token.split(".")) if secret in logged]
    line = json.loads(logged)
    assert set(line) == {
        *("level", "timestamp", "event", "generation", "user", "finish", "prompt_tokens", "tokens", "ttft_ms"),
        *("total_ms", "connection_ms", "routing_ms", "admission_ms", "prefill_ms", "decode_ms", "assembly_ms"),
    }
    assert {key: line[key] for key in ("event", "level", "finish", "tokens")} == {
        "event": "reply",
        "level": "info",
        "finish": "length",
        "tokens": 20,
    }
    parts = [line[f"{stage}_ms"] for stage in Stage if stage is not Stage.CAPTURE]
    assert sum(parts) == pytest.approx(line["ttft_ms"], abs=0.01)


def test_an_engine_that_fails_to_load_ends_the_process_with_2_and_one_line(tmp_path: Path) -> None:
    scenario = tmp_path / "fails.json"
    scenario.write_text('{"replies": [{"script": [{"die": true}]}]}', "utf-8")
    done = run("serve", **SCRIPTED | {"FIRSTLIGHT_ENGINE__SCENARIO": str(scenario)})
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "firstlight: the warm-up reply failed: The engine failed."


def test_a_command_imports_only_what_it_needs() -> None:
    code = "import sys, firstlight.__main__ as m; m.main(['settings']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert not {"litestar", "uvicorn", "vllm", "torch", "prometheus_client"} & set(done.stderr.split())


def test_a_command_that_is_none_is_refused_with_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["dance"], ["serve", "now"]):
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code == 2
        assert "usage: firstlight" in capsys.readouterr().err
