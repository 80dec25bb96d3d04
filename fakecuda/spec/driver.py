"""The description of the driver API; see :mod:`fakecuda.spec.description`."""

from __future__ import annotations

from fakecuda.spec.description import load

DESCRIPTION = load("driver")
CALLS, STRUCTS, ENUMS, DESCRIBED = DESCRIPTION.calls, DESCRIPTION.structs, DESCRIPTION.enums, DESCRIPTION.release
"""Calls, struct fields, enum members, and the described cuda-bindings release."""
