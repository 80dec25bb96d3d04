"""cuIpcOpenEventHandle: open another process's event.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import described
from conformance.cases.driver.event.fixtures import exported, opened
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a, b = w.process(), w.process()
    return a.call("cuIpcOpenEventHandle", handle=exported(b)[1])


def an_event(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that it works as an own event, with a new handle on each open."""
    a, (event,) = i.process, results
    a.ok.cuEventQuery(event)
    a.ok.cuEventRecord(event, 0)
    a.ok.cuEventSynchronize(event)
    again = a.ok.cuIpcOpenEventHandle(i.args["handle"])
    assert again != event
    a.ok.cuEventDestroy(event)
    a.ok.cuEventQuery(again)
    a.ok.cuEventDestroy(again)


entry = Entry("cuIpcOpenEventHandle", valid, an_event)
entry.null("phEvent", "RESULT_IS_GIVEN")
entry.breaks("HANDLE_IS_KNOWN", handle=bytes(64))
entry.breaks("HANDLE_IS_KNOWN", "ones", handle=b"\1" * 64)
entry.breaks("HANDLE_IS_ANOTHER_PROCESS_S", handle=lambda i: exported(i.process)[1])


@entry.world("HANDLE_IS_KNOWN", "of memory")
def of_memory(w: World, i: Invocation) -> Invocation:
    b = w.process()
    return i.evolve(handle=b.ok.cuIpcGetMemHandle(b.ok.cuMemAlloc(4096)))


@entry.world("HANDLE_IS_KNOWN", "of its own memory")
def of_its_own_memory(_w: World, i: Invocation) -> Invocation:
    a = i.process
    return i.evolve(handle=a.ok.cuIpcGetMemHandle(a.ok.cuMemAlloc(4096)))


@entry.undefined("EXPORTED_EVENT_HAS_A_CONTEXT", code=Result.MAP_FAILED)
def context_destroyed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    _, handle = exported(b)
    b.ok.cuCtxDestroy(b.context)
    return i.evolve(handle=handle)


@entry.also("of a destroyed context, opened before")
def opened_before(w: World, i: Invocation) -> Invocation:
    """Pass a handle that was opened before its context was destroyed."""
    b = w.process()
    _, handle = exported(b)
    i.process.ok.cuEventDestroy(i.process.ok.cuIpcOpenEventHandle(handle))
    b.ok.cuCtxDestroy(b.context)
    return i.evolve(handle=handle)


@entry.also("by a second process", then=an_event)
def second_importer(w: World, i: Invocation) -> None:
    w.process().ok.cuIpcOpenEventHandle(i.args["handle"])


@entry.also("of another device", then=an_event)
def other_device(w: World, i: Invocation) -> Invocation:
    return i.evolve(handle=exported(w.process(device=1))[1])


@entry.also("recorded by its exporter")
def recorded(w: World, i: Invocation) -> Invocation:
    b = w.process()
    event, handle = exported(b)
    b.ok.cuEventRecord(event, 0)
    return i.evolve(handle=handle)


@entry.also("the exporter has destroyed it")
def exporter_destroyed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    event, handle = exported(b)
    b.ok.cuEventDestroy(event)
    return i.evolve(handle=handle)


@entry.also("the exporter is locked")
def exporter_locked(w: World, i: Invocation) -> Invocation:
    b = w.process()
    _, handle = exported(b)
    i.process.ok.cuCheckpointProcessLock(b.number(), None)
    return i.evolve(handle=handle)


@entry.also("the exporter was killed", then=an_event)
def exporter_killed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    _, handle = exported(b)
    b.kill()
    return i.evolve(handle=handle)


@entry.also("both processes use it")
def both_processes(w: World, i: Invocation) -> None:
    """Check that both processes can record and wait in turn."""
    a, b = i.process, w.process()
    ours, theirs = opened(a, b)
    for one, event in ((b, theirs), (a, ours), (b, theirs)):
        one.ok.cuEventRecord(event, 0)
        for other, same in ((a, ours), (b, theirs)):
            other.ok.cuEventSynchronize(same)
            other.ok.cuEventQuery(same)


@entry.also("in another context")
def another_context(_: World, i: Invocation) -> None:
    """Open the event first in another context, which memory would not allow."""
    i.run()
    i.process.ok.cuCtxCreate(None, 0, 0)


test_ipc_open_event_handle = entry.test()


def test_ipc_is_supported() -> None:
    """A device without support has no handle; others refuse invalid bytes."""
    for profile, code in (("wsl", Result.INVALID_HANDLE), ("h200", Result.MAP_FAILED)):
        with described(profile) as c:
            c.cuCtxCreate(None, 0, 0)
            assert c.cuIpcOpenEventHandle(bytes(64)) == (code, None)
