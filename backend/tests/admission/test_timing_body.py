"""A page's timing: taken where it holds together, else refused with the field, as the contract's examples say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight import settings
from firstlight.admission import Admission
from firstlight.admission.timing import check_timing
from firstlight.errors import InvalidRequest
from firstlight.wire import Marks, PageTiming, Rows

EXAMPLES = sorted((Path(__file__).parents[3] / "shared/examples/timings").glob("*.json"))
ADMISSION = Admission(settings.Admission())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_answered_as_they_say(path: Path) -> None:
    example: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    body, expect = msgspec.json.encode(example["body"]), example["expect"]
    marks = Marks(accepted=0, first_byte=example["first_byte"])
    if expect["status"] == 204:
        assert ADMISSION.timing(body, marks) == msgspec.convert(example["body"], PageTiming)
        return
    with pytest.raises(InvalidRequest) as refused:
        ADMISSION.timing(body, marks)
    problem = refused.value.problem()
    assert (problem.status, problem.type, problem.field) == (expect["status"], expect["type"], expect["field"])
    assert problem.limit == expect.get("limit")


@given(st.lists(st.floats(0, 1_000), min_size=8, max_size=8), st.floats(-0.9, 0.9))
def test_rows_that_add_up_are_taken_whatever_they_are(rows: list[float], rounding: float) -> None:
    whole = max(0.0, sum(rows) + rounding)
    check_timing(PageTiming(Rows(*rows), whole), Marks(first_byte=whole / 2))


def test_a_reply_without_a_word_cannot_have_been_painted() -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_timing(PageTiming(Rows(), 100), Marks(accepted=0))
    assert refused.value.field == "/ttft"
