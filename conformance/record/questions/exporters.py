"""Questions about what was exported: opened again after its exporter has died, has freed it, or has something else there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.peer.fixtures import peer_of, peered
from conformance.cases.driver.pool.fixtures import exported, shared
from conformance.cases.driver.va.fixtures import prop
from conformance.kit.world import GRANULE, POSIX, access
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

ENDS = ("kill", "exit", "begin_exit", "context", "primary")
"""How an exporter ends, or the context of its memory."""
SHARED = 6
LARGE = 64 << 20


def exporter(w: World, end: str) -> tuple[Process, int, bytes]:
    """Return a process with memory, and its handle."""
    if end == "primary":
        b = w.process(context=False)
        b.ok.cuCtxPushCurrent(b.ok.cuDevicePrimaryCtxRetain(0))
    else:
        b = w.process()
    ptr = b.ok.cuMemAlloc(PAGE)
    b.ok.cuMemsetD8(ptr, 5, PAGE)
    b.ok.cuCtxSynchronize()
    return b, ptr, b.ok.cuIpcGetMemHandle(ptr)


def finish(b: Process, end: str) -> None:
    """End an exporter, or the context of its memory."""
    if end == "context":
        b.c.cuCtxDestroy(b.context)
    elif end == "primary":
        b.c.cuDevicePrimaryCtxReset(0)
    else:
        getattr(b, end)()


@question()
def opened_again_after_its_exporter_ended(w: World) -> None:
    """What an open handle answers that is opened again: in the same context, another one, and another process."""
    for end in ENDS:
        a, c = w.process(), w.process()
        b, _, handle = exporter(w, end)
        first = a.ok.cuIpcOpenMemHandle(handle, 1)
        finish(b, end)
        a.c.cuMemcpyDtoH(bytearray(4), first, 4)
        a.c.cuIpcOpenMemHandle(handle, 1)
        a.c.cuMemcpyDtoH(bytearray(4), first, 4)
        a.c.cuIpcOpenMemHandle(handle, 0)
        a.ok.cuCtxCreate(None, 0, 0)
        a.c.cuIpcOpenMemHandle(handle, 1)
        a.c.cuCtxDestroy(a.ok.cuCtxGetCurrent())
        a.c.cuCtxSetCurrent(a.context)
        c.c.cuIpcOpenMemHandle(handle, 1)
        for _round in range(3):
            a.c.cuIpcCloseMemHandle(first)
        a.c.cuIpcOpenMemHandle(handle, 1)


@question()
def opened_again_after_it_was_freed(w: World) -> None:
    """The same after the exporter has freed the memory, while it is open and while it is not."""
    for opened in (0, 1, 2):
        a, c = w.process(), w.process()
        b, ptr, handle = exporter(w, "kill")
        found = [a.ok.cuIpcOpenMemHandle(handle, 1) for _round in range(opened)]
        b.c.cuMemFree(ptr)
        again = a.c.cuIpcOpenMemHandle(handle, 1)[1]
        c.c.cuIpcOpenMemHandle(handle, 1)
        for one in (*found, again):
            if one:
                a.c.cuIpcCloseMemHandle(one)
        a.c.cuIpcOpenMemHandle(handle, 1)


@question()
def opened_after_the_address_is_used_again(w: World) -> None:
    """What a handle of freed memory opens once other memory lies there: of the same size, of others, with a handle or none."""
    a, b = w.process(), w.process()
    for first, second in ((PAGE, PAGE), (PAGE, 2 * PAGE), (GRANULE, GRANULE), (LARGE, LARGE), (LARGE, GRANULE)):
        for named in (False, True):
            ptr = b.ok.cuMemAlloc(first)
            b.ok.cuMemsetD8(ptr, 5, PAGE)
            handle = b.ok.cuIpcGetMemHandle(ptr)
            b.ok.cuMemFree(ptr)
            again = b.ok.cuMemAlloc(second)
            b.ok.cuMemsetD8(again, 7, PAGE)
            b.ok.cuCtxSynchronize()
            if named:
                b.c.cuIpcGetMemHandle(again)
            b.c.cuMemGetAddressRange(ptr)
            code, there = a.c.cuIpcOpenMemHandle(handle, 1)
            if not code:
                a.c.cuMemcpyDtoH(bytearray(4), there, 4)
                a.c.cuMemGetAddressRange(there)


@question()
def opened_while_another_part_of_the_block_is_freed(w: World) -> None:
    """Whether it counts what else lies in the block of small memory: its neighbours live, are freed, or the last one is."""
    for live in (0, 1, 3):
        a, b = w.process(), w.process()
        several = [b.ok.cuMemAlloc(PAGE) for _round in range(4)]
        handles = [b.ok.cuIpcGetMemHandle(ptr) for ptr in several]
        for ptr in several[live:]:
            b.ok.cuMemFree(ptr)
        for handle in handles:
            code, there = a.c.cuIpcOpenMemHandle(handle, 1)
            if not code:
                a.c.cuIpcCloseMemHandle(there)


@question()
def events_opened_after_their_exporter_ended(w: World) -> None:
    """The same of events, and what an opened one answers then."""
    for end in ENDS:
        a, c = w.process(), w.process()
        if end == "primary":
            b = w.process(context=False)
            b.ok.cuCtxPushCurrent(b.ok.cuDevicePrimaryCtxRetain(0))
        else:
            b = w.process()
        event = b.ok.cuEventCreate(SHARED)
        handle = b.ok.cuIpcGetEventHandle(event)
        b.ok.cuEventRecord(event, 0)
        b.ok.cuCtxSynchronize()
        first = a.ok.cuIpcOpenEventHandle(handle)
        finish(b, end)
        a.c.cuEventQuery(first)
        a.c.cuEventSynchronize(first)
        a.c.cuStreamWaitEvent(0, first, 0)
        a.c.cuEventRecord(first, 0)
        again = a.c.cuIpcOpenEventHandle(handle)[1]
        c.c.cuIpcOpenEventHandle(handle)
        a.c.cuCtxSynchronize()
        for one in (first, again):
            if one:
                a.c.cuEventDestroy(one)
        a.c.cuIpcOpenEventHandle(handle)


@question()
def events_opened_after_they_were_destroyed(w: World) -> None:
    """The same after the exporter has destroyed the event, and has made another one."""
    for another in (False, True):
        for opened in (False, True):
            a, b = w.process(), w.process()
            event = b.ok.cuEventCreate(SHARED)
            handle = b.ok.cuIpcGetEventHandle(event)
            first = a.ok.cuIpcOpenEventHandle(handle) if opened else 0
            b.ok.cuEventDestroy(event)
            if another:
                b.c.cuIpcGetEventHandle(b.ok.cuEventCreate(SHARED))
            if opened:
                a.c.cuEventQuery(first)
                a.c.cuEventRecord(first, 0)
            a.c.cuIpcOpenEventHandle(handle)
            a.c.cuCtxSynchronize()


@question()
def pools_and_handles_after_their_exporter_ended(w: World) -> None:
    """What a pool's descriptor, its memory and an allocation's descriptor are after the end of their exporter."""
    for end in ("kill", "exit", "begin_exit", "context"):
        a, b = w.process(), w.process()
        source, descriptor = exported(b)
        _, data = shared(b, source)
        handle = b.ok.cuMemCreate(GRANULE, prop(), 0)
        of_handle = b.ok.cuMemExportToShareableHandle(handle, POSIX, 0)
        into = a.ok.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)
        early = a.ok.cuMemPoolImportPointer(into, data)
        finish(b, end)
        a.c.cuMemcpyDtoH(bytearray(4), early, 4)
        a.c.cuMemPoolImportPointer(into, data)
        later = a.c.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)[1]
        if later:
            a.c.cuMemPoolImportPointer(later, data)
        code, there = a.c.cuMemImportFromShareableHandle(of_handle, POSIX)
        if not code:
            ptr = a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
            a.c.cuMemMap(ptr, GRANULE, 0, there, 0)
            a.c.cuMemSetAccess(ptr, GRANULE, (access(),), 1)
            a.c.cuMemsetD8(ptr, 1, GRANULE)
        a.c.cuMemFreeAsync(early, 0)
        a.c.cuCtxSynchronize()


@question()
def opened_on_another_device_after_its_exporter_ended(w: World) -> None:
    """Whether a handle that is open on one device is opened on the other one, after the exporter's end and its free."""
    for end in ("kill", "context", "free", "none"):
        a = peered(w)
        other = peer_of(a)
        b, ptr, handle = exporter(w, end)
        first = a.ok.cuIpcOpenMemHandle(handle, 1)
        if end == "free":
            b.c.cuMemFree(ptr)
        elif end != "none":
            finish(b, end)
        a.ok.cuCtxPushCurrent(other)
        a.c.cuIpcOpenMemHandle(handle, 1)
        a.ok.cuCtxPopCurrent()
        a.c.cuIpcOpenMemHandle(handle, 1)
        a.c.cuIpcCloseMemHandle(first)


