"""The composition root: every part is made and wired here, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import structlog
from litestar import Litestar
from litestar.datastructures import State

from firstlight import logs, routing
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
from firstlight.warmup import warm_up

logger = structlog.get_logger(__name__)

Ready = Callable[[float], None]
Failed = Callable[[StartError], None]


def create_app(settings: Settings, engine: Engine, on_ready: Ready, on_failed: Failed) -> Litestar:
    """The whole server but for its sockets; its `state.service` is the Service. It answers while the engine loads.

    `on_ready` is told the warm-up reply's time to its first byte (ms) once the server is ready, `on_failed` why it
    never will be.
    """
    registry = Registry(settings.generations)
    metrics = Metrics(registry.running, engine.running)
    service = Service(
        engine=engine,
        registry=registry,
        admission=Admission(settings.admission),
        prefill=Prefill(engine, settings.engine.default_max_tokens),
        decode=Decode(engine, registry),
        assembly=Assembly(settings.assembly, registry.running, PatientSend, settings.metrics.page_share),
        record=_recorder(metrics),
    )

    async def load() -> None:
        try:
            on_ready(await _start(service, engine))
        except StartError as error:
            if service.state != "draining":
                on_failed(error)
        except Exception as error:
            logger.exception("start_failed")
            on_failed(StartError(f"the engine did not start ({error!r}); the log above has more"))

    folder = Path(settings.routing.static_dir) if settings.routing.static_dir else routing.BUILT
    return Litestar(
        [
            routing.chat_route(service),
            *routing.generation_routes(service),
            routing.guest_route(service),
            *routing.health_routes(service, metrics.text),
            routing.page_route(routing.load(folder)),
        ],
        exception_handlers=routing.handlers(metrics.refused),
        before_request=routing.only_for(settings.routing.hosts),
        before_send=[routing.secure],
        lifespan=[_lifespan(service, engine, load)],
        state=State({"service": service}, deep_copy=False),
        openapi_config=None,
        logging_config=None,
        debug=False,
    )


@asynccontextmanager
async def _lifespan(service: Service, engine: Engine, load: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    loading = asyncio.ensure_future(load())
    try:
        yield
    finally:
        loading.cancel()
        await asyncio.wait([loading])
        await service.drain()
        await engine.stop()


async def _start(service: Service, engine: Engine) -> float:
    await engine.start()
    service.advance("warming")
    first_byte_ms = await warm_up(service)
    service.advance("ok")
    return first_byte_ms


def _recorder(metrics: Metrics) -> Callable[[Generation], None]:
    def record(generation: Generation) -> None:
        generation.task.add_done_callback(lambda _: ended(generation))

    def ended(generation: Generation) -> None:
        metrics.ended(generation)
        logs.reply_ended(generation)

    return record
