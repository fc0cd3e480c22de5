"""The engine's process is forked from one that has imported vLLM already.

Importing takes longer than all else of a start on CPUs. This way it happens on one core while the serving process does
the same on another; spawned, the engine's process would only begin when that is through. The fork server itself is
spawned, and so has nothing of the serving process; it runs no thread when it forks.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver

_MODULES = [
    "firstlight.engine.ahead",
    "vllm.v1.engine.core",
    "vllm.v1.executor.uniproc_executor",
    "vllm.v1.worker.cpu_worker",
    "vllm.v1.attention.backends.cpu_attn",
    "vllm.model_executor.models.llama",
]
"""A name that another version lacks is passed over, and imported later where it is needed."""


def begin() -> None:
    """Start the fork server; it begins to import, with the environment of now. One that runs already is kept."""
    multiprocessing.set_forkserver_preload(_MODULES)
    forkserver.ensure_running()


@contextmanager
def used() -> Iterator[None]:
    """vLLM takes its engine's process from there meanwhile; of itself it only knows `fork` and `spawn`."""
    from vllm.v1.engine import utils

    own = utils.get_mp_context
    utils.get_mp_context = lambda: multiprocessing.get_context("forkserver")
    try:
        yield
    finally:
        utils.get_mp_context = own
