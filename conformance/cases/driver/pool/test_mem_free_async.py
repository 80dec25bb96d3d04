"""cuMemFreeAsync: free memory in stream order.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from conformance.cases.driver.context.fixtures import described
from conformance.cases.driver.device.fixtures import without_pools
from conformance.cases.driver.graph.conditionals import owned
from conformance.cases.driver.graph.making_executable import UPLOAD
from conformance.cases.driver.graph.memory import allocating
from conformance.cases.driver.memory.fixtures import pointers
from conformance.cases.driver.pool.fixtures import CHUNK, SIZE, books, freed, imported, memory, opened, pool, shared
from conformance.cases.driver.stream.captured_calls import captured, captured_into
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, accept, block, refuse, stream
from conformance.cases.driver.va.fixtures import NOWHERE, half_mapped
from conformance.cases.driver.va.fixtures import imported as opened_by_handle
from conformance.kit.case import Entry
from conformance.kit.program import FORKED, INSIDE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemFreeAsync", dptr=memory(a), hStream=0)


def gone(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the pointer cannot be freed again."""
    i.process.ok.cuCtxSynchronize()
    assert i.c.cuMemFreeAsync(i.args["dptr"], i.args["hStream"]) == (Result.INVALID_VALUE,)


entry = Entry("cuMemFreeAsync", valid, gone)
refuse(entry)
accept(entry)
entry.also("null", dptr=0)
entry.also("null in a stream that is captured", dptr=0, hStream=lambda i: captured(i.process))
entry.also(
    "memory of a pool in a stream that is captured",
    code=Result.INVALID_VALUE,
    hStream=lambda i: captured(i.process),
)


@entry.also("memory of a graph in a stream that is captured")
def of_a_graph(_w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=allocating(i.process)[1], hStream=captured(i.process))


@entry.also("memory of a graph into one that was taken over", code=Result.NOT_SUPPORTED)
def into_a_child(_w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=allocating(i.process)[1], hStream=captured_into(i.process, owned(i.process)))


@entry.also("what the stream that is captured has allocated")
def of_its_graph(_w: World, i: Invocation) -> Invocation:
    working = captured(i.process)
    return i.evolve(dptr=i.process.ok.cuMemAllocAsync(SIZE, working), hStream=working)


@entry.also("what the stream that is captured has freed", code=Result.INVALID_VALUE)
def freed_meanwhile(_w: World, i: Invocation) -> Invocation:
    given = of_its_graph(_w, i)
    assert given.run() == (0,)
    return given


entry.breaks("POINTER_IS_A_BASE", dptr=lambda i: i.args["dptr"] + 512)
entry.breaks("POINTER_IS_A_BASE", "nowhere", dptr=NOWHERE)
entry.breaks("POINTER_IS_A_BASE", "mapped", dptr=lambda i: half_mapped(i.process))
entry.breaks("POINTER_IS_A_BASE", "freed", dptr=lambda i: freed(i.process))
for kind, args in pointers("dptr", "pinned", "registered", "plain"):
    entry.breaks("POINTER_IS_A_BASE", kind, **args)
for kind, args in pointers("dptr", "managed"):
    entry.breaks("MEMORY_IS_NOT_MANAGED", kind, **args)
entry.breaks("POINTER_IS_A_BASE", "inside managed memory", dptr=lambda i: i.process.ok.cuMemAllocManaged(SIZE, 1) + 512)
entry.breaks("POINTER_IS_A_BASE", "inside linear memory", dptr=lambda i: i.process.ok.cuMemAlloc(SIZE) + 512)
for kind, args in pointers("dptr", "linear"):
    entry.also(f"{kind} memory", then=gone, **args)


@entry.world("POINTER_IS_A_BASE", "opened by a handle")
def opened_memory(w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=opened_by_handle(i.process, w.process())[0])


