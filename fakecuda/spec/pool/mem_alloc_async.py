"""cuMemAllocAsync: memory of a device's current pool, in the order of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model import history, pooling
from fakecuda.rule import Rule, guard, manual, op
from fakecuda.spec.core.initialized import RESULT_IS_GIVEN, ready
from fakecuda.spec.device.pool import current_pool
from fakecuda.spec.device.pool import pooling as supporting
from fakecuda.spec.stream.valid import stream_of

if TYPE_CHECKING:
    from fakecuda.model.pool import Pool
    from fakecuda.model.process import Thread
    from fakecuda.model.stream import Stream

SIZE_IS_POSITIVE = Rule(
    "the size is not 0", Result.INVALID_VALUE, manual("cuMemAllocAsync", "CUDA_ERROR_INVALID_VALUE")
)
MEMORY_SUFFICES = Rule(
    "the pool may have, and its device has, that much memory free",
    Result.OUT_OF_MEMORY,
    manual("cuMemAllocAsync", "CUDA_ERROR_OUT_OF_MEMORY"),
)


@guard
def wanted(call: Thread, bytesize: int, handle: int, name: str) -> Stream:
    """Return the stream of an allocation of some bytes; its device supports pools."""
    ready(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not bytesize:
        raise SIZE_IS_POSITIVE.broken()
    stream = stream_of(call, handle, name)
    supporting(stream.context.device)
    return stream


@guard
def allocate(pool: Pool, size: int, stream: Stream) -> int:
    """Return the address of new memory of a pool, where there is as much."""
    memory = pooling.allocate(pool, size, stream, history.here())
    if memory is None:
        raise MEMORY_SUFFICES.broken(size=size, pool=pool)
    return memory.start


@op("cuMemAllocAsync")
def mem_alloc_async(call: Thread, bytesize: int, stream: int) -> int:
    """Allocate memory from the pool that is current for a stream's device; it outlives the stream and its context.

    Args:
        call: The calling thread.
        bytesize: Bytes.
        stream: The stream in whose order the memory can be used.

    Returns:
        The address, aligned to 512 bytes.
    """
    # CHECK
    ordering = wanted(call, bytesize, stream, "cuMemAllocAsync")
    pool = current_pool(call, ordering.context.device)
    # EFFECT
    return allocate(pool, bytesize, ordering)
