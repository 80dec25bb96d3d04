"""cuMemGetHandleForAddressRange: export device memory as a dma-buf descriptor."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fakecuda.model.machine import HOST
from fakecuda.model.memory.files import new_pipe
from fakecuda.model.memory.memory import Allocation
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.va import Mapping
from fakecuda.model.os.process import NOT_INITIALIZED
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.unified.managed import is_managed
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device

CALL = "cuMemGetHandleForAddressRange"
PAGE = 4096
"""The size of a host page in bytes."""
DMA_BUF_FD = ENUMS["CUmemRangeHandleType"]["CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD"]
PCIE = ENUMS["CUmemRangeFlags"]["CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE"]
DMA_BUF_SUPPORTED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED"]

RANGE_IS_ALIGNED = Rule(
    "`dptr` and `size` are multiples of the host page size, and not 0",
    Result.INVALID_VALUE,
    manual(CALL, "Users must ensure the dptr and size are aligned to the host page size"),
    fix="round the address down and the size up to the host page size, 4096 bytes; neither may be 0",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` is 0 or CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE",
    Result.INVALID_VALUE,
    manual(CALL, "the value could be CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE, otherwise 0"),
    fix="pass 0 for the flags of cuMemGetHandleForAddressRange",
)
DEVICE_WAS_ASKED = Rule(
    "the process has called cuInit",
    Result.NOT_SUPPORTED,
    observed(
        CALL, "before cuInit the call answers NOT_SUPPORTED; in a fork it answers NOT_INITIALIZED, as other calls do"
    ),
    fix="call cuInit(0) before cuMemGetHandleForAddressRange",
)
TYPE_IS_KNOWN = Rule(
    "`handleType` is CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD",
    Result.INVALID_VALUE,
    manual(CALL, "Type of handle requested"),
    fix="pass CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD for handleType",
)
RANGE_IS_BACKED = Rule(
    "the range lies in one device allocation or adjoining mappings, or is one block that a pool of this "
    "process reserved",
    Result.INVALID_VALUE,
    manual(CALL, "address range obtained by a prior call to either cuMemAlloc or cuMemAddressReserve is supported"),
    fix="pass a range inside one allocation of cuMemAlloc, or a range that mappings of cuMemMap fill without a gap",
)
DMA_BUF_IS_SUPPORTED = Rule(
    "the device that the range lies on supports dma-buf",
    Result.NOT_SUPPORTED,
    manual(CALL, "is supported if the CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED device attribute returns true"),
    fix="query CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED first, and copy through the host if it is 0",
)
PCIE_IS_SUPPORTED = Rule(
    "`flags` is 0: no simulated platform supports CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE",
    Result.NOT_SUPPORTED,
    manual(CALL, "when set on a supported platform, will give a DMA_BUF handle mapped via PCIE BAR1"),
    fix="leave out CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE: the platform has no such mappings",
)
MEMORY_IS_A_DEVICE_S = Rule(
    "the memory of the range lies on a device, not on the host",
    Result.INVALID_VALUE,
    observed(CALL, "the driver answers INVALID_VALUE to a mapping of host memory, after it has checked the flags"),
    fix="pass memory whose CUmemAllocationProp names a device; host memory has no dma-buf descriptor",
)
MEMORY_IS_NOT_MANAGED = Rule(
    "the range does not lie in memory of a managed pool",
    Result.INVALID_VALUE,
    undefined(CALL, "the manual says nothing about this; driver 580 crashes"),
    fix="pass memory of cuMemAlloc, or of a pool whose allocType is CU_MEM_ALLOCATION_TYPE_PINNED",
)


@DRIVER.op("cuMemGetHandleForAddressRange")
def mem_get_handle_for_address_range(call: Call, dptr: int, size: int, handle_type: int, flags: int) -> int:
    """Return a new file descriptor for a range of device memory.

    The descriptor can be passed on and closed; no driver reaches the memory through it, and it keeps none alive.

    Args:
        call: The call.
        dptr: The first address.
        size: Bytes.
        handle_type: CUmemRangeHandleType.
        flags: CUmemRangeFlags.
    """
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not dptr or not size or dptr % PAGE or size % PAGE:
        raise RANGE_IS_ALIGNED.broken(pointer=dptr, size=size)
    if flags and not flags & PCIE:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    if call.process.state == NOT_INITIALIZED:
        raise DEVICE_WAS_ASKED.broken(process=call.process)
    current(call)
    if handle_type != DMA_BUF_FD:
        raise TYPE_IS_KNOWN.broken(handle_type=handle_type)
    device = _device_of(call, dptr, size)
    if device.ordinal != HOST and not device.profile.attributes.get(DMA_BUF_SUPPORTED):
        raise DMA_BUF_IS_SUPPORTED.broken(device=device)
    if flags:
        raise PCIE_IS_SUPPORTED.broken(device=device)
    item = call.process.memory.at(dptr)
    if isinstance(item, Pooled) and (dptr != item.origin or not _begins(item, size)):
        raise RANGE_IS_BACKED.broken(pointer=dptr, size=size, found=item)
    if device.ordinal == HOST:
        raise MEMORY_IS_A_DEVICE_S.broken(pointer=dptr)
    if isinstance(item, Pooled) and is_managed(item):
        call.undefined(MEMORY_IS_NOT_MANAGED, memory=item)
        raise MEMORY_IS_NOT_MANAGED.broken(memory=item)
    # EFFECT
    other_end, descriptor = new_pipe()
    os.close(other_end)
    return descriptor


def _begins(item: Pooled, size: int) -> bool:
    """Return whether a pool's exported range is valid for its first or a later block."""
    whole = item.extent.size
    return size == whole or (size < whole and next(iter(item.pool.chunks.values())) is item.chunk)


@guard
def _device_of(call: Call, start: int, size: int) -> Device:
    """Return the device of a range, which must be fully backed by memory."""
    memory = call.process.memory
    item = memory.at(start)
    end = start + size
    if isinstance(item, Allocation) and end <= item.block.end:
        return item.device
    if isinstance(item, Pooled) and item.source is None:
        return item.device
    while isinstance(item, Mapping):
        if end <= item.end:
            return item.device
        item = memory.at(item.end)
    raise RANGE_IS_BACKED.broken(pointer=start, size=size, found=item or call.process.freed.get(start))
