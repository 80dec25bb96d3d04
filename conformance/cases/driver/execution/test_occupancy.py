"""Occupancy: how many blocks of a kernel run at once.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.driver.library.fixtures import ELSEWHERE, kernel, without_library
from conformance.cases.driver.module.fixtures import function, module, refuse_function
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World


ACTIVE, POTENTIAL = "cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuOccupancyMaxPotentialBlockSize"


CACHES = {"shared memory": 1, "L1 cache": 2, "equal parts": 3}
"""CUfunc_cache."""
CARVEOUT = 9
"""CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT."""


def preferring(a: Process, config: int, percent: int = -1) -> int:
    """Return a new function with a cache preference and shared memory carveout."""
    found = function(a)
    a.ok.cuFuncSetCacheConfig(found, config)
    a.ok.cuFuncSetAttribute(found, CARVEOUT, percent)
    return found


def kernel_preferring(a: Process, config: int) -> int:
    """Return a new kernel with a cache preference."""
    found = kernel(a)
    a.ok.cuKernelSetCacheConfig(found, config, 0)
    return found


def in_context(a: Process, config: int) -> int:
    """Return a new function of the context with a cache preference."""
    a.ok.cuCtxSetCacheConfig(config)
    return function(a)


def active(call: str, **flags: Any) -> Entry:
    """Return the entry of a call that returns the blocks of a multiprocessor."""

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call(call, func=function(a), blockSize=96, dynamicSMemSize=0, **flags)

    entry = Entry(call, valid)
    entry.null("numBlocks", "RESULT_IS_GIVEN")
    refuse(entry)
    entry.breaks("BLOCK_IS_POSITIVE", blockSize=0)
    for threads, dynamic in ((1, 8192), (33, 0), (129, 49152), (1024, 0), (1025, 0), (32, 49153)):
        entry.also(f"{threads} threads and {dynamic} bytes", blockSize=threads, dynamicSMemSize=dynamic)
    entry.also("with static memory", func=lambda i: function(i.process, b"fixed"), dynamicSMemSize=8192)
    return entry


def potential(call: str, **flags: Any) -> Entry:
    """Return the entry of a call that returns the best block size."""

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call(
            call, func=function(a), blockSizeToDynamicSMemSize=0, dynamicSMemSize=0, blockSizeLimit=0, **flags
        )

    entry = Entry(call, valid)
    entry.null("minGridSize", "RESULT_IS_GIVEN")
    refuse(entry)
    entry.breaks("BLOCK_IS_POSITIVE", blockSizeLimit=-1)
    for limit in (1, 33, 100, 512, 5000):
        entry.also(f"at most {limit} threads", blockSizeLimit=limit)
    entry.also("much memory", dynamicSMemSize=40000, blockSizeLimit=100)
    entry.also("too much memory", dynamicSMemSize=49153)
    return entry


def refuse(entry: Entry) -> None:
    """Add the cases of a null, destroyed or contextless function or kernel."""
    refuse_function(entry, "func")
    entry.breaks("FUNCTION_IS_NO_KERNEL", func=lambda i: module(i.process))
    entry.model_only("FUNCTION_IS_NO_KERNEL", code=Result.INVALID_HANDLE)  # a driver follows a module's handle
    entry.undefined("KERNEL_IS_LOADED", code=Result.INVALID_HANDLE, func=lambda i: without_library(i.process))
    entry.breaks("TARGET_IS_THE_DEVICE_S", func=lambda i: kernel(i.process, jit=ELSEWHERE))
    entry.also("a kernel", func=lambda i: kernel(i.process))
    for name, config in CACHES.items():
        entry.also(f"prefers {name}", func=lambda i, config=config: preferring(i.process, config))
        entry.also(f"a kernel that prefers {name}", func=lambda i, config=config: kernel_preferring(i.process, config))
        entry.also(f"in a context that prefers {name}", func=lambda i, config=config: in_context(i.process, config))
    for percent in (0, 4, 15, 50, 75):
        entry.also(f"{percent} per cent", func=lambda i, percent=percent: preferring(i.process, 2, percent))

    @entry.world("CONTEXT_IS_ALIVE", "a kernel in a destroyed context", "func")
    def destroyed(_w: World, i: Invocation) -> Invocation:
        handle = kernel(i.process)
        i.process.thread("other").c.cuCtxDestroy(i.process.context)
        return i.evolve(func=handle)

    @entry.world("CONTEXT_IS_CURRENT", "a kernel in no context", "func")
    def nowhere(_w: World, i: Invocation) -> Invocation:
        handle = kernel(i.process)
        i.process.ok.cuCtxPopCurrent()
        return i.evolve(func=handle)


def available(w: World) -> Invocation:
    a = w.process()
    return a.call("cuOccupancyAvailableDynamicSMemPerBlock", func=function(a), numBlocks=8, blockSize=32)


max_active = active(ACTIVE)
test_occupancy_max_active_blocks_per_multiprocessor = max_active.test()

max_active_with_flags = active(f"{ACTIVE}WithFlags", flags=0)
max_active_with_flags.breaks("OCCUPANCY_FLAGS_ARE_KNOWN", flags=2)
max_active_with_flags.also("without caching", flags=1)
test_occupancy_max_active_blocks_per_multiprocessor_with_flags = max_active_with_flags.test()

max_potential = potential(POTENTIAL)
test_occupancy_max_potential_block_size = max_potential.test()

max_potential_with_flags = potential(f"{POTENTIAL}WithFlags", flags=0)
max_potential_with_flags.breaks("OCCUPANCY_FLAGS_ARE_KNOWN", flags=2)
max_potential_with_flags.also("without caching", flags=1)
test_occupancy_max_potential_block_size_with_flags = max_potential_with_flags.test()

available_dynamic = Entry("cuOccupancyAvailableDynamicSMemPerBlock", available)


@available_dynamic.undefined("ROOM_IS_GIVEN", code=Result.INVALID_VALUE)
def null(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, null="dynamicSmemSize")


refuse(available_dynamic)
available_dynamic.breaks("BLOCK_IS_POSITIVE", blockSize=0)
available_dynamic.breaks("BLOCKS_FIT", numBlocks=33)
available_dynamic.breaks("BLOCKS_FIT", "none", numBlocks=0)
for blocks in (1, 4, 16, 31):
    available_dynamic.also(f"{blocks} blocks", numBlocks=blocks)
available_dynamic.also("with static memory", func=lambda i: function(i.process, b"fixed"))
test_occupancy_available_dynamic_smem_per_block = available_dynamic.test()
