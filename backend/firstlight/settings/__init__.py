"""All settings: one frozen Struct a section. Defaults, then a TOML file, then the environment.

    FIRSTLIGHT_CONFIG=firstlight.toml       the file: [admission] burst = 16
    FIRSTLIGHT_ADMISSION__BURST=16          one setting; FIRSTLIGHT_<SECTION>__<KEY>
    FIRSTLIGHT_ADMISSION__BURST_FILE=/run/x the same from a file, for what must not stand in the environment

An unknown section or key, or a value out of range, stops the start with one line that names the key.
"""

from firstlight.settings.load import load
from firstlight.settings.sections import (
    SECTIONS,
    Admission,
    Assembly,
    Connection,
    Engine,
    Generations,
    Logs,
    Metrics,
    Routing,
    Section,
    Settings,
    Traces,
)
from firstlight.settings.show import describe, markdown

__all__ = [
    "SECTIONS",
    "Admission",
    "Assembly",
    "Connection",
    "Engine",
    "Generations",
    "Logs",
    "Metrics",
    "Routing",
    "Section",
    "Settings",
    "Traces",
    "describe",
    "load",
    "markdown",
]
