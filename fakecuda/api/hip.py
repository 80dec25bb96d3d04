"""The description of HIP's calls, as :mod:`fakecuda.api` has those of the driver API."""

from __future__ import annotations

from fakecuda.api import load

HIP = load("hip")
CALLS, STRUCTS, ENUMS = HIP.calls, HIP.structs, HIP.enums
"""Calls by name, struct fields, enum members."""
NAMES = {value: name.encode() for name, value in reversed(ENUMS["hipError_t"].items())}
"""The name of each code."""
