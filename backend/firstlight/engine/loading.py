"""How vLLM's AsyncLLM comes up: arguments, the process of its core, the tokenizer meanwhile, one line when it fails."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from firstlight.engine import forkserver, host
from firstlight.engine.models import ModelSource
from firstlight.engine.render import ChatRenderer
from firstlight.errors import StartError
from firstlight.settings import Engine

THREAD = ThreadPoolExecutor(1, "engine")
"""Builds engines and ends them. It lives as long as this process: what it spawns dies with it."""

_TIMES = ("time_to_first_token", "inter_token_latency", "request_latency")
_SECONDS = (
    *(0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75),
    *(1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 640.0),
)
"""Ends of the buckets of vLLM's own times; its own begin at 10 ms, those of whole requests at 300 ms."""


async def load(chosen: Engine, source: ModelSource, traces: str = "") -> tuple[Any, ChatRenderer]:
    """The running AsyncLLM, which sends its spans to `traces`, and the renderer.

    Raises StartError; what can be known before the long part, before it.
    """
    loop = asyncio.get_running_loop()
    with ExitStack() as surroundings:
        configuring = loop.run_in_executor(THREAD, _configure, chosen, source, traces, surroundings)
        try:
            config = await asyncio.shield(configuring)
        except asyncio.CancelledError:
            await asyncio.wait([configuring])  # it must not enter the surroundings once they are left
            raise
        others = {child.pid for child in multiprocessing.active_children()}
        building = loop.run_in_executor(THREAD, _build, config)
        try:
            renderer = await asyncio.to_thread(ChatRenderer.load, source.path)
            return await asyncio.shield(building), renderer
        except BaseException:
            await _abandon(building, others)
            raise


def _configure(chosen: Engine, source: ModelSource, traces: str, surroundings: ExitStack) -> Any:
    """vLLM's resolved configuration; `surroundings` then hold what its processes are to be started in."""
    folder = Path(source.path)
    for name, value in host.defaults(offline=folder.is_dir()).items():
        os.environ.setdefault(name, value)
    arguments = _arguments(chosen, source)
    if traces:
        os.environ.setdefault("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf")
        arguments["otlp_traces_endpoint"] = traces
    surroundings.enter_context(host.leash())
    if host.cpu_build():
        alone = host.few_cores() and chosen.tensor_parallel_size * chosen.pipeline_parallel_size == 1
        arguments |= _on_cpu(chosen, folder, alone=alone)
        surroundings.enter_context(host.environment(host.computing(alone=alone)))
        if alone:
            forkserver.begin()
            surroundings.enter_context(forkserver.used())
    from vllm.engine.arg_utils import AsyncEngineArgs

    if hasattr(AsyncEngineArgs, "custom_histogram_buckets"):  # not in 0.26
        arguments["custom_histogram_buckets"] = {family: list(_SECONDS) for family in _TIMES}
    try:
        return AsyncEngineArgs(**arguments).create_engine_config()
    except Exception as error:
        raise StartError(f"vLLM refuses the model {source.name}: {one_line(error)}") from error


def _arguments(chosen: Engine, source: ModelSource) -> dict[str, Any]:
    return {
        "model": source.path,
        "served_model_name": source.name,
        "max_model_len": chosen.max_model_len or None,
        # Both said: left out, an embedded engine gets other figures than `vllm serve`.
        "max_num_seqs": chosen.max_num_seqs,
        "max_num_batched_tokens": chosen.max_num_batched_tokens,
        "tensor_parallel_size": chosen.tensor_parallel_size,
        "pipeline_parallel_size": chosen.pipeline_parallel_size,
        "data_parallel_size": chosen.data_parallel_size,
        "gpu_memory_utilization": chosen.gpu_memory_utilization,
        "enforce_eager": bool(chosen.enforce_eager),
        "scheduling_policy": "priority",
        "enable_prefix_caching": True,
        "prefix_caching_hash_algo": "sha256",
        "enable_log_requests": False,
        "use_tqdm_on_load": False,
        "disable_log_stats": False,  # without them an output has no times
    }


def _on_cpu(chosen: Engine, folder: Path, *, alone: bool) -> dict[str, Any]:
    return {
        "enforce_eager": chosen.enforce_eager is not False,
        "kv_cache_memory_bytes": host.kv_cache_bytes(chosen.kv_cache_gib, host.weight_bytes(folder)),
        "distributed_executor_backend": "uni" if alone else None,
    }


def _build(config: Any) -> Any:
    from vllm.v1.engine.async_llm import AsyncLLM

    try:
        return AsyncLLM.from_vllm_config(config)
    except Exception as error:
        raise StartError(
            f"the engine's process did not start; its log above has the cause ({one_line(error)})"
        ) from error


async def _abandon(building: asyncio.Future[Any], others: Collection[int | None]) -> None:
    """End a build that nobody waits for any more, be its process there already or not yet; `others` are not of it."""
    while not building.done():
        for child in multiprocessing.active_children():
            if child.name.startswith("EngineCore") and child.pid not in others:
                child.kill()
        await asyncio.wait([building], timeout=0.1)
    if not building.cancelled() and building.exception() is None:
        await asyncio.to_thread(building.result().shutdown)


def one_line(error: Exception) -> str:
    """What an exception of vLLM says, without the frame that pydantic puts around it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    said = next((line for line in lines if line.startswith("Value error, ")), lines[0])
    return said.removeprefix("Value error, ").split(" [type=", 1)[0]
