"""Stage 4: who asks, how often, and what exactly: bytes in, `Admitted` out."""
