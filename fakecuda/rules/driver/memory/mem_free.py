"""cuMemFree: free linear memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory import VARIABLES, Allocation, Managed
from fakecuda.model.memory.pool import Pooled
from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.context.current import alive
from fakecuda.rules.driver.pool.handle import release
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import settled
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FREED = Allocation, Managed, Pooled
"""The memory types that cuMemFree frees."""

POINTER_IS_A_BASE = Rule(
    "the pointer is null or the start of a device or managed or pool allocation that has not been freed",
    Result.INVALID_VALUE,
    manual("cuMemFree", "must have been returned by a previous call to one of the following memory allocation APIs"),
    fix="pass the address that the allocation returned, once; clear the variable after the free",
)
NO_IMPORTER_IS_OPEN = Rule(
    "no other process has the allocation's IPC handle open",
    Result.SUCCESS,
    undefined(
        "cuIpcOpenMemHandle",
        "Calling cuMemFree on an exported memory region before calling cuIpcCloseMemHandle in the importing context "
        "will result in undefined behavior",
    ),
    fix="call cuIpcCloseMemHandle in every importing process before cuMemFree in the exporter",
)


@guard
def unimported(call: Call, memory: Allocation | Managed) -> None:
    """Report a free of memory whose IPC handle another process has open."""
    if isinstance(memory, Allocation) and memory.share is not None and memory.share.importers:
        call.undefined(NO_IMPORTER_IS_OPEN, allocation=memory, importer=memory.share.importers[0])


@DRIVER.op("cuMemFree")
def mem_free(call: Call, dptr: int) -> None:
    """Free the allocation at ``dptr``, pool memory at once. Freeing null does nothing."""
    # CHECK
    process = alive(call)
    if not dptr:
        return
    allocation = settled(call, dptr, orders.FREED)
    if not isinstance(allocation, FREED) or isinstance(allocation, VARIABLES) or allocation.start != dptr:
        raise POINTER_IS_A_BASE.broken(pointer=dptr, found=allocation or process.freed.get(dptr))
    if isinstance(allocation, Pooled):
        release(call, allocation, None)
        return
    if isinstance(allocation, Allocation) and allocation.share is not None:
        unimported(call, allocation)
    race.ended(call, allocation)
    # EFFECT
    memory_effects.free(process, allocation, history.here())
