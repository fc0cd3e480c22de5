"""The wire contract as JSON Schema: `python -m firstlight.wire_schema > shared/wire.schema.json`.

From that file the page's TypeScript types are made. The root is any one document; `StreamEvents` maps the name on an
event's `event:` line to the type of its `data:` line.
"""

from __future__ import annotations

import sys

import msgspec

from firstlight import wire

DOCUMENTS = (wire.ChatRequest, wire.PageTiming, wire.Problem, wire.Token, wire.Stopped, wire.Ready)
"""Documents that cross alone, beside the events of a stream."""


def schema() -> bytes:
    """JSON Schema (2020-12) of every document of the contract, indented, with a newline at its end."""
    events = tuple(wire.EVENT_NAMES)
    refs, defs = msgspec.json.schema_components((*DOCUMENTS, *events), ref_template="#/$defs/{name}")
    names = list(wire.EVENT_NAMES.values())
    defs["StreamEvents"] = {
        "title": "StreamEvents",
        "description": "The type of an event's `data:` line by the name on its `event:` line.",
        "type": "object",
        "properties": dict(zip(names, refs[len(DOCUMENTS) :], strict=True)),
        "required": names,
        "additionalProperties": False,
    }
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Wire",
        "description": "Any document that crosses between page and server, version 1. Generated: edit wire.py.",
        "anyOf": [*refs[: len(DOCUMENTS)], {"$ref": "#/$defs/StreamEvents"}],
        "$defs": defs,
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


if __name__ == "__main__":
    sys.stdout.buffer.write(schema())
