"""Rules of calls with a CUmemoryPool or its memory: both are live in the process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import pool_effects
from fakecuda.model.memory.pool import Pooled
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.stream import race
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.pool import Pool
    from fakecuda.model.work.stream import Stream

IMPORTERS_FREE_FIRST = undefined(
    "cuMemPoolImportPointer",
    "The imported memory must be freed from all importing processes before being freed in the exporting process",
)
"""The source of rules about pool memory that its exporter frees too early."""

POOL_IS_GIVEN = Rule(
    "the pool is not null",
    Result.INVALID_VALUE,
    manual("cuMemPoolDestroy", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a pool that cuMemPoolCreate or cuDeviceGetDefaultMemPool returned",
)
POOL_IS_KNOWN = Rule(
    "the handle is a pool of this process that has not been destroyed",
    Result.INVALID_VALUE,
    undefined(
        "cuMemPoolDestroy",
        "the manual says nothing about a later use, which mostly answers INVALID_VALUE, nor about invalid "
        "handles, which crash the process",
    ),
    fix="call cuMemPoolDestroy once, after the last use of the pool",
)
POOL_ALLOCATES = Rule(
    "the pool was not imported by cuMemPoolImportFromShareableHandle",
    Result.INVALID_VALUE,
    manual("cuMemPoolImportFromShareableHandle", "Imported memory pools do not support creating new allocations"),
    fix="allocate in the exporting process, and import that memory with cuMemPoolImportPointer",
)
POOL_HAS_BOOKS = Rule(
    "the pool is not imported, or the call gets an attribute with a number above CU_MEMPOOL_ATTR_USED_MEM_HIGH",
    Result.INVALID_VALUE,
    observed(
        "cuMemPoolGetAttribute",
        "the driver answers INVALID_VALUE to the policies, threshold and usage "
        "attributes of an imported pool, and to trimming it",
    ),
    fix="make the call on the pool in the exporting process: an imported pool does not support it",
)
NO_IMPORTER_HAS_IT = Rule(
    "every other process that imported the pool memory has freed its import",
    Result.SUCCESS,
    IMPORTERS_FREE_FIRST,
    fix="free the memory in every importing process before the exporter frees it",
)
MEMORY_IS_NOT_FREED = Rule(
    "no address of the call lies in pool memory that an earlier call freed, even if the free is still pending",
    Result.SUCCESS,
    undefined(
        "cuMemFreeAsync",
        "accessing the memory from any subsequent work launched on the GPU or querying its pointer attributes results "
        "in undefined behavior",
    ),
    fix="call cuMemFreeAsync once, in stream order after the last use of the memory",
)
MEMORY_IS_ALLOCATED = Rule(
    "each pool allocation that the call uses is complete, or comes before the call in stream order",
    Result.SUCCESS,
    undefined("cuMemAllocAsync", "The allocation must not be accessed until the the allocation operation completes"),
    fix=("use the memory on the stream that allocates it, or make your stream wait for an event after the allocation"),
)


@guard
def pool_of(call: Call, handle: int) -> Pool:
    """Return the pool of a handle; any other value is undefined."""
    if not handle:
        raise POOL_IS_GIVEN.broken()
    process = call.process
    pool = process.pools.live.get(handle)
    if pool is None:
        found = process.freed.get(handle)
        call.undefined(POOL_IS_KNOWN, pool=handle, found=found)
        raise POOL_IS_KNOWN.broken(pool=handle, found=found)
    return pool


@guard
def own_pool_of(call: Call, handle: int) -> Pool:
    """Return the pool of a handle, which must not be imported: programs allocate."""
    pool = pool_of(call, handle)
    if pool.source is not None:
        raise POOL_ALLOCATES.broken(pool=pool)
    return pool


@guard
def booked_pool_of(call: Call, handle: int) -> Pool:
    """Return the pool of a handle, which must have attributes: it is not imported."""
    pool = pool_of(call, handle)
    if pool.source is not None:
        raise POOL_HAS_BOOKS.broken(pool=pool)
    return pool


@guard
def release(call: Call, memory: Pooled, stream: Stream | None) -> None:
    """Free pool memory in stream order, or at once without a stream."""
    if memory.importers:
        call.undefined(NO_IMPORTER_HAS_IT, memory=memory, importer=memory.importers[0])
    race.freed(call, memory, stream)
    pool_effects.free(memory, stream, history.here())


@guard
def not_freed(call: Call, address: int) -> None:
    """Report the use of freed pool memory."""
    found = call.process.freed.get(address)
    if isinstance(found, Pooled):
        call.undefined(MEMORY_IS_NOT_FREED, memory=found)
