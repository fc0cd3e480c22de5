#!/bin/sh
# Stands in for Python where an engine's process is spawned: the process then dies with the thread that spawned it
# (PR_SET_PDEATHSIG, SIGKILL), so that a killed server leaves no engine behind that holds its memory.
exec "$FIRSTLIGHT_PYTHON" -I -S -c '
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() != int(os.environ["FIRSTLIGHT_PARENT"]):
    sys.exit("the server ended before its engine began")
os.execv(sys.argv[1], sys.argv[1:])
' "$FIRSTLIGHT_PYTHON" "$@"
