"""Rules of calls with a CUarray or a CUmipmappedArray: the process owns the array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.array import Array, Mipmapped
from fakecuda.rules.core import Rule, guard, observed, undefined
from fakecuda.rules.driver.context.current import failed
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.array import Grid

ARRAY_IS_GIVEN = Rule(
    "the handle of the array or mipmapped array is not null",
    Result.INVALID_HANDLE,
    observed(
        "cuArrayGetDescriptor",
        "the driver answers INVALID_HANDLE to a null array, also in cuArrayDestroy and in calls with mipmapped arrays",
    ),
    fix="pass the handle of an existing array",
)
ARRAY_IS_KNOWN = Rule(
    "the handle names an array of this process, or, in a call for mipmapped arrays, a mipmapped array of this process",
    Result.INVALID_HANDLE,
    undefined(
        "cuArrayDestroy",
        "the manual says nothing about any other value; driver 580 uses the value as a pointer (segmentation fault)",
    ),
    fix="pass the handle of an existing array",
)
ARRAY_IS_LIVE = Rule(
    "the array and its context have not been destroyed",
    Result.CONTEXT_IS_DESTROYED,
    undefined(
        "cuArrayDestroy",
        "the manual says nothing about a later use; driver 580 reads freed memory: calls answer "
        "CONTEXT_IS_DESTROYED, and copies crash",
    ),
    fix="destroy the array once, after its last use and before its context",
)


@guard
def followed(call: Call, handle: int, kind: type[Grid]) -> Grid:
    """Return the array or mipmapped array of a nonzero handle, even before cuInit."""
    process = call.process
    grid = process.arrays.get(handle)
    if grid is None and isinstance(process.freed.get(handle), kind):
        call.undefined(ARRAY_IS_LIVE, array=process.freed[handle])
        raise ARRAY_IS_LIVE.broken(array=process.freed[handle])
    if not isinstance(grid, kind):
        call.undefined(ARRAY_IS_KNOWN, array=grid or handle)
        raise ARRAY_IS_KNOWN.broken(array=grid or handle)
    return grid


@guard
def grid_of(call: Call, handle: int, kind: type[Grid]) -> Grid:
    """Return the live array or mipmapped array of a handle.

    The calls do not check for cuInit, and work in a fork and in a host function. In a process without cuInit, each
    handle is invalid.
    """
    require_driver_up(call)
    if not handle:
        raise ARRAY_IS_GIVEN.broken()
    grid = followed(call, handle, kind)
    if grid.context.lost:
        failed(grid.context)
    return grid


@guard
def array_of(call: Call, handle: int) -> Array:
    """Return the array of a handle."""
    found = grid_of(call, handle, Array)
    assert isinstance(found, Array)
    return found


@guard
def mipmapped_of(call: Call, handle: int) -> Mipmapped:
    """Return the mipmapped array of a handle."""
    found = grid_of(call, handle, Mipmapped)
    assert isinstance(found, Mipmapped)
    return found
