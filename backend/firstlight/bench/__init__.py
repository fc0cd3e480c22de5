"""The measuring commands."""
