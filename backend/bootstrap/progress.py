"""Which steps run and for how long: a live line on a terminal, elsewhere one at start, end and every 15 s."""

from __future__ import annotations

import contextlib
import shutil
import threading
import time
from collections.abc import Iterator
from typing import TextIO

LIVE_S = 0.2
PLAIN_S = 15.0


class Progress:
    """Shows steps on `out`; used from several threads."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._live = out.isatty()
        self._lock = threading.Lock()
        self._began: dict[str, float] = {}
        self._details: dict[str, str] = {}
        self._ended = threading.Event()

    def __enter__(self) -> Progress:
        threading.Thread(target=self._tick, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        with self._lock:
            self._clear()

    def say(self, line: str) -> None:
        """Print one line for good."""
        with self._lock:
            self._clear()
            self._out.write(line + "\n")
            self._out.flush()

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Show `name` as under way for as long as the context lasts."""
        began = self._began[name] = time.monotonic()
        if not self._live:
            self.say(f"  .. {name}")
        mark = "!!"
        try:
            yield
            mark = "ok"
        finally:
            with self._lock:
                self._began.pop(name)
                self._details.pop(name, None)
            self.say(f"  {mark} {name} ({time.monotonic() - began:.1f} s)")

    def detail(self, name: str, text: str) -> None:
        """What step `name` does now."""
        with self._lock:
            self._details[name] = text

    def _tick(self) -> None:
        while not self._ended.wait(LIVE_S if self._live else PLAIN_S):
            with self._lock:
                if self._began and not self._ended.is_set():
                    self._out.write(self._line())
                    self._out.flush()

    def _line(self) -> str:
        now = time.monotonic()
        parts = [f"{name} {now - began:.0f} s {self._details.get(name, '')}" for name, began in self._began.items()]
        text = "  .. " + " | ".join(part.rstrip() for part in parts)
        if not self._live:
            return text + "\n"
        return "\r\x1b[K" + text[: shutil.get_terminal_size().columns - 1]

    def _clear(self) -> None:
        if self._live:
            self._out.write("\r\x1b[K")
            self._out.flush()
