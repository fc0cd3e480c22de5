"""Stage 6: a prompt is handed to the engine and its reply runs: `Generation` out."""
