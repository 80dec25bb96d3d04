"""cuMemAllocAsync: allocate from a device's current pool in stream order.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from conformance.cases.driver.context.fixtures import described
from conformance.cases.driver.device.fixtures import without_pools
from conformance.cases.driver.graph.conditionals import owned
from conformance.cases.driver.graph.fixtures import executable
from conformance.cases.driver.pool.fixtures import CHUNK, SIZE, books, pool
from conformance.cases.driver.stream.captured_calls import captured, captured_into
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, accept, block, elsewhere, refuse, stream
from conformance.cases.driver.va.fixtures import content, most
from conformance.kit.case import Entry
from conformance.kit.program import FORKED, INSIDE
from conformance.kit.world import DEVICE
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


POINTER = ENUMS["CUpointer_attribute"]
CONTEXT, ORDINAL, POOL = (
    POINTER[f"CU_POINTER_ATTRIBUTE_{name}"] for name in ("CONTEXT", "DEVICE_ORDINAL", "MEMPOOL_HANDLE")
)


def valid(w: World) -> Invocation:
    return w.process().call("cuMemAllocAsync", bytesize=SIZE, hStream=0)


def usable(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the memory is of the default pool, and of no context."""
    a, ptr = i.process, results[0]
    a.ok.cuStreamSynchronize(i.args["hStream"])
    assert a.ok.cuPointerGetAttribute(POOL, ptr) == a.ok.cuDeviceGetDefaultMemPool(0)
    assert a.ok.cuPointerGetAttribute(CONTEXT, ptr) == 0
    assert a.ok.cuMemGetAddressRange(ptr) == (ptr, i.args["bytesize"])
    a.ok.cuMemsetD8(ptr, 7, i.args["bytesize"])
    a.ok.cuCtxSynchronize()
    assert content(a, ptr, 1) == b"\7"


