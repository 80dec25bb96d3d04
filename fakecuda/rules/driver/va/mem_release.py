"""cuMemRelease: release a reference to an allocation handle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import mapping
from fakecuda.model.memory.array import later_of
from fakecuda.rules.core import Rule, observed, undefined
from fakecuda.rules.driver.va.handle import handle_of
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

REFERENCE_IS_LEFT = Rule(
    "the process holds a reference to `handle`; mappings of its memory do not count",
    Result.INVALID_VALUE,
    observed(
        "cuMemRelease",
        "the driver answers INVALID_VALUE to a handle without references, even if its memory is still mapped",
    ),
    fix="call cuMemRelease once for each reference; mappings keep the memory until cuMemUnmap",
)
MAPS_ARE_DONE = Rule(
    "when the last reference to memory is released, no pending cuMemMapArrayAsync still has to map the memory",
    Result.SUCCESS,
    undefined(
        "cuMemRelease",
        "the manual says nothing about maps that are under way; driver 580 reads what is left of the memory, and crashes in cuArrayDestroy "
        "or in the map",
    ),
    fix="synchronize the stream of cuMemMapArrayAsync before you release the memory",
)


@DRIVER.op("cuMemRelease")
def mem_release(call: Call, value: int) -> None:
    """Release a reference to an allocation handle. Memory without references and mappings is freed."""
    # CHECK
    process = supported(call)
    handle = handle_of(call, value)
    if not handle.references:
        raise REFERENCE_IS_LEFT.broken(handle=handle)
    if handle.physical.tiles and handle.references == 1:
        extent = handle.physical.extent
        for later in later_of(process):
            if extent in later.coming:
                call.undefined(MAPS_ARE_DONE, handle=handle)
    # EFFECT
    mapping.release(process, handle, history.here())
