"""cuMemCreate: allocate physical memory, to be mapped later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import mapping
from fakecuda.rules.core import Broken, Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.va.properties import FABRIC, NO_CAPABILITIES, RawProp, capable, home, properties
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

PROPERTIES_ARE_GIVEN = Rule(
    "`prop` is not null",
    Result.INVALID_VALUE,
    manual("cuMemCreate", "Properties of the allocation to create"),
    fix="pass a CUmemAllocationProp with type and location",
)
FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuMemCreate", "flags for future use, must be zero now"),
    fix="pass 0 for the flags of cuMemCreate",
)
SIZE_IS_ALIGNED = Rule(
    "`size` is a positive multiple of the minimum granularity of cuMemGetAllocationGranularity",
    Result.INVALID_VALUE,
    manual("cuMemCreate", "must be a multiple of the the value given via cuMemGetAllocationGranularity"),
    fix="round the size up to the granularity (cuMemGetAllocationGranularity)",
)
MEMORY_SUFFICES = Rule(
    "the device or host at `prop.location` has `size` bytes of free memory",
    Result.OUT_OF_MEMORY,
    manual("cuMemCreate", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="release memory first, or create less",
)
FABRIC_IS_PERMITTED = Rule(
    "the process can access an IMEX channel if `prop.requestedHandleTypes` has CU_MEM_HANDLE_TYPE_FABRIC",
    Result.NOT_PERMITTED,
    manual("cuMemCreate", "have at least one IMEX channel file accessible by the user launching the application"),
    fix="give the process an IMEX channel, or request CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR instead",
)


@DRIVER.op("cuMemCreate")
def mem_create(call: Call, size: int, prop: RawProp | None, flags: int) -> int:
    """Allocate physical memory without an address.

    Args:
        call: The call.
        size: Bytes, a multiple of the granularity.
        prop: CUmemAllocationProp.
        flags: 0.

    Returns:
        The allocation handle, with one reference.
    """
    # CHECK
    process = supported(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if prop is None:
        raise PROPERTIES_ARE_GIVEN.broken()
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    profile = call.machine.profile
    wanted = properties(prop, profile.nodes)
    if not size or size % profile.granularity:
        raise SIZE_IS_ALIGNED.broken(size=size, granularity=profile.granularity)
    device = home(call, wanted)
    tiles = prop[-1] != NO_CAPABILITIES and capable(prop)
    memory = process.memory_of(device)
    short = Result.INVALID_VALUE if tiles else None
    if size > memory.total:
        raise Broken(MEMORY_SUFFICES, {"size": size, "free": memory.total - memory.used}, short)
    if wanted.handle_types & FABRIC and not process.imex_channels:
        raise FABRIC_IS_PERMITTED.broken(handle_types=wanted.handle_types)
    # EFFECT
    handle = mapping.create(process, device, size, wanted, history.here(), tiles=tiles)
    if handle is None:
        raise Broken(MEMORY_SUFFICES, {"size": size, "free": memory.total - memory.used}, short)
    return handle.value
