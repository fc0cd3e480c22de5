"""Who gets which format, and that both can be read."""

from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_prometheus

from firstlight.metrics.exposition import OPENMETRICS, PROMETHEUS, negotiate, write

SCRAPER = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
    "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.3,text/plain;version=0.0.4;q=0.2,"
    "*/*;q=0.1"
)


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("", PROMETHEUS),
        ("*/*", PROMETHEUS),
        ("text/html,*/*;q=0.8", PROMETHEUS),
        (SCRAPER, OPENMETRICS),
        ("Application/OpenMetrics-Text", OPENMETRICS),
        ("application/openmetrics-text;q=0", PROMETHEUS),
        (";,;q=,application/openmetrics-text-2", PROMETHEUS),
    ],
)
def test_openmetrics_is_for_who_names_it(accept: str, media_type: str) -> None:
    assert negotiate(accept) == media_type


def test_two_registries_are_one_text_in_both_formats_and_exemplars_in_one() -> None:
    one, two = CollectorRegistry(), CollectorRegistry()
    Histogram("a_seconds", "A.", registry=one).observe(0.2, {"generation": "gen-1"})
    Histogram("b_seconds", "B.", registry=two).observe(0.2)
    text = write(OPENMETRICS, one, two).decode()
    assert [family.name for family in read_openmetrics(text)] == ["a_seconds", "b_seconds"]
    assert '# {generation="gen-1"} 0.2' in text
    plain = write(PROMETHEUS, one, two).decode()
    assert {"a_seconds", "b_seconds"} <= {family.name for family in read_prometheus(plain)}
    assert "gen-1" not in plain


def test_the_engines_names_keep_their_colon_in_both_formats() -> None:
    registry = CollectorRegistry()
    Counter("vllm:prompt_tokens", "Tokens.", ["source"], registry=registry).labels("a").inc()
    Counter("vllm:prompt", "Prompts.", registry=registry).inc()
    text = write(OPENMETRICS, registry).decode()
    assert 'vllm:prompt_tokens_total{source="a"} 1.0' in text.splitlines()
    assert [family.name for family in read_openmetrics(text)] == ["vllm:prompt_tokens", "vllm:prompt"]
    assert 'vllm:prompt_tokens_total{source="a"} 1.0' in write(PROMETHEUS, registry).decode().splitlines()
