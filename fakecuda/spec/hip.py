"""The description of HIP's calls; see :mod:`fakecuda.spec.description`."""

from __future__ import annotations

from fakecuda.spec.description import load

DESCRIPTION = load("hip")
CALLS, STRUCTS, ENUMS = DESCRIPTION.calls, DESCRIPTION.structs, DESCRIPTION.enums
"""Calls by name, struct fields, enum members."""
NAMES = {value: name.encode() for name, value in reversed(ENUMS["hipError_t"].items())}
"""The name of each code."""
