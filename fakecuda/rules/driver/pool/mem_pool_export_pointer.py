"""cuMemPoolExportPointer: export pool memory for other processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.pool import Pooled
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POINTER_IS_OF_A_POOL = Rule(
    "`ptr` is the start of memory that was allocated from a pool",
    Result.INVALID_VALUE,
    manual("cuMemPoolExportPointer", "pointer to memory being exported"),
    fix="pass the address that cuMemAllocFromPoolAsync returned, without an offset and before it is freed",
)
POOL_CAN_BE_SHARED = Rule(
    "cuMemPoolExportToShareableHandle has exported the pool that `ptr` was allocated from",
    Result.INVALID_VALUE,
    manual("cuMemPoolExportPointer", "for sharing a specific allocation from an already shared memory pool"),
    fix="call cuMemPoolExportToShareableHandle for the pool before cuMemPoolExportPointer",
)


@DRIVER.op("cuMemPoolExportPointer")
def mem_pool_export_pointer(call: Call, ptr: int) -> bytes:
    """Return 64 bytes that name the allocation at ``ptr``. Imported memory cannot be exported again."""
    # CHECK
    process = require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    memory = process.memory.at(ptr)
    if not isinstance(memory, Pooled) or memory.start != ptr:
        raise POINTER_IS_OF_A_POOL.broken(pointer=ptr, found=memory or process.freed.get(ptr))
    if not memory.pool.exported:
        raise POOL_CAN_BE_SHARED.broken(memory=memory)
    # EFFECT
    return memory.export()
