"""OpenTelemetry, for who asks for it: one span a reply with one for each stage it passed, made once it has ended.

The spans wait in a bounded queue for a thread that sends them: a collector that is slow or gone costs spans, and no
reply anything. OpenTelemetry is imported where it is asked for.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from typing import Any

from firstlight import __version__, settings
from firstlight.errors import StartError
from firstlight.generations import Generation
from firstlight.stages import now, segments
from firstlight.tracecontext import TraceContext
from firstlight.wire import Done

_QUEUE = 4_096
_BATCH = 512
"""Spans that wait at most, and that are sent at once."""

_SEND_S = 5.0
_LAST_S = 2.0
"""How long one sending may take, and all that is left at the end."""


class Traces:
    """Sends spans to the settings' endpoint; without one it does nothing."""

    def __init__(self, wanted: settings.Traces) -> None:
        """Raises StartError where the packages are missing."""
        self._provider: Any = None
        if wanted.endpoint:
            self._open(wanted.endpoint)

    def ended(self, generation: Generation) -> None:
        """Queue the spans of a reply that has its end."""
        own = generation.trace
        if self._provider is None or own is None:
            return
        marks, end = generation.timeline.marks, generation.log.end
        # The wall clock at `accepted`: spans of other machines are placed beside ours by it.
        accepted = time.time_ns() - int((now() - generation.timeline.accepted) * 1e9)
        self._ids.own = own
        root = self._tracer.start_span(
            "reply",
            self._parent(own),
            kind=self._api.SpanKind.SERVER,
            start_time=accepted,
            attributes={
                "firstlight.generation": generation.id,
                "firstlight.finish": end.finish_reason if isinstance(end, Done) else end.type if end else "",
                "gen_ai.request.model": generation.model,
                "gen_ai.usage.input_tokens": generation.prompt_tokens,
                "gen_ai.usage.output_tokens": generation.log.seq,
            },
        )
        inside = self._api.set_span_in_context(root)
        for stage, begin, finish in segments(marks):
            span = self._tracer.start_span(stage.value, inside, start_time=accepted + int(begin * 1e6))
            span.end(accepted + int(finish * 1e6))
        root.end(accepted + int((marks.finished or 0.0) * 1e6))

    async def close(self) -> None:
        """Send what waits, for two seconds at most."""
        if self._provider is not None:
            closing = threading.Thread(target=self._provider.shutdown, name="traces", daemon=True)
            closing.start()
            await asyncio.to_thread(closing.join, _LAST_S)

    def _open(self, endpoint: str) -> None:
        try:
            from opentelemetry import trace
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError as error:
            raise StartError(
                f"traces.endpoint is set, but OpenTelemetry is missing ({error}): pip install 'firstlight[traces]'"
            ) from error
        self._api = trace
        self._ids = _Ids()
        resource = Resource.create({"service.name": "firstlight", "service.version": __version__})
        self._provider = TracerProvider(resource=resource, id_generator=self._ids, shutdown_on_exit=False)
        exporter = OTLPSpanExporter(endpoint, timeout=_SEND_S)
        self._provider.add_span_processor(
            BatchSpanProcessor(exporter, max_queue_size=_QUEUE, max_export_batch_size=_BATCH)
        )
        self._tracer = self._provider.get_tracer("firstlight", __version__)

    def _parent(self, own: TraceContext) -> Any:
        """The context of the caller's span; an empty one where the trace begins here."""
        if own.parent_id is None:
            return {}
        flags = self._api.TraceFlags(int(own.sampled))
        caller = self._api.SpanContext(int(own.trace_id, 16), int(own.parent_id, 16), is_remote=True, trace_flags=flags)
        return self._api.set_span_in_context(self._api.NonRecordingSpan(caller), {})


class _Ids:
    """Ids of spans: of a reply's own span those that the engine has been told already, of all others random ones."""

    def __init__(self) -> None:
        self.own: TraceContext | None = None
        """Whose span is made next."""

    def generate_trace_id(self) -> int:
        """Asked only for the first span of a trace, before its own id."""
        return int(self.own.trace_id, 16) if self.own else secrets.randbits(128)

    def generate_span_id(self) -> int:
        own, self.own = self.own, None
        return int(own.span_id, 16) if own else secrets.randbits(64) or 1

    def is_trace_id_random(self) -> bool:
        return True
