"""The scripted engine's scheduler, without clock or socket: it is told the time, and says when to be asked next.

Slots are given by priority, then arrival. Replies that name no delay of their own advance together, one output each a
step, as in continuous batching; a reply that is ready in the middle of a step joins the next one. What is planned for a
moment stays planned for it: if the core is asked late, that output is late, and none after it.
"""

from __future__ import annotations

import heapq
from itertools import count

import msgspec

from firstlight.engine.protocol import EngineOutput, EngineRequest, EngineTimes
from firstlight.engine.scripted import words
from firstlight.engine.scripted.cache import PrefixCache
from firstlight.engine.scripted.scenario import Reply, Scenario
from firstlight.engine.scripted.script import Beat, Speaker, beats


class Add(msgspec.Struct, frozen=True, tag=True):
    """Take this prompt."""

    request: EngineRequest


class Abort(msgspec.Struct, frozen=True, tag=True):
    """Drop this reply, if it is still there."""

    id: str


class Said(msgspec.Struct, frozen=True, tag=True):
    """The next output of a reply."""

    id: str
    output: EngineOutput


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The end of a reply by failure."""

    id: str
    detail: str


Command = Add | Abort
Event = Said | Failed


class _Playing:
    """A reply that has a slot. `times` is what its next output carries: only the first one does."""

    def __init__(self, add: _Waiting, reply: Reply, question: str, room: int, cached: int, scheduled: float) -> None:
        request = add.request
        self.id = request.id
        self.speaker = Speaker(request.sampling, room, reply.finish, cached)
        self.beats = beats(reply, question)
        self.beat = next(self.beats, Beat())
        self.times: EngineTimes | None = EngineTimes(queued=add.queued, scheduled=scheduled)
        self.alive = True


class _Waiting(msgspec.Struct, order=True):
    """A prompt in the queue."""

    priority: int
    arrival: int
    queued: float
    request: EngineRequest


class Core:
    """All replies under way. Times are seconds of `stages.now()`, and never go back from call to call.

    Once `dead` is true the script has ended the engine: nothing comes any more.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.dead = False
        self._scenario = scenario
        self._cache = PrefixCache(scenario.cache_blocks)
        self._count = count()
        self._waiting: list[_Waiting] = []
        self._playing: dict[str, _Playing] = {}
        self._planned: list[tuple[float, int, list[_Playing]]] = []
        self._step: list[_Playing] | None = None
        self._joining: list[_Playing] = []
        self._still_until = 0.0
        self._events: list[Event] = []

    def due(self) -> float | None:
        """When `advance` has something to do next."""
        return self._planned[0][0] if self._planned else None

    def take(self, command: Command, now: float) -> list[Event]:
        """Carry out `command`; the events are all that is due up to `now`, as from `advance`."""
        self._catch_up(now)
        match command:
            case Add(request):
                heapq.heappush(self._waiting, _Waiting(request.priority, next(self._count), now, request))
            case Abort(reply):
                self._drop(reply)
        self._seat(now)
        return self.advance(now)

    def advance(self, now: float) -> list[Event]:
        """Everything that is due up to `now`, in order."""
        self._catch_up(now)
        events, self._events = self._events, []
        return events

    def _catch_up(self, now: float) -> None:
        while self._planned and self._planned[0][0] <= now:
            at, _, batch = heapq.heappop(self._planned)
            if batch is self._step:
                self._step = None
            for playing in batch:
                if playing.alive:
                    self._speak(playing, at)
            if self._step is None:
                self._begin_step(at)
            self._seat(at)

    def _seat(self, at: float) -> None:
        """Give free slots to the prompts that wait."""
        while self._waiting and len(self._playing) < self._scenario.slots:
            waiting = heapq.heappop(self._waiting)
            ids = waiting.request.token_ids
            question = words.question(ids)
            reply = next((reply for reply in self._scenario.replies if reply.fits(question)), None)
            if reply is None:
                self._events.append(Failed(waiting.request.id, "the scenario has no reply for this message"))
                continue
            scheduled = max(at, self._still_until)
            cached = self._cache.match(waiting.request.cache_salt, ids)
            room = self._scenario.max_model_len - len(ids)
            playing = _Playing(waiting, reply, question, room, cached, scheduled)
            self._playing[playing.id] = playing
            prefill_ms = self._scenario.first_ms + self._scenario.prefill_ms_per_token * (len(ids) - cached)
            self._stand_still(playing.beat.stall_ms, at)
            self._plan([playing], at, prefill_ms + (playing.beat.delay_ms or 0.0))

    def _speak(self, playing: _Playing, at: float) -> None:
        beat, upcoming = playing.beat, next(playing.beats, None)
        if beat.die:
            self._die()
        elif beat.fail:
            self._events.append(Failed(playing.id, beat.fail))
            self._drop(playing.id)
        elif upcoming is None:
            self._say(playing, beat, at, last=True)
        else:
            if beat.tokens:
                self._say(playing, beat, at, last=False)
            if playing.alive:
                self._go_on(playing, upcoming, at)

    def _say(self, playing: _Playing, beat: Beat, at: float, *, last: bool) -> None:
        times, playing.times = playing.times, None
        if times is not None:
            times = msgspec.structs.replace(times, first_token=at)
        output = playing.speaker.say(beat.tokens, last=last, times=times)
        self._events.append(Said(playing.id, output))
        if output.finish is not None:
            self._drop(playing.id)

    def _go_on(self, playing: _Playing, beat: Beat, at: float) -> None:
        playing.beat = beat
        self._stand_still(beat.stall_ms, at)
        if beat.delay_ms is None:
            self._joining.append(playing)
        else:
            self._plan([playing], at, beat.delay_ms)

    def _begin_step(self, at: float) -> None:
        batch = [playing for playing in self._joining if playing.alive]
        self._joining = []
        if batch:
            self._step = batch
            self._plan(batch, at, self._scenario.step_ms + self._scenario.step_ms_per_seq * len(batch))

    def _plan(self, batch: list[_Playing], at: float, delay_ms: float) -> None:
        heapq.heappush(self._planned, (max(at, self._still_until) + delay_ms / 1000, next(self._count), batch))

    def _stand_still(self, stall_ms: float, at: float) -> None:
        if stall_ms:
            stall = stall_ms / 1000
            self._still_until = max(at, self._still_until) + stall
            self._planned = [(due + stall, order, batch) for due, order, batch in self._planned]

    def _die(self) -> None:
        self.dead = True
        for reply in list(self._playing):
            self._drop(reply)
        self._waiting.clear()
        self._planned.clear()

    def _drop(self, reply: str) -> None:
        playing = self._playing.pop(reply, None)
        if playing is not None:
            playing.alive = False
            return
        self._waiting = [waiting for waiting in self._waiting if waiting.request.id != reply]
        heapq.heapify(self._waiting)
