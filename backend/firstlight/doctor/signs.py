"""What in the evidence points to a cause, allows it, or speaks against it: one function each.

They give a Finding, or None where the data speaks against the cause.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from firstlight.doctor.evidence import Evidence

NOTICEABLE = 0.2
"""The share of a row from which a part of it is worth naming."""
FRAME_MS = 17.0
LEAN_HEADER_BYTES = 1_536


class Finding(Struct, frozen=True):
    """What points to a cause. `ms`: how much of the row it explains; None: the data only allows it."""

    evidence: str
    ms: float | None = None


def part(*names: str, least_ms: float = 0.0) -> Callable[[Evidence], Finding | None]:
    """Supported where the largest of the named parts is a noticeable share of the row; not told: possible."""

    def look(evidence: Evidence) -> Finding | None:
        known = {name: evidence.parts[name] for name in names if name in evidence.parts}
        if not known:
            where = "the page's report has it" if not evidence.page_told else "the marks are missing"
            return Finding(f"{names[0]} is not told here; {where}")
        name = max(known, key=lambda key: known[key])
        if known[name] < max(least_ms, NOTICEABLE * evidence.row_ms):
            return None
        return Finding(f"{name} takes {known[name]:.1f} ms of {evidence.row_ms:.1f}", known[name])

    return look


def _computes(evidence: Evidence) -> bool:
    """Whether the engine's computation may be what takes long."""
    took = evidence.part("first_token - scheduled")
    return took is None or took >= NOTICEABLE * evidence.row_ms


def cold(evidence: Evidence) -> Finding | None:
    """The first reply alone is slow, or nobody knows."""
    if evidence.stage == "prefill" and not _computes(evidence):
        return None
    if evidence.first_only:
        return Finding(f"the first reply alone is over, the other {evidence.replies - 1} are not", evidence.row_ms)
    if evidence.first_only is None:
        return Finding("ask a second time: if that is quick, the first was cold")
    return None


def compute(words: str) -> Callable[[Evidence], Finding | None]:
    """Possible where the computation takes long in more than the first reply; `words` say what is missing."""

    def look(evidence: Evidence) -> Finding | None:
        took = evidence.part("first_token - scheduled")
        if not _computes(evidence) or evidence.first_only:
            return None
        measured = f"the computation takes {took:.1f} ms of {evidence.row_ms:.1f}; " if took is not None else ""
        return Finding(measured + words)

    return look


def long_prompt(evidence: Evidence) -> Finding | None:
    """Many tokens had to be computed."""
    tokens, took = evidence.uncached_tokens, evidence.part("first_token - scheduled")
    if tokens is None or tokens < 512 or not _computes(evidence):
        return None
    return Finding(f"{tokens:.0f} tokens of the prompt were not in the prefix cache", took or 0.0)


def cache_miss(evidence: Evidence) -> Finding | None:
    """What the engine had seen before was computed again."""
    share, took = evidence.cached_again, evidence.part("first_token - scheduled")
    if not _computes(evidence):
        return None
    if share is None:
        return Finding("no follow-up tells its cached_tokens here; ask again in the same conversation")
    if share >= 0.5:
        return None
    whose = "follow-ups" if evidence.page_told else "all prompts"
    return Finding(f"{whose} found {share:.0%} of what the engine had seen before", took or 0.0)


def cores(evidence: Evidence) -> Finding | None:
    """A hand-over between processes takes long, or the host is short of something."""
    hand_over = evidence.part("queued - tokenised") if evidence.stage == "prefill" else None
    bad = [check.says for name, check in evidence.host.items() if name in _HOST and check.ok is False]
    if hand_over is not None and hand_over >= NOTICEABLE * evidence.row_ms:
        return Finding(f"queued - tokenised, a hand-over between processes, takes {hand_over:.1f} ms", hand_over)
    if bad and evidence.is_host:
        return Finding("; ".join(bad), 0.0)
    if evidence.is_host:
        return None
    return Finding(f"this machine: {'; '.join(bad)}" if bad else "run `firstlight doctor` on the server's own host")


_HOST = ("cores", "load", "steal", "governor")


