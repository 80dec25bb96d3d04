"""Rules of calls with a CUmemGenericAllocationHandle: the process holds the handle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, observed, undefined
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.va import Handle

HANDLE_IS_GIVEN = Rule(
    "no CUmemGenericAllocationHandle argument is 0",
    Result.INVALID_VALUE,
    observed("cuMemRelease", "the driver answers INVALID_VALUE to the handle 0"),
    fix="pass the handle that cuMemCreate, cuMulticastCreate or an import returned; 0 is not a handle",
)
HANDLE_IS_HELD = Rule(
    "this process still holds a reference to each CUmemGenericAllocationHandle argument",
    Result.INVALID_VALUE,
    undefined("cuMemRelease", "If handle is not a valid handle the behavior is undefined"),
    fix="call cuMemRelease once for each reference, after the last use of the handle",
)


@guard
def handle_of(call: Call, value: int) -> Handle:
    """Return the allocation handle with this value; any other value is undefined."""
    if not value:
        raise HANDLE_IS_GIVEN.broken()
    return held_handle_of(call, value)


@guard
def held_handle_of(call: Call, value: int) -> Handle:
    """Return the allocation handle of a nonzero value; any other value is undefined."""
    handle = call.process.handles.get(value)
    if handle is None:
        found = call.process.freed.get(value)
        call.undefined(HANDLE_IS_HELD, value=value, found=found)
        raise HANDLE_IS_HELD.broken(value=value, found=found)
    if not handle.references:
        # A mapping keeps the driver's object; that the value still works is no promise.
        call.undefined(HANDLE_IS_HELD, value=value, found=handle)
    return handle
