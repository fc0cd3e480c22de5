"""Stage 2: a socket becomes an arrival with its headers and body, within limits and deadlines."""
