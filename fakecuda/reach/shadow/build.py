"""The sources of the library that stands before the real driver."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fakecuda.reach.remote.linked import build

PROCESSOR = "x86_64"
"""The only processor that the library has machine code for: it keeps the registers of unknown arguments."""
HERE = Path(__file__).parent
OWN = ("faults.c", "lines.c", "results.c", "ring.c", "ring.h", "shadow.c", "stacks.c")
OF_THE_CLIENT = ("calls.c", "values.c", "versions.h")
OPTIONS = ("-std=gnu11", "-O2", "-g0", "-shared", "-fPIC", "-pthread", "-w", "-Wl,-z,nodelete")
"""It is compiled with optimisation, because it stands in the way of each call."""


@cache
def _texts() -> dict[str, str]:
    from fakecuda.reach.shadow import tables  # noqa: PLC0415 - it reads all descriptions

    made = {"constants.h": tables.constants(), "functions.h": tables.functions(), "tables.h": tables.tables()}
    return build.read(HERE, OWN) | build.read(build.HERE, OF_THE_CLIENT) | made


SHADOW = build.Sources("libfakecuda-shadow.so", "shadow.c", "that stands before the real driver", _texts, OPTIONS)
"""The library; a stub ``libcuda.so.1`` beside it jumps to its functions."""
