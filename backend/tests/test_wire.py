"""The contract: its schema is in step, its examples are what they say, its words are all explained."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from firstlight import errors, wire, wire_schema
from firstlight.stages import Timeline
from firstlight.wire import EVENT_NAMES, Delta, Done, Error, Marks, Start, StreamEvent

SHARED = Path(__file__).parents[2] / "shared"
TRANSCRIPTS = sorted((SHARED / "examples/transcripts").glob("*.sse"))
TYPES = {name: kind for kind, name in EVENT_NAMES.items()}


def test_the_schema_is_in_step_with_the_types() -> None:
    command = [sys.executable, "-m", "firstlight.wire_schema"]
    made = subprocess.run(command, check=True, capture_output=True).stdout
    assert made == wire_schema.schema() == (SHARED / "wire.schema.json").read_bytes()


def test_every_event_has_a_name_and_every_document_a_schema() -> None:
    assert set(EVENT_NAMES) == set(get_args(StreamEvent))
    structs = {name for name, kind in vars(wire).items() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)}
    assert structs | {"StreamEvents"} == set(json.loads(wire_schema.schema())["$defs"])


def test_every_error_type_is_explained_to_those_who_write_a_client() -> None:
    page = (SHARED / "README.md").read_text("utf-8")
    assert [kind for kind in get_args(wire.ErrorType) if f"`{kind}`" not in page] == []
    assert [reason for reason in get_args(wire.FinishReason) if f"`{reason}`" not in page] == []


def test_every_refusal_has_a_type_of_the_contract_and_a_status_that_the_page_gives_it() -> None:
    page = (SHARED / "README.md").read_text("utf-8")
    rows = [row for row in page.splitlines() if re.match(r"\| [45]\d\d", row)]
    refusals: set[type[errors.Refused]] = {errors.Refused, *_below(errors.Refused)}
    assert {kind.type for kind in refusals} == set(get_args(wire.ErrorType)) - {"quota_exceeded"}
    for kind in refusals:
        assert [row for row in rows if str(kind.status) in row and f"`{kind.type}`" in row], kind


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_transcript_holds_the_events_that_it_says(path: Path) -> None:
    said = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert [event for event in events(path.read_bytes()) if event["event"] in TYPES] == said


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_transcript_keeps_the_rules_of_a_stream(path: Path) -> None:
    said = json.loads(path.with_suffix(".json").read_text("utf-8"))
    start, *rest = (msgspec.convert(event["data"], TYPES[event["event"]]) for event in said)
    deltas = [event for event in rest if isinstance(event, Delta)]
    end = rest[-1]
    assert isinstance(start, Start)
    assert rest[: len(deltas)] == deltas
    assert len(rest) - len(deltas) == (0 if path.stem.startswith("broken-off") else 1)
    assert [delta.seq for delta in deltas[1:]] == [a.seq + b.tokens for a, b in pairwise(deltas)]
    if isinstance(end, Done | Error) and deltas:
        assert end.seq >= deltas[-1].seq
    if isinstance(end, Done) and not path.stem.startswith("replay"):
        assert end.sha256 == hashlib.sha256("".join(delta.text for delta in deltas).encode()).hexdigest()


def test_every_transcript_has_its_events_and_the_other_way_round() -> None:
    assert {path.stem for path in TRANSCRIPTS} == {path.stem for path in TRANSCRIPTS[0].parent.glob("*.json")}


def test_a_mark_holds_its_first_time_in_milliseconds_after_the_request_was_accepted() -> None:
    timeline = Timeline(10.0)
    timeline.mark("headers", 10.0015)
    timeline.mark("headers", 99.0)
    assert timeline.marks == Marks(accepted=0.0, headers=1.5)
    timeline.mark("body")
    assert timeline.marks.body is not None


def events(stream: bytes) -> list[dict[str, object]]:
    """What any reader of event streams makes of the bytes: blocks end at a blank line, data lines are joined."""
    lines = re.split("\r\n|\r|\n", stream.decode("utf-8-sig"))
    found: list[dict[str, object]] = []
    name = ""
    data: list[str] = []
    for line in lines[:-1]:
        field, _, value = line.partition(":")
        if not line:
            if data and name in TYPES:
                found.append({"event": name, "data": json.loads("\n".join(data))})
            name, data = "", []
        elif field == "event":
            name = value.removeprefix(" ")
        elif field == "data":
            data.append(value.removeprefix(" "))
    return found


def _below(kind: type[errors.Refused]) -> list[type[errors.Refused]]:
    return [found for child in kind.__subclasses__() for found in (child, *_below(child))]
