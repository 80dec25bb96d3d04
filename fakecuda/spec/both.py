"""The combined descriptions of driver, runtime and older forms."""

from __future__ import annotations

from fakecuda.spec import driver, forms, runtime

CALLS = {**driver.CALLS, **forms.CALLS, **runtime.CALLS}
STRUCTS = {**driver.STRUCTS, **forms.STRUCTS, **runtime.STRUCTS}
ENUMS = {**driver.ENUMS, **runtime.ENUMS}
"""The combined calls, struct fields and enum members."""
