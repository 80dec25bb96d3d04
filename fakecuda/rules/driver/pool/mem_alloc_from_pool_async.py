"""cuMemAllocFromPoolAsync: allocate from a pool, in stream order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.work.stream import PER_THREAD
from fakecuda.rules.driver.context.current import top
from fakecuda.rules.driver.pool.handle import POOL_IS_GIVEN, own_pool_of
from fakecuda.rules.driver.pool.mem_alloc_async import allocate, ordering_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemAllocFromPoolAsync", several="a capture has the addresses before the node")
def mem_alloc_from_pool_async(call: Call, bytesize: int, pool: int, stream: int) -> int:
    """Allocate memory from a pool on any device, in stream order.

    Args:
        call: The call.
        bytesize: Bytes; 0 allocates nothing.
        pool: The pool, not an imported one.
        stream: The stream; the memory can be used in its order.

    Returns:
        The address, aligned to 512 bytes; null for 0 bytes.
    """
    # CHECK
    if not pool and stream == PER_THREAD:
        top(call)  # which may be a destroyed one; on the legacy stream that is checked first
        raise POOL_IS_GIVEN.broken(pool=pool)
    ordering = ordering_of(call, stream, "cuMemAllocFromPoolAsync")
    giving = own_pool_of(call, pool)
    # EFFECT
    return allocate(giving, bytesize, ordering)
