"""The command `firstlight`. What a command needs is imported by that command, so that each starts as soon as it can."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from firstlight import __version__
from firstlight.errors import StartError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in `arguments` (default: the process's own); returns the exit code.

    0: done; 1: the doctor found something over its budget; 2: it cannot be done, one line on standard error says why
    and what to do; 130: interrupted first.
    """
    parser = argparse.ArgumentParser(prog="firstlight", description="A chat that shows where every millisecond went.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("serve", help="serve the page and the model until told to stop")
    settings = commands.add_parser("settings", help="print the settings in force, and where each was set")
    settings.add_argument("--markdown", action="store_true", help="all there are, as the page docs/settings.md")
    doctor = commands.add_parser("doctor", help="say which stage exceeds its budget, and what usually causes it")
    doctor.add_argument("source", nargs="?", help="a report that the page exported, - for standard input, or a URL")
    doctor.add_argument("--json", action="store_true", help="one JSON object instead of words")
    doctor.add_argument("--budgets", metavar="FILE", help="other budgets than shared/budgets.json")
    bench = commands.add_parser("bench", add_help=False, help="measure one part; `firstlight bench --help` has more")
    bench.add_argument("rest", nargs=argparse.REMAINDER)
    chosen, unknown = parser.parse_known_args(arguments)
    if unknown and chosen.command != "bench":
        parser.error(f"unknown: {' '.join(unknown)}")
    try:
        return _run(chosen, unknown)
    except StartError as error:
        sys.stderr.write(f"firstlight: {error}\n")
        return 2
    except KeyboardInterrupt:
        return 130


def _run(chosen: argparse.Namespace, unknown: Sequence[str]) -> int:
    match chosen.command:
        case "serve":
            return _serve()
        case "settings":
            return _settings(markdown=chosen.markdown)
        case "doctor":
            from firstlight.doctor import HERE, examine

            return examine(chosen.source or HERE, json=chosen.json, budgets_file=chosen.budgets)
        case _:
            from firstlight.bench import main as bench

            return bench([*chosen.rest, *unknown])


def _serve() -> int:
    from firstlight import settings

    chosen = settings.load()
    # After the settings: these imports take most of a second, and one wrong setting is to be told at once.
    from firstlight.serve import serve

    serve(chosen)
    return 0


def _settings(*, markdown: bool) -> int:
    from firstlight import settings

    sys.stdout.write(settings.markdown() if markdown else settings.describe(settings.load()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
