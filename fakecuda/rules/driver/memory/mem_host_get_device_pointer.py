"""cuMemHostGetDevicePointer: the device address of page-locked memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.memory import Pinned, Registered
from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.range import accessible
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FLAGS_ARE_ZERO = Rule(
    "the flags argument is 0",
    Result.INVALID_VALUE,
    manual("cuMemHostGetDevicePointer", "For now, it must be set to 0"),
    fix="pass 0 for the flags of cuMemHostGetDevicePointer",
)
POINTER_IS_PAGE_LOCKED = Rule(
    "the host pointer lies in page-locked or registered memory, or in a mapping of cuMemMap",
    Result.INVALID_VALUE,
    manual(
        "cuMemHostGetDevicePointer",
        "Passes back the device pointer pdptr corresponding to the mapped, pinned host buffer p allocated by "
        "cuMemHostAlloc",
    ),
    fix="allocate the memory with cuMemHostAlloc, or register it with cuMemHostRegister, before the call",
)
MAPPING_IS_ACCESSIBLE = Rule(
    "if the host pointer lies in a mapping of cuMemMap, cuMemSetAccess has given the current device access to it",
    Result.INVALID_VALUE,
    observed(
        "cuMemHostGetDevicePointer",
        "the driver returns the address of an accessible mapping, and answers INVALID_VALUE for any other mapping",
    ),
    fix="call cuMemSetAccess for the current device before cuMemHostGetDevicePointer",
)


@DRIVER.op("cuMemHostGetDevicePointer")
def mem_host_get_device_pointer(call: Call, p: int, flags: int) -> int:
    """Return the device pointer of host pointer ``p``: the same address, because addressing is unified.

    ``flags`` must be 0.
    """
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    item = call.process.memory.at(p)
    if not isinstance(item, Pinned | Registered | Mapping):
        raise POINTER_IS_PAGE_LOCKED.broken(pointer=p, found=item or call.process.freed.get(p))
    if isinstance(item, Mapping) and not accessible(item, context):
        raise MAPPING_IS_ACCESSIBLE.broken(mapping=item, context=context)
    # EFFECT
    return item.start if isinstance(item, Mapping) else p
