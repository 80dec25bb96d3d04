"""Memory in the runtime API: 0 bytes allocate nothing, and null frees nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, undefined
from fakecuda.rules.driver.memory.mem_alloc import mem_alloc
from fakecuda.rules.driver.memory.mem_alloc_managed import mem_alloc_managed
from fakecuda.rules.driver.memory.mem_free import mem_free
from fakecuda.rules.driver.memory.mem_free_host import mem_free_host
from fakecuda.rules.driver.memory.mem_host_alloc import mem_host_alloc
from fakecuda.rules.driver.pool.mem_alloc_async import mem_alloc_async
from fakecuda.rules.driver.pool.mem_alloc_from_pool_async import mem_alloc_from_pool_async
from fakecuda.rules.driver.pool.mem_free_async import mem_free_async
from fakecuda.rules.driver.pool.mem_pool_set_access import mem_pool_set_access
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import acting, active, active_for, given, given_first, initialised, on_stream
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.driver.pool.mem_pool_set_access import Description

DESCRIPTIONS_ARE_GIVEN = Rule(
    "`descList` is not null unless `count` is 0",
    Result.INVALID_VALUE,
    undefined(
        "cudaMemPoolSetAccess",
        "the manual says nothing about a null list; the runtime reads from the null pointer (segmentation fault)",
    ),
    fix="pass an array of cudaMemAccessDesc, and its length for count",
)


@RUNTIME.op("cudaMalloc")
def malloc(call: Call, size: int) -> int:
    """Allocate device memory; the address is 0 for 0 bytes."""
    given_first(call)
    active_for(call, size)
    return mem_alloc(call, size) if size else 0


@RUNTIME.op("cudaMallocManaged")
def malloc_managed(call: Call, size: int, flags: int) -> int:
    """Allocate managed memory; the address is 0 for 0 bytes."""
    given_first(call)
    acting(call)
    return mem_alloc_managed(call, size, flags) if size else 0


@RUNTIME.op("cudaMallocAsync")
def malloc_async(call: Call, size: int, stream: int) -> int:
    """Allocate from the current pool in stream order; the address is 0 for 0 bytes."""
    given_first(call)
    on_stream(call, stream)
    return mem_alloc_async(call, size, stream)


@RUNTIME.op("cudaMallocFromPoolAsync")
def malloc_from_pool_async(call: Call, size: int, mem_pool: int, stream: int) -> int:
    """Allocate from a pool in stream order; the address is 0 for 0 bytes."""
    given_first(call)
    on_stream(call, stream)
    return mem_alloc_from_pool_async(call, size, mem_pool, stream)


@RUNTIME.op("cudaFreeAsync")
def free_async(call: Call, dev_ptr: int, stream: int) -> None:
    """Free memory in stream order. Freeing null does nothing."""
    on_stream(call, stream)
    mem_free_async(call, dev_ptr, stream)


@RUNTIME.op("cudaFree")
def free(call: Call, dev_ptr: int) -> None:
    """Free device memory. Freeing null does nothing."""
    active(call)
    mem_free(call, dev_ptr)


@RUNTIME.op("cudaHostAlloc")
def host_alloc(call: Call, size: int, flags: int) -> int:
    """Allocate page-locked host memory and return its address; null for 0 bytes."""
    active_for(call, size)
    if call.nulls:
        given(call)
    return mem_host_alloc(call, size, flags) if size else 0


@RUNTIME.op("cudaMallocHost")
def malloc_host(call: Call, size: int) -> int:
    """Allocate page-locked host memory and return its address; null for 0 bytes."""
    active_for(call, size)
    if call.nulls:
        given(call)
    return mem_host_alloc(call, size, 0) if size else 0


@RUNTIME.op("cudaFreeHost")
def free_host(call: Call, ptr: int) -> None:
    """Free page-locked host memory. Freeing null does nothing."""
    active(call)
    mem_free_host(call, ptr)


@RUNTIME.op("cudaMemPoolSetAccess")
def pool_set_access(call: Call, mem_pool: int, desc_list: tuple[Description, ...] | None, count: int) -> None:
    """Set which locations can access a pool. With no descriptions nothing changes.

    Args:
        call: The call.
        mem_pool: The pool.
        desc_list: For each location ((type, id), flags).
        count: How many there are.
    """
    # CHECK
    initialised(call)
    if desc_list is None and count:
        call.undefined(DESCRIPTIONS_ARE_GIVEN, count=count)
        raise DESCRIPTIONS_ARE_GIVEN.broken(count=count)
    # EFFECT
    mem_pool_set_access(call, mem_pool, desc_list or (), count)