@question()
def memory_imported_from_its_own_pool(w: World) -> None:
    """Whether freeing an import of the process's own pool ends it: at once, at its next call of a stream, or never."""
    for number in range(2):
        a = w.process()
        source, descriptor = exported(a)
        ptr, data = shared(a, source)
        into = a.c.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)[1]
        if not into:
            continue
        code, mine = a.c.cuMemPoolImportPointer(into, data)
        if code:
            continue
        one = a.ok.cuStreamCreate(1)
        a.c.cuMemFreeAsync(mine, one if number % 2 else 0)
        a.c.cuEventRecord(a.ok.cuEventCreate(0), 0)
        a.c.cuStreamSynchronize(one)
        a.c.cuCtxSynchronize()
        a.c.cuMemFreeAsync(ptr, 0)
        a.c.cuCtxSynchronize()


@question()
def a_pointer_exported_after_a_failed_export(w: World) -> None:
    """Whether a pool for fabric handles whose export failed ends the process when memory of it is exported."""
    for types in (8, 9):
        for tried in (0, 1):
            for wanted in (8, 1)[: 1 + tried]:
                a = w.process()
                code, made = a.c.cuMemPoolCreate((1, types, (1, 0), 0, 0, 0, 0))
                if code:
                    continue
                code, ptr = a.c.cuMemAllocFromPoolAsync(PAGE, made, 0)
                for _round in range(tried):
                    a.c.cuMemPoolExportToShareableHandle(made, wanted, 0)
                if not code:
                    a.c.cuMemPoolExportPointer(ptr)
                a.c.cuCtxSynchronize()
