"""cuMemGetAllocationPropertiesFromHandle: the properties of an allocation handle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.multicast import Multicast
from fakecuda.model.memory.va import Handle
from fakecuda.rules.core import Rule, undefined
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.va.handle import handle_of
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.va import Prop

HANDLE_WAS_NOT_RELEASED = Rule(
    "`handle` has not been released",
    Result.SUCCESS,
    undefined(
        "cuMemGetAllocationPropertiesFromHandle",
        "the manual says nothing about released handles; driver 580 returns stale properties",
    ),
    fix="call cuMemGetAllocationPropertiesFromHandle before cuMemRelease",
)
HANDLE_IS_MEMORY = Rule(
    "`handle` is memory, not a multicast object",
    Result.INVALID_VALUE,
    undefined(
        "cuMemGetAllocationPropertiesFromHandle",
        "the manual says nothing about multicast objects, which have other properties",
    ),
    fix="pass a handle of cuMemCreate; a multicast object has no such properties",
)


@DRIVER.op("cuMemGetAllocationPropertiesFromHandle")
def mem_get_allocation_properties_from_handle(call: Call, value: int) -> Prop:
    """Return the CUmemAllocationProp of a handle's memory."""
    # CHECK
    supported(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    left = call.process.freed.get(value)
    if isinstance(left, Handle):
        call.undefined(HANDLE_WAS_NOT_RELEASED, value=value, found=left)
        return left.prop
    handle = handle_of(call, value)
    if isinstance(handle.physical, Multicast):
        call.undefined(HANDLE_IS_MEMORY, object=handle.physical)
        raise HANDLE_IS_MEMORY.broken(object=handle.physical)
    # EFFECT
    return handle.prop
