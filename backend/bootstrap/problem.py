"""What stops a set-up."""

from __future__ import annotations


class Problem(Exception):
    """One line for a person: what is wrong, and what to do."""
