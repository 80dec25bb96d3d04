"""cuMemAllocFromPoolAsync: allocate from a pool in stream order.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.cases.driver.context.fixtures import described
from conformance.cases.driver.device.fixtures import without_pools
from conformance.cases.driver.pool.fixtures import (
    ATTRIBUTE,
    CHUNK,
    FOLLOW_EVENTS,
    HOST,
    HOST_NUMA,
    INTERNAL,
    MANAGED,
    NONE,
    OPPORTUNISTIC,
    SIZE,
    books,
    imported,
    memory,
    pool,
    refuse,
)
from conformance.cases.driver.stream.captured_calls import captured
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, PER_THREAD, accept, block, stream
from conformance.cases.driver.stream.fixtures import refuse as refuse_streams
from conformance.cases.driver.va.fixtures import content, most
from conformance.kit.case import Entry
from conformance.kit.program import INSIDE
from conformance.kit.world import DEVICE, PINNED, access
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


POINTER = ENUMS["CUpointer_attribute"]
HALF = CHUNK // 2
MOMENTS = 100
"""The maximum number of queries until a free without dependencies is done."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemAllocFromPoolAsync", bytesize=SIZE, pool=pool(a), hStream=0)


def usable(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the memory is of the pool, and can be written and read."""
    a, ptr = i.process, results[0]
    a.ok.cuStreamSynchronize(i.args["hStream"])
    assert a.ok.cuPointerGetAttribute(POINTER["CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE"], ptr) == i.args["pool"]
    a.ok.cuMemsetD8(ptr, 7, SIZE)
    a.ok.cuCtxSynchronize()
    assert content(a, ptr) == b"\7" * 4
    assert books(a, i.args["pool"]) == (CHUNK, SIZE)


entry = Entry("cuMemAllocFromPoolAsync", valid, usable)
entry.null("dptr", "RESULT_IS_GIVEN")
entry.breaks("MEMORY_SUFFICES", bytesize=1 << 50)
entry.breaks("MEMORY_SUFFICES", "all there is", bytesize=(1 << 64) - 1)
refuse(entry)
refuse_streams(entry)
accept(entry)
entry.also("in a stream that is captured", hStream=lambda i: captured(i.process))


def null(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that nothing is allocated and the pointer is null."""
    assert results == (0,)
    assert books(i.process, i.args["pool"]) == (0, 0)


entry.also("nothing", bytesize=0, then=null)


@entry.world("POOL_ALLOCATES")
def import_(w: World, i: Invocation) -> Invocation:
    return i.evolve(pool=imported(i.process, w.process())[0])


@entry.world("POOL_ALLOCATES", "and nothing of it")
def nothing_of_an_import(w: World, i: Invocation) -> Invocation:
    return import_(w, i).evolve(bytesize=0)


@entry.world("MEMORY_SUFFICES", "exhausted")
def exhausted(_: World, i: Invocation) -> Invocation:
    size = most(i.process)
    i.process.ok.cuMemAllocFromPoolAsync(size, i.args["pool"], 0)
    return i.evolve(bytesize=size)


@entry.world("MEMORY_SUFFICES", "more than the pool may have")
def limited(_: World, i: Invocation) -> Invocation:
    a, made = i.process, pool(i.process, max_size=2 * CHUNK)
    for _round in range(2):
        a.ok.cuMemAllocFromPoolAsync(CHUNK, made, 0)
    return i.evolve(pool=made)


def kept(i: Invocation, most: int) -> Invocation:
    """Return the call for a pool with two unused reserved blocks and a maximum size."""
    a, made = i.process, pool(i.process, max_size=most * CHUNK)
    a.ok.cuMemPoolSetAttribute(made, ATTRIBUTE["RELEASE_THRESHOLD"], 1 << 60)
    for ptr in [memory(a, made, CHUNK) for _round in range(2)]:
        a.ok.cuMemFreeAsync(ptr, 0)
    a.ok.cuCtxSynchronize()
    return i.evolve(pool=made)


@entry.world("MEMORY_SUFFICES", "more than the pool may have beside what it keeps")
def limited_and_kept(_: World, i: Invocation) -> Invocation:
    return kept(i, 2).evolve(bytesize=3 * CHUNK)


@entry.also("what the pool may have and keeps is used for others")
def limited_and_idle(_: World, i: Invocation) -> Invocation:
    return kept(i, 2).evolve(bytesize=2 * CHUNK)


@entry.also("what the pool may have is more than what it keeps")
def limited_and_more(_: World, i: Invocation) -> Invocation:
    return kept(i, 3).evolve(bytesize=3 * CHUNK)


@entry.also("a pool of another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(pool=pool(i.process, location=(DEVICE, 1)))


for name, kind, where in (
    ("the host", PINNED, HOST),
    ("a node of the host", PINNED, HOST_NUMA),
    ("managed memory", MANAGED, NONE),
    ("managed memory of a device", MANAGED, DEVICE),
    ("managed memory of the host", MANAGED, HOST),
):

    @entry.also(f"a pool of {name}")
    def other_kind(_: World, i: Invocation, kind: int = kind, where: int = where) -> Invocation:
        a, made = i.process, pool(i.process, kind=kind, location=(where, 0))
        ptr = memory(a, made)
        a.ok.cuCtxSynchronize()
        for attribute in ("MEMORY_TYPE", "HOST_POINTER", "IS_MANAGED", "DEVICE_ORDINAL", "ACCESS_FLAGS", "MAPPED"):
            a.c.cuPointerGetAttribute(POINTER[f"CU_POINTER_ATTRIBUTE_{attribute}"], ptr)
        return i.evolve(pool=made)


for kind, where in ((PINNED, HOST), (PINNED, HOST_NUMA), (MANAGED, DEVICE)):

    @entry.also(f"the host uses memory of kind {kind} at location {where}")
    def by_the_host(_: World, i: Invocation, kind: int = kind, where: int = where) -> None:
        a, made = i.process, pool(i.process, kind=kind, location=(where, 0))
        if kind == PINNED:
            a.ok.cuMemPoolSetAccess(made, (access(),), 1)
        ptr = memory(a, made)
        a.ok.cuCtxSynchronize()
        a.write(ptr, b"host")
        a.ok.cuMemcpy(ptr + 4, ptr, 4)
        a.ok.cuMemsetD8(ptr, 9, 2)
        a.ok.cuCtxSynchronize()
        assert a.read(ptr, 8) == b"\t\tsthost"
        a.ok.cuMemFree(ptr)
        a.ok.cuMemPoolDestroy(made)


entry.also("a default pool", pool=lambda i: i.process.ok.cuDeviceGetDefaultMemPool(0))


@entry.also("memory freed in the stream is used again")
def again(_: World, i: Invocation) -> None:
    a, source = i.process, i.args["pool"]
    for _round in range(3):
        a.ok.cuMemFreeAsync(memory(a, source, CHUNK), 0)
    assert books(a, source) == (CHUNK, 0)


@entry.also("adjoining memory freed in the stream is used again")
def joined(_: World, i: Invocation) -> None:
    a, source = i.process, i.args["pool"]
    for ptr in [memory(a, source, HALF) for _round in range(2)]:
        a.ok.cuMemFreeAsync(ptr, 0)
    memory(a, source, CHUNK)
    assert books(a, source) == (CHUNK, CHUNK)


@entry.also("blocks that are free join for memory that none has room for")
def blocks_join(_: World, i: Invocation) -> None:
    a, source = i.process, i.args["pool"]
    a.ok.cuMemPoolSetAttribute(source, ATTRIBUTE["RELEASE_THRESHOLD"], 1 << 40)
    for ptr in [memory(a, source, CHUNK) for _round in range(3)]:
        a.ok.cuMemFreeAsync(ptr, 0)
    a.ok.cuCtxSynchronize()
    memory(a, source, 3 * CHUNK)
    assert books(a, source) == (3 * CHUNK, 3 * CHUNK)
    memory(a, source, CHUNK)
    assert books(a, source) == (4 * CHUNK, 4 * CHUNK)


@entry.also("of blocks that are free and too small together only the rest is reserved anew")
def blocks_join_with_new(_: World, i: Invocation) -> None:
    a, source = i.process, i.args["pool"]
    parts = [memory(a, source, CHUNK) for _round in range(3)]
    for ptr in parts[1:]:
        a.ok.cuMemFreeAsync(ptr, 0)
    memory(a, source, 4 * CHUNK)
    assert books(a, source) == (5 * CHUNK, 5 * CHUNK)


@entry.also("memory that was freed apart has no room for what is larger")
def apart(_: World, i: Invocation) -> None:
    a, source = i.process, i.args["pool"]
    parts = [memory(a, source, HALF // 2) for _round in range(4)]
    for ptr in parts[::2]:
        a.ok.cuMemFreeAsync(ptr, 0)
    memory(a, source, HALF)
    assert books(a, source) == (2 * CHUNK, CHUNK)
    assert memory(a, source, HALF // 2) == parts[0]


@entry.also("memory that several streams freed and the host has seen freed is used as one")
def seen_freed(_: World, i: Invocation) -> None:
    a, source = i.process, i.args["pool"]
    a.ok.cuMemPoolSetAttribute(source, ATTRIBUTE["RELEASE_THRESHOLD"], CHUNK)
    parts = [memory(a, source, HALF // 2) for _round in range(4)]
    mine, other = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    for place, freeing in ((0, mine), (2, mine), (3, other)):
        a.ok.cuMemFreeAsync(parts[place], freeing)
    a.ok.cuCtxSynchronize()
    assert memory(a, source, HALF) == parts[2]


def only(i: Invocation, *policies: int) -> int:
    """Return a pool with only some reuse policies."""
    made = pool(i.process)
    for policy in {FOLLOW_EVENTS, OPPORTUNISTIC, INTERNAL} - set(policies):
        i.process.ok.cuMemPoolSetAttribute(made, policy, 0)
    return made


def reused(i: Invocation, source: int, *, event: bool = False, wait: bool = False) -> bool:
    """Return whether memory freed in one stream is reused in another.

    Args:
        i: The case's call, whose process is used.
        source: The pool.
        event: Whether the other waits for an event that was recorded after the free.
        wait: Whether the host waits for the free.
    """
    a = i.process
    first, second = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    a.ok.cuMemFreeAsync(memory(a, source, CHUNK, first), first)
    if event:
        recorded = a.ok.cuEventCreate(0)
        a.ok.cuEventRecord(recorded, first)
        a.ok.cuStreamWaitEvent(second, recorded, 0)
    if wait:
        a.ok.cuMemPoolSetAttribute(source, 4, 1 << 60)
        a.ok.cuStreamSynchronize(first)
    memory(a, source, CHUNK, second)
    return books(a, source)[0] == CHUNK


@entry.also("no policy: another stream gets other memory")
def no_policy(_: World, i: Invocation) -> None:
    assert not reused(i, only(i))
    assert not reused(i, only(i), event=True)


@entry.also("no policy: memory that another stream freed lies between")
def no_policy_between(_: World, i: Invocation) -> None:
    a, source = i.process, only(i)
    mine, other = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    parts = [memory(a, source, HALF // 2) for _round in range(4)]
    for ptr, freeing in zip(parts, (mine, other, mine, mine), strict=True):
        a.ok.cuMemFreeAsync(ptr, freeing)
    for size, by, place in ((HALF, mine, 2), (HALF // 2, mine, 0), (HALF // 2, other, 1)):
        assert memory(a, source, size, by) == parts[place]


@entry.also("no policy: memory that the host has seen freed is used again")
def no_policy_but_waited(_: World, i: Invocation) -> None:
    assert reused(i, only(i), wait=True)


@entry.also("policy: events make an order")
def follow(_: World, i: Invocation) -> None:
    assert not reused(i, only(i, FOLLOW_EVENTS))
    assert reused(i, only(i, FOLLOW_EVENTS), event=True)


@entry.also("policy: frees that are done")
def opportunistic(_: World, i: Invocation) -> None:
    a, source = i.process, only(i, OPPORTUNISTIC)
    first, second = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    ptr = memory(a, source, CHUNK, first)
    a.ok.cuMemFreeAsync(ptr, first)
    for _moment in range(MOMENTS):
        if a.c.cuStreamQuery(first) == (Result.SUCCESS,):
            break
    memory(a, source, CHUNK, second)
    assert books(a, source) == (CHUNK, CHUNK)


@entry.also("policy: frees that are not done")
def not_done(w: World, i: Invocation) -> None:
    a, source = i.process, only(i, OPPORTUNISTIC)
    first, second = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    ptr = memory(a, source, CHUNK, first)
    block(w, a, first)
    a.ok.cuMemFreeAsync(ptr, first)
    memory(a, source, CHUNK, second)
    assert books(a, source) == (2 * CHUNK, CHUNK)


@entry.also("policy: rather more memory than to wait for a free")
def more(w: World, i: Invocation) -> None:
    a, source = i.process, only(i, INTERNAL)
    first, second = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    ptr = memory(a, source, CHUNK, first)
    unblock = block(w, a, first)
    a.ok.cuMemFreeAsync(ptr, first)
    memory(a, source, CHUNK, second)
    assert books(a, source) == (2 * CHUNK, CHUNK)
    unblock()


@entry.also("policy: where there is no more memory the allocation waits for the free")
def internal(w: World, i: Invocation) -> None:
    a, source = i.process, pool(i.process, max_size=CHUNK)
    first, second = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    ptr = memory(a, source, CHUNK, first)
    unblock = block(w, a, first)
    a.ok.cuMemFreeAsync(ptr, first)
    memory(a, source, CHUNK, second)
    assert books(a, source) == (CHUNK, CHUNK)
    assert a.c.cuStreamQuery(second) == (Result.NOT_READY,)
    unblock()
    a.ok.cuStreamQuery(second)


@entry.also("the legacy stream makes an order")
def legacy(_: World, i: Invocation) -> None:
    a, source = i.process, only(i, FOLLOW_EVENTS)
    first = stream(a)
    a.ok.cuMemFreeAsync(memory(a, source, CHUNK, first), first)
    memory(a, source, CHUNK, 1)
    assert books(a, source)[0] == CHUNK


entry.alone("MEMORY_SUFFICES-exhausted")
entry.breaks("POOL_IS_GIVEN", "in the thread's own stream", pool=0, hStream=PER_THREAD)


@entry.world("CONTEXT_IS_CURRENT", "no pool and the thread's own stream", "pool", "hStream")
def no_context_and_no_pool(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxDestroy(i.process.context)
    return i.evolve(pool=0, hStream=PER_THREAD)


@entry.world("CALLS_ARE_PERMITTED", "with a created stream")
def inside(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hStream=stream(i.process)).on_thread(INSIDE)


test_mem_alloc_from_pool_async = entry.test()


@pytest.mark.parametrize("strict", [False, True])
def test_pools_are_supported(*, strict: bool) -> None:
    del strict
    with described(without_pools()) as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuMemAllocFromPoolAsync(SIZE, 0, 0) == (Result.NOT_SUPPORTED, None)
