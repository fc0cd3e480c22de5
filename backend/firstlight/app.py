"""The composition root: every part is made and wired here, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import structlog
from litestar import Litestar
from litestar.datastructures import State

from firstlight import budgets, logs, routing
from firstlight.admission import Admission
from firstlight.assembly import Assembly
from firstlight.connection import PatientSend
from firstlight.decode import Decode
from firstlight.engine.protocol import Engine
from firstlight.errors import StartError
from firstlight.generations import Generation, Registry
from firstlight.metrics import Metrics
from firstlight.prefill import Prefill
from firstlight.routing import Service
from firstlight.settings import Settings
from firstlight.traces import Traces
from firstlight.warmup import warm_up

logger = structlog.get_logger(__name__)

Ready = Callable[[float], None]
Failed = Callable[[StartError], None]


def create_app(settings: Settings, engine: Engine, on_ready: Ready, on_failed: Failed) -> Litestar:
    """The whole server but for its sockets. It answers while the engine loads.

    Its `state` has the Service and the Metrics. `on_ready` is told the warm-up reply's time to its first byte (ms) once
    the server is ready, `on_failed` why it never will be. Raises StartError where the settings cannot be met.
    """
    registry = Registry(settings.generations)
    traces = Traces(settings.traces)
    metrics = Metrics(registry.running, engine.running, budgets.load())
    service = Service(
        engine=engine,
        registry=registry,
        admission=Admission(settings.admission),
        prefill=Prefill(engine, settings.engine.default_max_tokens),
        decode=Decode(engine, registry, traced=bool(settings.traces.endpoint)),
        assembly=Assembly(settings.assembly, registry.running, PatientSend, settings.metrics.page_share),
        record=_recorder(metrics.ended, logs.reply_ended, traces.ended),
    )
    folder = Path(settings.routing.static_dir) if settings.routing.static_dir else routing.BUILT
    return Litestar(
        [
            routing.chat_route(service),
            *routing.generation_routes(service, metrics.reported),
            routing.guest_route(service),
            *routing.health_routes(service, metrics.answer),
            routing.page_route(routing.load(folder)),
        ],
        exception_handlers=routing.handlers(metrics.refused),
        before_request=routing.only_for(settings.routing.hosts),
        before_send=[routing.complete],
        lifespan=[_lifespan(service, engine, traces, partial(_load, service, engine, on_ready, on_failed))],
        state=State({"service": service, "metrics": metrics}, deep_copy=False),
        openapi_config=None,
        logging_config=None,
        debug=False,
    )


@asynccontextmanager
async def _lifespan(
    service: Service, engine: Engine, traces: Traces, load: Callable[[], Awaitable[None]]
) -> AsyncIterator[None]:
    loading = asyncio.ensure_future(load())
    try:
        yield
    finally:
        loading.cancel()
        await asyncio.wait([loading])
        await service.drain()
        await engine.stop()
        await traces.close()


async def _load(service: Service, engine: Engine, on_ready: Ready, on_failed: Failed) -> None:
    try:
        await engine.start()
        service.advance("warming")
        first_byte_ms = await warm_up(service)
        service.advance("ok")
        on_ready(first_byte_ms)
    except StartError as error:
        if service.state != "draining":
            on_failed(error)
    except Exception as error:
        logger.exception("start_failed")
        on_failed(StartError(f"the engine did not start ({error!r}); the log above has more"))


def _recorder(*ended: Callable[[Generation], None]) -> Callable[[Generation], None]:
    """Has each of `ended` told of a reply once it is over."""

    def tell(generation: Generation) -> None:
        for told in ended:
            told(generation)

    return lambda generation: generation.when_over(tell)
