"""cuIpcCloseMemHandle: unmap an allocation of another process.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.cases.driver.va.fixtures import NOWHERE, content, half_mapped, imported
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

SIZE = 4096


def valid(w: World) -> Invocation:
    a, b = w.process(), w.process()
    return a.call("cuIpcCloseMemHandle", dptr=imported(a, b, SIZE)[0])


def unmapped(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the pointer is unknown afterwards."""
    assert i.c.cuMemGetAddressRange(i.args["dptr"]) == (Result.NOT_FOUND, None, None)


entry = Entry("cuIpcCloseMemHandle", valid, unmapped)
entry.breaks("POINTER_IS_A_MAPPING", dptr=NOWHERE)
entry.breaks("POINTER_IS_A_MAPPING", "null", dptr=0)
entry.breaks("POINTER_IS_A_MAPPING", "inside", dptr=lambda i: i.args["dptr"] + 512)
entry.breaks("POINTER_IS_A_MAPPING", "allocated", dptr=lambda i: i.process.ok.cuMemAlloc(SIZE))
entry.breaks("POINTER_IS_A_MAPPING", "mapped", dptr=lambda i: half_mapped(i.process))


@entry.also("the work of its context is done first")
def at_work(w: World, i: Invocation) -> None:
    a, working = i.process, stream(i.process, NON_BLOCKING)
    another, _ = imported(a, w.process(), SIZE)
    a.ok.cuLaunchHostFunc(working, a.c_function("usleep"), 20_000)
    a.ok.cuMemsetD8Async(another, 1, SIZE, working)
    a.ok.cuIpcCloseMemHandle(another)
    a.ok.cuStreamQuery(working)
    a.ok.cuCtxSynchronize()


@entry.world("POINTER_IS_A_MAPPING", "closed")
def closed(_: World, i: Invocation) -> None:
    i.run()


@entry.world("POINTER_IS_A_MAPPING", "the exporter's pointer")
def exporters_pointer(w: World, i: Invocation) -> Invocation:
    b = w.process()
    _, theirs = imported(i.process, b)
    return b.call(i.call, dptr=theirs)


@entry.also("as often as it was opened", then=unmapped)
def counted(w: World, i: Invocation) -> Invocation:
    a, b = i.process, w.process()
    handle = b.ok.cuIpcGetMemHandle(b.ok.cuMemAlloc(SIZE))
    first, second = a.ok.cuIpcOpenMemHandle(handle, 1), a.ok.cuIpcOpenMemHandle(handle, 1)
    assert first == second
    a.ok.cuIpcCloseMemHandle(first)
    a.ok.cuMemsetD8(first, 1, 16)
    return i.evolve(dptr=first)


@entry.also("from another context", then=unmapped)
def other_context(_: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


@entry.also("the original and other imports are unaffected")
def unaffected(w: World, i: Invocation) -> None:
    a, b, c = i.process, w.process(), w.process()
    ours, original = imported(a, b, SIZE)
    theirs = c.ok.cuIpcOpenMemHandle(b.ok.cuIpcGetMemHandle(original), 1)
    b.ok.cuMemsetD8(original, 5, SIZE)
    b.ok.cuCtxSynchronize()
    a.ok.cuIpcCloseMemHandle(ours)
    assert content(b, original) == content(c, theirs) == b"\5" * 4


@entry.also("opened anew")
def anew(w: World, i: Invocation) -> Invocation:
    a, b = i.process, w.process()
    handle = b.ok.cuIpcGetMemHandle(b.ok.cuMemAlloc(SIZE))
    a.ok.cuIpcCloseMemHandle(a.ok.cuIpcOpenMemHandle(handle, 1))
    return i.evolve(dptr=a.ok.cuIpcOpenMemHandle(handle, 1))


@entry.also("after the exporter's end", then=unmapped)
def exporter_killed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    ours, _ = imported(i.process, b)
    b.kill()
    return i.evolve(dptr=ours)


test_ipc_close_mem_handle = entry.test()
