"""The descriptions of both APIs as one: no function, struct or enum of one has the name of one of the other."""

from __future__ import annotations

from fakecuda.spec import driver, runtime

CALLS = {**driver.CALLS, **runtime.CALLS}
STRUCTS = {**driver.STRUCTS, **runtime.STRUCTS}
ENUMS = {**driver.ENUMS, **runtime.ENUMS}
"""Calls by name, struct fields, enum members."""
