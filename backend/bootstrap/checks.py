"""What must be there before anything is installed. A check raises Problem: one line, what is wrong, what to do."""

from __future__ import annotations

import json
import re
import shutil
import socket
from pathlib import Path

from bootstrap.host import Host
from bootstrap.problem import Problem
from bootstrap.request import Request

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
GB_NEEDED = {"none": 1, "cpu": 4, "gpu": 20}
DEMO = "`make run ENGINE=scripted` runs without a model"


def device(request: Request, host: Host) -> str:
    """What computes: `gpu`, `cpu`, or `none` for the scripted engine."""
    if request.engine not in ("vllm", "scripted"):
        raise Problem(f"{request.source['kind']}={request.engine}: there is no such engine: choose vllm or scripted")
    if request.device not in ("", "cpu", "gpu"):
        raise Problem(f"DEVICE={request.device}: there is no such device: choose cpu or gpu")
    if request.engine == "scripted":
        return "none"
    return request.device or ("gpu" if host.has_gpu else "cpu")


def tools(host: Host, root: Path) -> None:
    """Python's venv module, Node.js and npm."""
    if not host.has_venv:
        raise Problem("this Python lacks the venv module: install it (Debian, Ubuntu: apt-get install python3-venv)")
    wanted = json.loads((root / "package.json").read_text("utf-8"))["engines"]["node"]
    major, minor = (int(part) for part in re.findall(r"\d+", wanted)[:2])
    if host.node is None or not host.has_npm:
        missing = "npm" if host.node else "Node.js"
        raise Problem(f"{missing} is missing: install Node.js {major}.{minor} or newer, which brings npm (nodejs.org)")
    if host.node < (major, minor):
        found = ".".join(map(str, host.node))
        raise Problem(f"Node.js {found} is too old: install {major}.{minor} or newer (nodejs.org)")


def processor(device: str, host: Host) -> list[str]:
    """Whether vLLM's CPU build runs here; returns warnings."""
    if device == "none":
        return []
    if host.system != "Linux":
        raise Problem(f"vLLM's packages are for Linux, and this is {host.system}: {DEMO}")
    if device == "gpu" or host.machine not in ("x86_64", "AMD64") or host.cpu_flags is None:
        return []
    if "avx2" not in host.cpu_flags:
        raise Problem(f"this processor lacks AVX2, which vLLM's CPU build needs: {DEMO}")
    return [] if "avx512f" in host.cpu_flags else ["this processor lacks AVX-512: the model runs, but more slowly"]


def model(request: Request) -> None:
    """Whether the model is a folder with a model in it, or is written like a Hugging Face id."""
    name, source = request.model, request.source["model"]
    folder = Path(name).expanduser()
    if not name or (folder / "config.json").is_file():
        return
    if folder.is_dir():
        raise Problem(f"{source}={name}: the folder holds no config.json, so it is no model")
    if not HUB_ID.fullmatch(name):
        raise Problem(f"{source}={name}: there is no such folder, and a Hugging Face id looks like org/name")


def port(request: Request) -> None:
    """Whether the server can listen where it should."""
    text, source = request.port, request.source["port"]
    if not text.isdecimal() or int(text) > 65535:
        raise Problem(f"{source}={text}: a port is a whole number from 0 to 65535")
    try:
        family, _, _, _, address = socket.getaddrinfo(request.host, int(text), type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        where, reason = f"{request.host}:{text}", (error.strerror or str(error)).lower()
        raise Problem(f"cannot listen on {where} ({reason}): free it, or choose another: make run PORT=8123") from error


def space(device: str, root: Path) -> None:
    """Whether what will be installed below `root` fits."""
    free = shutil.disk_usage(root).free / 1e9
    if free < GB_NEEDED[device]:
        raise Problem(f"{root}: {GB_NEEDED[device]} GB of free disk space are needed, and {free:.1f} GB are left")
