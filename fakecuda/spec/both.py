"""The descriptions of both APIs, and of older forms, as one: no two functions, structs or enums have one name."""

from __future__ import annotations

from fakecuda.spec import driver, forms, runtime

CALLS = {**driver.CALLS, **forms.CALLS, **runtime.CALLS}
STRUCTS = {**driver.STRUCTS, **forms.STRUCTS, **runtime.STRUCTS}
ENUMS = {**driver.ENUMS, **runtime.ENUMS}
"""Calls by name, struct fields, enum members."""
