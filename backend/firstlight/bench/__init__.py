"""The measuring commands: `firstlight bench NAME [--quick] [--json]`.

A bench is a module of this folder with `measure(quick: bool) -> figures.Report`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from firstlight.bench.figures import as_json, as_markdown

BENCHES = ("marks", "overhead", "servers", "tables", "zstd")


def main(arguments: Sequence[str]) -> int:
    """Run the bench named first in `arguments` and print what it found; 0 only when it measured.

    Raises StartError where the bench lacks something, with one line that says what.
    """
    parser = argparse.ArgumentParser(prog="firstlight bench", description="Measure one part and print the figures.")
    parser.add_argument("name", choices=BENCHES)
    parser.add_argument("--quick", action="store_true", help="fewer samples: seconds instead of minutes")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a Markdown table")
    chosen = parser.parse_args(arguments)
    report = import_module(f"firstlight.bench.{chosen.name}").measure(chosen.quick)
    sys.stdout.write((as_json if chosen.json else as_markdown)(report) + "\n")
    return 0
