"""The server's own figures, all named `firstlight_*`. Labels take their values from lists of ours alone."""

from firstlight.metrics.metrics import Metrics

__all__ = ["Metrics"]
