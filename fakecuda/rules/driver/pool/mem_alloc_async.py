"""cuMemAllocAsync: allocate from a device's current pool, in stream order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import pool_effects
from fakecuda.model.os.process import FORKED
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.device.pool import current_pool
from fakecuda.rules.driver.device.pool import pooling as supporting
from fakecuda.rules.driver.stream.handle import permitted_stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.pool import Pool
    from fakecuda.model.work.stream import Stream

MEMORY_SUFFICES = Rule(
    "new memory fits into its pool's maximum size, and into the pool's unused memory or the free memory of "
    "its location",
    Result.OUT_OF_MEMORY,
    manual("cuMemAllocAsync", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="free memory first, or allocate less",
)


@guard
def ordering_of(call: Call, handle: int, name: str) -> Stream:
    """Return the stream of an allocation, whose device must support pools."""
    stream = permitted_stream_of(call, handle, name)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    supporting(stream.context.device)
    return stream


@guard
def allocate(pool: Pool, size: int, stream: Stream) -> int:
    """Allocate pool memory and return its address; null for 0 bytes."""
    if not size:
        return 0
    if stream.context.process.state == FORKED:  # which can reserve nothing; the parent does not see what it takes
        address = pool_effects.room(pool, size)
        if not address:
            raise MEMORY_SUFFICES.broken(size=size, pool=pool)
        return address
    memory = pool_effects.allocate(pool, size, stream, history.here())
    if memory is None:
        raise MEMORY_SUFFICES.broken(size=size, pool=pool)
    return memory.start


@DRIVER.op("cuMemAllocAsync", several="a capture has the addresses before the node")
def mem_alloc_async(call: Call, bytesize: int, stream: int) -> int:
    """Allocate memory from the current pool of a stream's device. The memory outlives the stream and its context.

    Args:
        call: The call.
        bytesize: Bytes; 0 allocates nothing.
        stream: The stream; the memory can be used in its order.

    Returns:
        The address, aligned to 512 bytes; null for 0 bytes.
    """
    # CHECK
    ordering = ordering_of(call, stream, "cuMemAllocAsync")
    pool = current_pool(call, ordering.context.device)
    # EFFECT
    return allocate(pool, bytesize, ordering)