def null(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that nothing is allocated and the pointer is null."""
    assert results == (0,)


entry = Entry("cuMemAllocAsync", valid, usable)
entry.null("dptr", "RESULT_IS_GIVEN")
entry.breaks("MEMORY_SUFFICES", bytesize=1 << 50)
entry.breaks("MEMORY_SUFFICES", "all there is", bytesize=(1 << 64) - 1)
refuse(entry)
accept(entry)


def of_the_graph(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that each launch allocates at this address, and nothing before."""
    a, (ptr,) = i.process, results
    made = executable(a, a.ok.cuStreamEndCapture(i.args["hStream"]))
    assert a.c.cuPointerGetAttribute(POOL, ptr)[0] == Result.INVALID_VALUE
    for _launch in range(2):
        a.ok.cuGraphLaunch(made, 0)
        a.ok.cuMemsetD8(ptr, 7, i.args["bytesize"])
        assert a.ok.cuMemGetAddressRange(ptr) == (ptr, i.args["bytesize"])
        assert content(a, ptr, 1) == b"\7"
        a.ok.cuMemFree(ptr)


entry.also("in a stream that is captured", then=of_the_graph, hStream=lambda i: captured(i.process))
entry.also(
    "into a graph that was taken over",
    code=Result.NOT_SUPPORTED,
    hStream=lambda i: captured_into(i.process, owned(i.process)),
)
entry.also("no bytes in a stream that is captured", then=null, bytesize=0, hStream=lambda i: captured(i.process))
entry.also("a byte", bytesize=1, then=usable)
entry.also("nothing", bytesize=0, then=null)
entry.also("more than a block", bytesize=CHUNK + 1, then=usable)


@entry.world("MEMORY_SUFFICES", "exhausted")
def exhausted(_: World, i: Invocation) -> Invocation:
    size = most(i.process)
    i.process.ok.cuMemAlloc(size)
    return i.evolve(bytesize=size)


@entry.also("memory that pools keep is there for others")
def kept_elsewhere(_: World, i: Invocation) -> Invocation:
    a = i.process
    size, keeping = most(a), pool(a)
    a.ok.cuMemFreeAsync(a.ok.cuMemAllocFromPoolAsync(size, keeping, 0), 0)
    a.ok.cuMemPoolSetAttribute(keeping, 4, 1 << 60)
    a.ok.cuCtxSynchronize()
    return i.evolve(bytesize=size)


@entry.also("another pool is current")
def current(_: World, i: Invocation) -> None:
    a, made = i.process, pool(i.process)
    a.ok.cuDeviceSetMemPool(0, made)
    assert a.ok.cuPointerGetAttribute(POOL, i.run()[1]) == made


@entry.also("a stream of another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    there, _context = elsewhere(i.process, device=1)
    ptr = i.evolve(hStream=there).run()[1]
    assert i.process.ok.cuPointerGetAttribute(ORDINAL, ptr) == 1
    return i.evolve(hStream=there)


@entry.also("the stream has work to do before")
def behind(w: World, i: Invocation) -> Invocation:
    waiting = stream(i.process, NON_BLOCKING)
    block(w, i.process, waiting)
    return i.evolve(hStream=waiting)


@entry.after("it outlives its context")
def outlives(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    a = i.process
    a.ok.cuCtxSynchronize()
    a.ok.cuCtxDestroy(a.context)
    a.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuMemGetAddressRange(results[0])


@entry.after("every attribute of a pointer")
def attributes(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    for name, attribute in POINTER.items():
        if not name.endswith("P2P_TOKENS"):
            i.process.c.cuPointerGetAttribute(attribute, results[0])


@entry.after("calls for other memory, which has tokens too")
def elsewhere_refused(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    c, ptr = i.process.c, results[0]
    assert c.cuIpcGetMemHandle(ptr)[0] == Result.INVALID_VALUE
    assert c.cuPointerSetAttribute(1, POINTER["CU_POINTER_ATTRIBUTE_SYNC_MEMOPS"], ptr) == (Result.SUCCESS,)
    assert c.cuPointerGetAttribute(POINTER["CU_POINTER_ATTRIBUTE_SYNC_MEMOPS"], ptr)[0] == Result.SUCCESS
    assert c.cuPointerGetAttribute(POINTER["CU_POINTER_ATTRIBUTE_P2P_TOKENS"], ptr)[0] == Result.SUCCESS
    assert c.cuMemFreeHost(ptr)[0] == Result.INVALID_VALUE
    assert c.cuMemRetainAllocationHandle(ptr)[0] == Result.INVALID_VALUE
    for name, args in (
        ("cuMemHostGetDevicePointer", (ptr, 0)),
        ("cuMemHostGetFlags", (ptr,)),
        ("cuMemGetAccess", ((DEVICE, 0), ptr)),
        ("cuMemGetHandleForAddressRange", (ptr, SIZE, 1, 0)),
    ):
        getattr(c, name)(*args)


@entry.also("in a fork, of what is reserved")
def forked(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuMemAllocAsync(SIZE, 0)
    return evolve(i.evolve(hStream=stream(i.process)), thread=FORKED)


@entry.world("MEMORY_SUFFICES", "in a fork")
def forked_and_short(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuMemAllocAsync(SIZE, 0)
    return evolve(i.evolve(hStream=stream(i.process), bytesize=2 * CHUNK), thread=FORKED)


@entry.also("a block has room for many")
def many(_: World, i: Invocation) -> None:
    made = pool(i.process)
    for _round in range(3):
        i.process.ok.cuMemAllocFromPoolAsync(SIZE, made, 0)
    assert books(i.process, made) == (CHUNK, 3 * SIZE)


entry.alone("MEMORY_SUFFICES-exhausted", "memory-that-pools-keep-is-there-for-others")


@entry.world("CALLS_ARE_PERMITTED", "with a created stream")
def inside(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hStream=stream(i.process)).on_thread(INSIDE)


test_mem_alloc_async = entry.test()


def test_pools_are_supported() -> None:
    with described(without_pools()) as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuMemAllocAsync(SIZE, 0) == (Result.NOT_SUPPORTED, None)
