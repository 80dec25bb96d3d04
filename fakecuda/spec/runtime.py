"""The description of the runtime API; see :mod:`fakecuda.spec.description`."""

from __future__ import annotations

from fakecuda.spec.description import load

DESCRIPTION = load("runtime")
CALLS, STRUCTS, ENUMS = DESCRIPTION.calls, DESCRIPTION.structs, DESCRIPTION.enums
"""Calls by name, struct fields, enum members."""
