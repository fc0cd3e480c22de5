"""Which engine the settings ask for."""

from __future__ import annotations

import msgspec

from firstlight.engine.protocol import Engine
from firstlight.settings import Settings


def build(settings: Settings) -> Engine:
    """The engine of `settings`, not started. Raises StartError where the model or the scenario cannot be had."""
    return _scripted(settings) if settings.engine.kind == "scripted" else _vllm(settings)


def _scripted(settings: Settings) -> Engine:
    from firstlight.engine.scripted.demo import DEMO
    from firstlight.engine.scripted.engine import Scripted
    from firstlight.engine.scripted.scenario import load

    engine = settings.engine
    if engine.scenario:
        return Scripted(load(engine.scenario))
    max_model_len = engine.max_model_len or DEMO.max_model_len
    return Scripted(msgspec.structs.replace(DEMO, slots=engine.max_num_seqs, max_model_len=max_model_len))


def _vllm(settings: Settings) -> Engine:
    # Imported late: it takes seconds, and the scripted engine must not need it.
    from firstlight.engine.models import resolve
    from firstlight.engine.vllm import Vllm

    return Vllm(settings.engine, resolve(settings.engine.model), settings.traces.endpoint)
