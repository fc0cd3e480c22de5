"""How the figures are written: OpenMetrics with exemplars for who asks for it, else Prometheus text."""

from __future__ import annotations

from functools import partial

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest
from prometheus_client.openmetrics.exposition import ALLOWUTF8
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"

_END = b"# EOF\n"


def negotiate(accept: str) -> str:
    """The media type for an `Accept` header: OPENMETRICS where it is named and not refused, else PROMETHEUS."""
    for element in accept.lower().split(","):
        kind, *parameters = (part.strip() for part in element.split(";"))
        if kind == "application/openmetrics-text" and "q=0" not in parameters:
            return OPENMETRICS
    return PROMETHEUS


def write(media_type: str, *registries: CollectorRegistry) -> bytes:
    """All figures of `registries`, one after another, as `media_type`."""
    if media_type == PROMETHEUS:
        return b"".join(generate_latest(registry) for registry in registries)
    # The writer's default puts an underscore for the colon of `vllm:` in samples; told that all of UTF-8 may stand, it
    # leaves names alone, and none has anything that would then be quoted.
    write_one = partial(generate_openmetrics, escaping=ALLOWUTF8)
    texts: list[bytes] = [write_one(registry) for registry in registries]
    return b"".join(text.removesuffix(_END) for text in texts) + _END
