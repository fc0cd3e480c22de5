"""A reply's script as beats, and its text as an engine lets it out: stop strings, token limit, finish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from firstlight.engine.protocol import EngineFinish, EngineOutput, EngineTimes, Sampling
from firstlight.engine.scripted import words
from firstlight.engine.scripted.scenario import Reply, Step


class Beat(NamedTuple):
    """What comes at one moment: some tokens, a failure, or nothing. `delay_ms` None: at the engine's own pace."""

    tokens: tuple[str, ...] = ()
    delay_ms: float | None = None
    stall_ms: float = 0.0
    fail: str = ""
    die: bool = False


def beats(reply: Reply, question: str) -> Iterator[Beat]:
    """The beats of `reply` to `question`, one after another."""
    for step in reply.script:
        if step.stall_ms:
            yield Beat(delay_ms=0.0, stall_ms=step.stall_ms)
        said = (*words.split(step.text), *step.pieces, *words.split(question[: step.echo]))
        yield from _spoken(step, said)
        if step.fail or step.die:
            yield Beat(delay_ms=0.0 if said else step.delay_ms, fail=step.fail, die=step.die)


def _spoken(step: Step, said: tuple[str, ...]) -> Iterator[Beat]:
    for _ in range(step.repeat):
        for start in range(0, len(said), step.burst):
            yield Beat(said[start : start + step.burst], step.delay_ms)


class Tail:
    """Text held back, as vLLM does it: one character less than the longest stop string, since that may begin in it."""

    def __init__(self, stops: tuple[str, ...]) -> None:
        self._stops = stops
        self._keep = max(map(len, stops), default=1) - 1
        self._held = ""

    def add(self, text: str) -> tuple[str, bool]:
        """What may go out now, and whether a stop string comes next, which ends the reply."""
        self._held += text
        found = [at for stop in self._stops if (at := self._held.find(stop)) >= 0]
        cut = min(found) if found else max(0, len(self._held) - self._keep)
        out, self._held = self._held[:cut], self._held[cut:]
        return out, bool(found)

    def rest(self) -> str:
        """What is still held when the reply ends otherwise."""
        return self._held


class Speaker:
    """Turns beats into outputs within the limits of a request."""

    def __init__(self, sampling: Sampling, room: int, finish: EngineFinish, cached: int) -> None:
        """`room`: tokens that the context has left; `finish`: how the script ends; `cached`: prompt tokens found."""
        self._left = min(sampling.max_tokens, room)
        self._tail = Tail(sampling.stop)
        self._finish = finish
        self._cached = cached

    def say(self, tokens: tuple[str, ...], *, last: bool, times: EngineTimes | None) -> EngineOutput:
        """One output. It has a `finish` where a stop string, the limit or the script's end (`last`) ends the reply."""
        text, said = "", 0
        for token in tokens[: self._left]:
            out, stopped = self._tail.add(token)
            text, said, self._left = text + out, said + 1, self._left - 1
            if stopped:
                return EngineOutput(text, said, "stop", self._cached, times)
        finish: EngineFinish | None = None
        if last and said == len(tokens):
            finish = self._finish
        elif self._left == 0:
            finish = "length"
        return EngineOutput(text + self._tail.rest() if finish else text, said, finish, self._cached, times)
