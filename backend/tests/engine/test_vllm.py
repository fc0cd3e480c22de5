"""The real engine beyond the contract: what dies with what, what a start that fails says, what is left behind."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import multiprocessing
import os
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
import pytest_asyncio
from prometheus_client import REGISTRY

from firstlight import settings
from firstlight.engine.models import ModelSource, resolve
from firstlight.engine.protocol import EngineOutput, EngineRequest, Sampling
from firstlight.engine.vllm import Vllm
from firstlight.errors import EngineFailed, EngineUnavailable, InvalidRequest, StartError
from firstlight.tracecontext import follow
from firstlight.wire import Message

pytestmark = [
    pytest.mark.engine,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.asyncio(loop_scope="module"),
]

CHOSEN = settings.Engine(max_model_len=2048, max_num_seqs=8, kv_cache_gib=1)
PROGRAM = """
import asyncio
from firstlight import settings
from firstlight.engine.models import resolve
from firstlight.engine.vllm import Vllm

async def main():
    engine = Vllm(settings.Engine(max_model_len=2048, max_num_seqs=8, kv_cache_gib=1), resolve(""))
    await engine.start()
    print("started", flush=True)
    await asyncio.sleep(600)

if __name__ == "__main__":
    asyncio.run(main())
"""

names = (f"vllm-{i}" for i in itertools.count())
others: set[int] = set()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[Vllm]:
    others.update(cores())  # of tests in other files, whose engine lives as long as the session
    engine = Vllm(CHOSEN, resolve(""))
    await engine.start()
    yield engine
    await engine.stop()
    gc.collect()  # here, where warnings count for nothing: a vLLM that did not come up leaves its sockets to this


async def request(engine: Vllm, text: str = "Tell me a long story.", **sampling: Any) -> EngineRequest:
    ids = await engine.renderer.render([Message("user", text)])
    return EngineRequest(next(names), ids, Sampling(**{"max_tokens": 200, **sampling}), "salt")


async def read(engine: Vllm, asked: EngineRequest) -> list[EngineOutput]:
    return [output async for output in await engine.generate(asked)]


def cores() -> list[int]:
    """The processes of this file's engines."""
    children = {child.pid for child in multiprocessing.active_children() if child.pid and "EngineCore" in child.name}
    return sorted(children - others)


async def test_a_caller_that_is_cancelled_while_the_prompt_is_handed_over_leaves_nothing(
    engine: Vllm, monkeypatch: pytest.MonkeyPatch
) -> None:
    core, handing = engine._llm.engine_core, asyncio.Event()
    send = core.add_request_async

    async def slowly(asked: Any) -> None:
        await send(asked)
        handing.set()
        await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(core, "add_request_async", slowly)
    caller = asyncio.create_task(engine.generate(await request(engine)))
    await handing.wait()
    assert engine.running() == 1
    caller.cancel()
    await asyncio.wait([caller])
    await asyncio.gather(*engine._aborting)
    assert (caller.cancelled(), engine.running()) == (True, 0)


async def test_vllms_own_times_keep_their_names_and_have_buckets_below_a_millisecond(engine: Vllm) -> None:
    await read(engine, await request(engine, max_tokens=3))
    for name in ("time_to_first_token", "inter_token_latency", "e2e_request_latency", "request_queue_time"):
        samples = [
            sample
            for family in REGISTRY.collect()
            if family.name == f"vllm:{name}_seconds"
            for sample in family.samples
        ]
        ends = [float(sample.labels["le"]) for sample in samples if sample.name.endswith("_bucket")]
        assert ends[0] == 0.0005, name
        assert sum(sample.value for sample in samples if sample.name.endswith("_count")) >= 1, name


async def test_a_prompt_of_a_traced_reply_is_taken(engine: Vllm) -> None:
    traced = msgspec.structs.replace(await request(engine, max_tokens=3), trace=follow(None))
    assert (await read(engine, traced))[-1].finish == "length"


async def test_the_models_own_sampling_holds_where_a_request_names_none(engine: Vllm) -> None:
    engine._defaults = {"temperature": 0.25, "top_k": 7, "max_tokens": 5}
    try:
        _, _, own = engine._taken(await request(engine))
        _, _, asked = engine._taken(await request(engine, temperature=0.5, top_p=0.9, seed=3, stop=("x",)))
    finally:
        engine._defaults = engine._llm.model_config.get_diff_sampling_param()
    assert (own.temperature, own.top_p, own.top_k, own.seed, own.max_tokens, own.stop) == (0.25, 1, 7, None, 200, [])
    assert (asked.temperature, asked.top_p, asked.top_k, asked.seed, asked.stop) == (0.5, 0.9, 7, 3, ["x"])


