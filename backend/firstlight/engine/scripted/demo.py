"""The scenario that is played where none is named: it answers anything, and says what it is."""

from __future__ import annotations

from firstlight.engine.scripted.scenario import Reply, Scenario, Step

DEMO = Scenario(
    model="scripted-demo",
    first_ms=40.0,
    prefill_ms_per_token=0.02,
    step_ms=20.0,
    step_ms_per_seq=0.05,
    replies=(
        Reply(
            script=(
                Step(text="You wrote: “"),
                Step(echo=80),
                Step(
                    text="”.\n\nThis answer comes from a script, not from a language model: the scripted engine says "
                    "the same to everybody, word by word. It is here so that you can try the page at once. All around "
                    "it is real: the queue, the stream, the stop button, and the timing that the overlay shows.\n\n"
                    "To talk to a real model, stop the server and start it again with `make run`."
                ),
            )
        ),
    ),
)
