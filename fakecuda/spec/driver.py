"""The description of the driver API; :mod:`fakecuda.spec.description` says what is in it."""

from __future__ import annotations

from fakecuda.spec.description import load

DESCRIPTION = load("driver")
CALLS, STRUCTS, ENUMS, DESCRIBED = DESCRIPTION.calls, DESCRIPTION.structs, DESCRIPTION.enums, DESCRIPTION.release
"""Calls by name, struct fields, enum members, the release of cuda-bindings."""