async def test_a_token_that_the_model_does_not_know_is_refused_and_the_engine_lives(engine: Vllm) -> None:
    asked = EngineRequest(next(names), [1, 10_000_000], Sampling(4), "salt")
    with pytest.raises(InvalidRequest, match="The engine refuses the request"):
        await engine.generate(asked)
    assert engine.running() == 0
    assert (await engine.health()).state == "ready"


async def test_vllms_own_generator_gives_the_same_text(engine: Vllm) -> None:
    outputs = await read(engine, await request(engine, max_tokens=12, temperature=0.0))
    direct = engine.direct(await request(engine, max_tokens=12, temperature=0.0))
    text = "".join([output.outputs[0].text async for output in direct])
    assert text == "".join(output.text for output in outputs)


async def test_a_killed_engine_fails_its_replies_and_a_new_start_serves_again(engine: Vllm) -> None:
    outputs = [await engine.generate(await request(engine)) for _ in range(3)]
    await anext(outputs[0])
    (core,) = cores()
    os.kill(core, signal.SIGKILL)
    for reply in outputs:
        with pytest.raises(EngineFailed, match="process died") as failed:
            await asyncio.wait_for(asyncio.create_task(_drain(reply)), 10)
        assert failed.value.dead
    health = await engine.health()
    assert (health.state, health.reason, engine.running()) == ("failed", "the engine's process died", 0)
    with pytest.raises(EngineUnavailable):
        await engine.generate(await request(engine))
    await engine.start()
    assert len(cores()) == 1
    assert (await read(engine, await request(engine, max_tokens=3)))[-1].finish == "length"


async def _drain(outputs: Any) -> None:
    async for _ in outputs:
        pass


async def test_a_killed_server_leaves_no_process_behind(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    server = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert await asyncio.to_thread(lambda: any(line == "started\n" for line in server.stdout or ()))
    children = psutil.Process(server.pid).children(recursive=True)
    assert any("Engine" in child.name() for child in children)
    server.kill()
    server.wait()
    server.stdout.close()
    _, alive = await asyncio.to_thread(psutil.wait_procs, children, 5)
    assert [child for child in alive if child.status() != psutil.STATUS_ZOMBIE] == []


async def test_a_start_that_is_cancelled_leaves_no_process_behind() -> None:
    before = set(cores())
    engine = Vllm(CHOSEN, resolve(""))
    starting = asyncio.create_task(engine.start())
    while set(cores()) == before and not starting.done():
        await asyncio.sleep(0.05)
    assert not starting.done()
    starting.cancel()
    await asyncio.wait([starting])
    await engine.stop()
    assert (starting.cancelled(), (await engine.health()).state, set(cores())) == (True, "stopped", before)


async def test_a_model_that_vllm_does_not_know_does_not_start(tmp_path: Path) -> None:
    folder = tmp_path / "strange"
    shutil.copytree(resolve("").path, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"architectures": ["StrangeForCausalLM"]}))
    engine = Vllm(CHOSEN, ModelSource("strange", str(folder)))
    with pytest.raises(StartError, match=r"^vLLM refuses the model strange: .*StrangeForCausalLM") as failed:
        await engine.start()
    assert "\n" not in str(failed.value)
    assert (await engine.health()).state == "failed"
    await engine.stop()


async def test_a_context_longer_than_the_models_does_not_start() -> None:
    engine = Vllm(settings.Engine(max_model_len=1_000_000, kv_cache_gib=1), resolve(""))
    with pytest.raises(StartError, match=r"max_model_len"):
        await engine.start()
    await engine.stop()


async def test_weights_that_are_missing_do_not_start(tmp_path: Path) -> None:
    folder = tmp_path / "hollow"
    shutil.copytree(resolve("").path, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", 2) + b"{}")
    engine = Vllm(CHOSEN, ModelSource("hollow", str(folder)))
    before = set(cores())
    with pytest.raises(StartError, match="process did not start; its log above has the cause"):
        await engine.start()
    assert set(cores()) == before
    await engine.stop()
