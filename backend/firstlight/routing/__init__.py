"""Stage 3: the handlers, and every answer that is no stream."""
