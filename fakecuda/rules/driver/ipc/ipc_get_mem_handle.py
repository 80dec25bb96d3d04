"""cuIpcGetMemHandle: a handle by which other processes open an allocation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory import Allocation, Static
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POINTER_IS_GIVEN = Rule(
    "the pointer to the memory is not null",
    Result.INVALID_VALUE,
    manual(
        "cuIpcGetMemHandle", "a pointer to the base of an existing device memory allocation created with cuMemAlloc"
    ),
    fix="pass the address that cuMemAlloc returned",
)
POINTER_IS_ALLOCATED = Rule(
    "the pointer lies in memory from cuMemAlloc or cuMemAllocPitch, and not in a variable of a module",
    Result.INVALID_VALUE,
    manual(
        "cuIpcGetMemHandle", "a pointer to the base of an existing device memory allocation created with cuMemAlloc"
    ),
    fix="pass memory of cuMemAlloc; export other memory with cuMemExportToShareableHandle or cuMemPoolExportPointer",
)


HANDLE = 64
"""The size of an IPC handle in bytes."""


@DRIVER.op("cuIpcGetMemHandle")
def ipc_get_mem_handle(call: Call, dptr: int) -> bytes:
    """Return the IPC handle of the allocation at ``dptr``: 64 bytes, the same while the same context is current."""
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not dptr:
        raise POINTER_IS_GIVEN.broken()
    context = current(call)
    allocation = call.process.memory.at(dptr)
    if not isinstance(allocation, Allocation) or isinstance(allocation, Static):
        raise POINTER_IS_ALLOCATED.broken(pointer=dptr, found=allocation or call.process.freed.get(dptr))
    # EFFECT
    return memory_effects.share_through(allocation, context, HANDLE)