def thp(evidence: Evidence) -> Finding | None:
    """Huge pages are off, or have to be made while a page fault waits."""
    check = evidence.host.get("thp")
    if check is not None and check.ok is False:
        return Finding(
            check.says if evidence.is_host else f"this machine: {check.says}", 0.0 if evidence.is_host else None
        )
    return None if evidence.is_host else Finding("run `firstlight doctor` on the server's own host")


def silent_tokens(evidence: Evidence) -> Finding | None:
    """Several tokens came before there was text."""
    if evidence.first_tokens is None:
        return Finding("tokens before the first text are not told here; the page's report has them")
    if evidence.first_tokens < 2:
        return None
    return Finding(f"the first text came with {evidence.first_tokens} tokens", evidence.row_ms)


def not_reused(evidence: Evidence) -> Finding | None:
    """The connection had to be set up."""
    if evidence.reused is None:
        return Finding("wire.reused is not told here; the page's report has it once a stream has ended")
    return (
        None
        if evidence.reused
        else Finding(
            "wire.reused is false" if evidence.page_told else "pages report new connections (firstlight_page_reports)",
            evidence.row_ms,
        )
    )


def headers(evidence: Evidence) -> Finding | None:
    """They do not fit the first packet."""
    size = evidence.header_bytes
    if size is None:
        return Finding("the headers' size is not told here")
    if size <= LEAN_HEADER_BYTES:
        return None
    return Finding(f"the request's headers take {size:.0f} bytes, more than {LEAN_HEADER_BYTES}", 0.0)


def network(evidence: Evidence) -> Finding | None:
    """What is left of the connection once it stood already."""
    if evidence.first_only:
        return None
    if evidence.page_told and evidence.reused:
        return Finding("the connection was there already, so this is the way itself", NOTICEABLE * evidence.row_ms)
    return Finding("the way to the server and back is not told apart here")


def proxy(evidence: Evidence) -> Finding | None:
    """Events arrive together."""
    if evidence.in_a_lump is None:
        return Finding("too few events to see whether they come one by one; ask for a longer reply")
    if not evidence.in_a_lump:
        return None
    return Finding("the events arrive together, though they were sent one after another", evidence.row_ms)


def clock(evidence: Evidence) -> Finding | None:
    """The page said so."""
    return Finding("the page says that a clock jumped", 0.0) if "clock jumped" in evidence.said else None


def slow_reader(evidence: Evidence) -> Finding | None:
    """The socket took nothing, or the chunks are read ever later."""
    if evidence.stage == "assembly":
        return part("first_byte - first_text", least_ms=5.0)(evidence)
    behind = evidence.falls_behind_ms
    if behind is None:
        return Finding("the chunks' times are not told here; the page's report has them")
    if behind < max(50.0, NOTICEABLE * evidence.row_ms) or evidence.in_a_lump:
        return None
    return Finding(f"the last chunk was read {behind:.1f} ms later, beside its sending, than the quickest", behind)


def main_thread(evidence: Evidence) -> Finding | None:
    """The page itself took long between two of its marks."""
    parts = {
        "capture": ("sent - keydown",),
        "assembly": ("parsed - read", "committed - parsed", "painted - committed", "painted - read"),
    }
    found = part(*parts[evidence.stage], least_ms=FRAME_MS / 2)(evidence)
    frames = evidence.dropped_frames
    if found is None or found.ms is None or not frames:
        return found
    return Finding(f"{found.evidence}; {frames} frames were dropped", found.ms)


def token_refresh(evidence: Evidence) -> Finding | None:
    """The page said so, tokens were refused, or it had rested before."""
    if "signed in again" in evidence.said:
        return Finding("the page signed in again before it sent the message", evidence.row_ms)
    if evidence.refused_tokens:
        return Finding(f"{evidence.refused_tokens} requests were refused for their token", 0.0)
    if evidence.after_pause is False:
        return None
    return Finding(
        "each slow reply is the first, or follows a pause of minutes" if evidence.page_told else "not told here"
    )


def hidden(evidence: Evidence) -> Finding | None:
    """The page said so, or painted very late."""
    if "hidden before" in evidence.said:
        return Finding("the page was hidden before it painted the first word", 0.0)
    waited = evidence.part("painted - committed") or 0.0
    return (
        Finding(f"painted - committed is {waited:.0f} ms: a hidden page paints when it is seen")
        if waited > 100
        else None
    )
