"""Imported by the fork server alone (see `forkserver.py`): what it forks dies with it."""

from __future__ import annotations

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1


def _follow() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


os.register_at_fork(after_in_child=_follow)
