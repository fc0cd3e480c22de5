"""The version gate. It parses on any Python 3, so that an old one gets a sentence and no traceback."""

import sys

OLDEST = (3, 11)
NEWEST = (3, 14)

if not OLDEST <= sys.version_info[:2] <= NEWEST:
    numbers = OLDEST + NEWEST + sys.version_info[:2]
    sys.stderr.write("First Light: it needs Python %d.%d to %d.%d, and this is %d.%d: " % numbers)  # noqa: UP031
    sys.stderr.write("install one, or name one: make run PYTHON=python3.12\n")
    sys.exit(2)

from bootstrap.cli import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
