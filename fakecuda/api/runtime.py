"""The description of the runtime API; :mod:`fakecuda.api` says what is in it."""

from __future__ import annotations

from fakecuda.api import load

RUNTIME = load("runtime")
CALLS, STRUCTS, ENUMS = RUNTIME.calls, RUNTIME.structs, RUNTIME.enums
"""Calls by name, struct fields, enum members."""
