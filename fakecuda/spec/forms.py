"""The description of older driver forms; see :mod:`fakecuda.spec.description`."""

from __future__ import annotations

from fakecuda.spec import driver
from fakecuda.spec.description import load

DESCRIPTION = load("forms")
CALLS, STRUCTS, ENUMS = DESCRIPTION.calls, {**driver.STRUCTS, **DESCRIPTION.structs}, driver.ENUMS
"""Calls, struct fields and enum members, including those of the newest forms."""
_NEWER = "newer than the recorded drivers"
OUT = {
    "cuGraphAddNode_v3": _NEWER,
    "cuGraphNodeSetParams_v2": _NEWER,
    "cuLaunchHostFunc_v2": _NEWER,
    "cuMulticastBindAddr_v2": _NEWER,
    "cuMulticastBindMem_v2": _NEWER,
    "cuStreamGetCtx_v2": "its result is a green context",
}
"""Unmodelled forms of modelled functions by symbol, with the reason."""


def forms_of(base: str) -> frozenset[str]:
    """Return the names of a function's newest form and of its described older forms."""
    return frozenset({base, *(name for name, row in DESCRIPTION.rows.items() if row["base"] == base)})
