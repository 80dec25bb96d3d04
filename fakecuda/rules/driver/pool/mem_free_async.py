"""cuMemFreeAsync: free memory in stream order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.graph.graph_memory import Planned
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory import VARIABLES, Allocation, Managed
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.os.process import FORKED
from fakecuda.rules.core import Rule, manual, observed, undefined
from fakecuda.rules.driver.device.pool import pooling as supporting
from fakecuda.rules.driver.memory.mem_free import unimported
from fakecuda.rules.driver.pool.handle import release
from fakecuda.rules.driver.stream.handle import permitted_stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POINTER_IS_A_BASE = Rule(
    "the pointer is null or the start of a device or managed or pool allocation that has not been freed",
    Result.INVALID_VALUE,
    manual("cuMemFreeAsync", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass the address that cuMemAllocAsync or the import returned, once and without an offset",
)
MEMORY_IS_NOT_MANAGED = Rule(
    "the pointer is not the start of memory from cuMemAllocManaged",
    Result.NOT_SUPPORTED,
    observed("cuMemFreeAsync", "the driver answers NOT_SUPPORTED to memory from cuMemAllocManaged"),
    fix="call cuMemFree for memory of cuMemAllocManaged",
)
NO_GRAPH_WAS_UPLOADED_OVER_IT = Rule(
    "no cuGraphInstantiateWithParams has uploaded the memory's graph while the memory was allocated",
    Result.SUCCESS,
    undefined(
        "cuMemFreeAsync",
        "the manual says nothing about memory that a destroyed executable graph has left; driver 580 then crashes",
    ),
    fix="free the memory before the graph is instantiated with CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, or with cuMemFree",
)
MEMORY_STAYS = Rule(
    "no earlier cuMemFreeAsync of the same cuMemAlloc memory is pending",
    Result.SUCCESS,
    undefined(
        "cuMemFreeAsync",
        "the manual says nothing about a second free before the stream has run the first free; the driver then hangs",
    ),
    fix="free the memory once, with either cuMemFreeAsync or cuMemFree",
)


@DRIVER.op("cuMemFreeAsync")
def mem_free_async(call: Call, dptr: int, stream: int) -> None:
    """Free pool memory, imported pool memory, or memory of cuMemAlloc in stream order. Null does nothing.

    Args:
        call: The call.
        dptr: The memory's address.
        stream: The stream; it may be another than that of the allocation.
    """
    # CHECK
    process, ordering = call.process, permitted_stream_of(call, stream, "cuMemFreeAsync")
    supporting(ordering.context.device)
    if not dptr:
        return
    memory = process.memory.at(dptr)
    if not isinstance(memory, Pooled | Allocation | Managed) or isinstance(memory, VARIABLES) or memory.start != dptr:
        raise POINTER_IS_A_BASE.broken(pointer=dptr, found=memory or process.freed.get(dptr))
    if isinstance(memory, Managed):
        raise MEMORY_IS_NOT_MANAGED.broken(memory=memory)
    if process.state == FORKED:  # whose parent does not see it
        return
    if isinstance(memory, Pooled):
        if isinstance(memory.of_node, Planned) and memory.of_node.overlaid is memory:
            call.undefined(NO_GRAPH_WAS_UPLOADED_OVER_IT, memory=memory)
        release(call, memory, ordering)
        return
    if dptr in process.leaving:
        call.undefined(MEMORY_STAYS, memory=memory)
        return
    unimported(call, memory)
    # EFFECT
    memory_effects.free_later(memory, ordering, history.here())