@entry.undefined("MEMORY_STAYS", "", "dptr", code=Result.SUCCESS)
def leaving(w: World, i: Invocation) -> Invocation:
    waiting, ptr = stream(i.process, NON_BLOCKING), i.process.ok.cuMemAlloc(SIZE)
    block(w, i.process, waiting)
    i.process.ok.cuMemFreeAsync(ptr, waiting)
    return i.evolve(dptr=ptr)


@entry.undefined("NO_GRAPH_WAS_UPLOADED_OVER_IT", "", "dptr", code=Result.SUCCESS)
def uploaded_over(_w: World, i: Invocation) -> Invocation:
    a, (of, left) = i.process, allocating(i.process)
    made = a.ok.cuGraphInstantiate(of, 0)
    a.ok.cuGraphLaunch(made, 0)
    a.ok.cuGraphExecDestroy(made)
    a.ok.cuGraphInstantiateWithParams(of, (UPLOAD, 0, 0, 0))
    return i.evolve(dptr=left)


@entry.undefined("NO_IMPORTER_HAS_IT", "", "dptr", code=Result.SUCCESS)
def open_elsewhere(w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=opened(w.process(), i.process)[1])


@entry.undefined("NO_IMPORTER_IS_OPEN", code=Result.SUCCESS)
def open_by_handle(w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=opened_by_handle(w.process(), i.process)[1])


@entry.also("in a fork, for itself alone")
def forked(_: World, i: Invocation) -> Invocation:
    a, ptr = i.process, i.args["dptr"]
    assert evolve(i.evolve(hStream=stream(a)), thread=FORKED).run() == (Result.SUCCESS,)
    assert a.ok.cuMemGetAddressRange(ptr) == (ptr, SIZE)
    return i


@entry.world("CALLS_ARE_PERMITTED", "with a created stream")
def inside(_: World, i: Invocation) -> Invocation:
    return i.evolve(hStream=stream(i.process)).on_thread(INSIDE)


@entry.also("an import")
def import_(w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=opened(i.process, w.process())[0])


@entry.also("the importer has freed it")
def importer_freed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    theirs, ours = opened(b, i.process)
    b.ok.cuMemFreeAsync(theirs, 0)
    b.ok.cuCtxSynchronize()
    return i.evolve(dptr=ours)


@entry.world("POINTER_IS_A_BASE", "imported twice and freed once", "dptr")
def freed_once(w: World, i: Invocation) -> Invocation:
    into, source = imported(i.process, b := w.process())
    _, data = shared(b, source)
    first = i.process.ok.cuMemPoolImportPointer(into, data)
    assert i.process.ok.cuMemPoolImportPointer(into, data) == first
    i.process.ok.cuMemFreeAsync(first, 0)
    return i.evolve(dptr=first)


@entry.also("another stream than that of the allocation")
def other_stream(_: World, i: Invocation) -> Invocation:
    a = i.process
    return i.evolve(dptr=memory(a, stream=stream(a)), hStream=stream(a, NON_BLOCKING))


@entry.also("the pool keeps its block until the host has waited")
def kept(_: World, i: Invocation) -> None:
    a, source = i.process, pool(i.process)
    a.ok.cuMemFreeAsync(memory(a, source), 0)
    a.ok.cuMemPoolTrimTo(source, 0)
    assert books(a, source) == (CHUNK, 0)
    a.ok.cuStreamSynchronize(0)
    assert books(a, source) == (0, 0)


@entry.also("linear memory is used until the stream comes to it")
def waits(w: World, i: Invocation) -> None:
    a = i.process
    waiting, ptr = stream(a, NON_BLOCKING), a.ok.cuMemAlloc(SIZE)
    unblock = block(w, a, waiting)
    a.ok.cuMemFreeAsync(ptr, waiting)
    unblock()
    assert a.c.cuMemGetAddressRange(ptr) == (Result.NOT_FOUND, None, None)


test_mem_free_async = entry.test()


def test_pools_are_supported() -> None:
    with described(without_pools()) as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuMemFreeAsync(c.cuMemAlloc(SIZE)[1], 0) == (Result.NOT_SUPPORTED,)
