"""Stage 4: who asks, how often, and what exactly: bytes in, `Admitted` out."""

from firstlight.admission.admission import Admission

__all__ = ["Admission"]
