"""The sources of the recording library, which wraps the real driver."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fakecuda.reach.remote.linked import build

PROCESSOR = "x86_64"
"""The only processor for which the library has machine code."""
HERE = Path(__file__).parent
OWN = ("faults.c", "lines.c", "results.c", "ring.c", "ring.h", "shadow.c", "stacks.c")
OF_THE_CLIENT = ("calls.c", "values.c", "versions.h")
OPTIONS = ("-std=gnu11", "-O2", "-g0", "-shared", "-fPIC", "-pthread", "-w", "-Wl,-z,nodelete")
"""Compiler options, with optimisation, because every call passes the library."""


@cache
def _texts() -> dict[str, str]:
    from fakecuda.reach.shadow import tables  # noqa: PLC0415 - it reads all descriptions

    made = {"constants.h": tables.constants(), "functions.h": tables.functions(), "tables.h": tables.tables()}
    return build.read(HERE, OWN) | build.read(build.HERE, OF_THE_CLIENT) | made


SHADOW = build.Sources("libfakecuda-shadow.so", "shadow.c", "that stands before the real driver", _texts, OPTIONS)
"""The recording library; a stub ``libcuda.so.1`` jumps to its functions."""
