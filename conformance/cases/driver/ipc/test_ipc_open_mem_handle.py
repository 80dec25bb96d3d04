"""cuIpcOpenMemHandle: map another process's allocation.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import fakecuda
from conformance.cases.driver.event.fixtures import exported
from conformance.cases.driver.va.fixtures import content, imported, on_model
from conformance.kit.case import Entry
from conformance.kit.program import Recorder
from conformance.kit.world import Session
from fakecuda.model.memory.address_ranges import Territory
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

LAZY = 1
SIZE = 4096


def shared(b: Process, size: int = SIZE) -> tuple[int, bytes]:
    """Return the address of new memory of a process, and its handle."""
    ptr = b.ok.cuMemAlloc(size)
    return ptr, b.ok.cuIpcGetMemHandle(ptr)


def valid(w: World) -> Invocation:
    a, b = w.process(), w.process()
    ptr, handle = shared(b)
    b.ok.cuMemsetD8(ptr, 5, SIZE)
    b.ok.cuCtxSynchronize()
    return a.call("cuIpcOpenMemHandle", handle=handle, Flags=LAZY)


def the_exporters_bytes(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the exporter's bytes and size, and the same pointer on another open."""
    assert content(i.process, results[0]) == b"\5" * 4
    assert i.process.ok.cuMemGetAddressRange(results[0] + 5) == (results[0], SIZE)
    assert i.run() == (Result.SUCCESS, results[0])


entry = Entry("cuIpcOpenMemHandle", valid, the_exporters_bytes)
entry.null("pdptr", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_LAZY", Flags=0)
entry.breaks("FLAGS_ARE_LAZY", "other bits", Flags=2)
entry.breaks("HANDLE_IS_KNOWN", handle=bytes(64))
entry.breaks("HANDLE_IS_KNOWN", "ones", handle=b"\xff" * 64)
entry.world("HANDLE_IS_KNOWN", "of an event", "handle")(lambda w, i: i.evolve(handle=exported(w.process())[1]))
entry.breaks("HANDLE_IS_KNOWN", "of its own event", handle=lambda i: exported(i.process)[1])
entry.breaks("HANDLE_IS_ANOTHER_PROCESS_S", handle=lambda i: shared(i.process)[1])

entry.also("more bits than needed", Flags=LAZY | 2)


@entry.world("EXPORTER_IS_ALIVE")
def exporter_killed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    _, handle = shared(b)
    b.kill()
    return i.evolve(handle=handle)


@entry.world("EXPORTER_IS_ALIVE", "exited")
def exporter_exited(w: World, i: Invocation) -> Invocation:
    b = w.process()
    _, handle = shared(b)
    b.exit()
    return i.evolve(handle=handle)


@entry.world("CONTEXT_IS_THE_OPENER")
def open_in_another_context(_: World, i: Invocation) -> None:
    i.run()
    i.process.ok.cuCtxCreate(None, 0, 0)


@entry.world("CONTEXT_IS_THE_OPENER", "another handle of the exporter")
def other_handle(w: World, i: Invocation) -> Invocation:
    b = w.process()
    i.process.ok.cuIpcOpenMemHandle(shared(b)[1], LAZY)
    i.process.ok.cuCtxCreate(None, 0, 0)
    return i.evolve(handle=shared(b)[1])


@entry.world("CONTEXT_IS_THE_OPENER", "while another handle is open")
def opener_has_another(w: World, i: Invocation) -> Invocation:
    b = w.process()
    (_, first), (_, second) = shared(b), shared(b)
    ptr = i.process.ok.cuIpcOpenMemHandle(first, LAZY)
    i.process.ok.cuIpcOpenMemHandle(second, LAZY)
    i.process.ok.cuIpcCloseMemHandle(ptr)
    i.process.ok.cuCtxCreate(None, 0, 0)
    return i.evolve(handle=first)


@entry.also("what another context may do with the mapping", code=Result.INVALID_HANDLE)
def used_elsewhere(_: World, i: Invocation) -> None:
    """Use the mapping in another context; memsets and queries of it fail there."""
    ptr = i.run()[1]
    i.process.ok.cuCtxCreate(None, 0, 0)
    i.c.cuMemsetD8(ptr, 1, 8)
    i.c.cuMemcpyDtoH(bytearray(8), ptr, 8)
    i.c.cuMemGetAddressRange(ptr)
    i.c.cuPointerGetAttribute(3, ptr)
    i.c.cuIpcGetMemHandle(ptr)


@entry.also("after the opener has closed")
def opener_closed(_: World, i: Invocation) -> None:
    i.process.ok.cuIpcCloseMemHandle(i.run()[1])
    i.process.ok.cuCtxCreate(None, 0, 0)


@entry.undefined("EXPORTER_HAS_IT", code=Result.INVALID_VALUE)
def exporter_freed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    ptr, handle = shared(b, 4 << 20)
    b.ok.cuMemFree(ptr)
    return i.evolve(handle=handle)


@entry.undefined("EXPORTER_HAS_IT", "in a block that is empty", code=Result.INVALID_VALUE)
def empty_block(w: World, i: Invocation) -> Invocation:
    b = w.process()
    ptr, handle = shared(b)
    b.ok.cuMemFree(ptr)
    return i.evolve(handle=handle)


@entry.undefined("EXPORTER_HAS_IT", "with its context", code=Result.INVALID_VALUE)
def exporters_context(w: World, i: Invocation) -> Invocation:
    b = w.process()
    _, handle = shared(b)
    b.ok.cuCtxDestroy(b.context)
    return i.evolve(handle=handle)


@entry.undefined("EXPORTER_HAS_IT", "and small memory has its place", code=Result.INVALID_VALUE)
def small_memory_instead(w: World, i: Invocation) -> Invocation:
    b = w.process()
    ptr, handle = shared(b, 2 << 20)
    b.ok.cuMemFree(ptr)
    b.ok.cuMemAlloc(SIZE)
    shared(b)
    return i.evolve(handle=handle)


@entry.also("freed memory whose place exported memory has")
def exported_memory_instead(w: World, i: Invocation) -> Invocation:
    """Pass the handle of freed memory whose place has newer exported memory."""
    b = w.process()
    ptr, handle = shared(b, 4 << 20)
    b.ok.cuMemFree(ptr)
    shared(b, 4 << 20)
    return i.evolve(handle=handle)


@entry.also("once more after its exporter was killed")
def killed_while_open(w: World, i: Invocation) -> Invocation:
    """Open once more after the exporter was killed, at the same address."""
    a, b = i.process, w.process()
    _, handle = shared(b)
    ptr = a.ok.cuIpcOpenMemHandle(handle, LAZY)
    b.kill()
    assert a.ok.cuIpcOpenMemHandle(handle, LAZY) == ptr
    a.ok.cuIpcCloseMemHandle(ptr)
    return i.evolve(handle=handle)


@entry.also("freed memory in a block that lives on")
def freed_in_a_live_block(w: World, i: Invocation) -> Invocation:
    b = w.process()
    (ptr, handle), _ = shared(b), shared(b)
    b.ok.cuMemFree(ptr)
    return i.evolve(handle=handle)


@entry.also("a second process")
def second_importer(w: World, i: Invocation) -> None:
    w.process().ok.cuIpcOpenMemHandle(i.args["handle"], LAZY)


@entry.also("memory that starts inside a block")
def inside_a_block(w: World, i: Invocation) -> Invocation:
    b = w.process()
    sizes = (100, SIZE, 1 << 20, 6 << 20)
    handles = [shared(b, size)[1] for size in sizes]
    pointers = [i.process.ok.cuIpcOpenMemHandle(handle, LAZY) for handle in handles]
    assert [i.process.ok.cuMemGetAddressRange(ptr)[1] for ptr in pointers] == list(sizes)
    return i.evolve(handle=handles[0])


@entry.also("the importer writes what the exporter reads")
def written_back(w: World, i: Invocation) -> None:
    b = w.process()
    ours, theirs = imported(i.process, b)
    i.process.ok.cuMemsetD8(ours, 7, 8)
    i.process.ok.cuCtxSynchronize()
    assert content(b, theirs) == b"\7" * 4


@entry.also("it belongs to the importer's context")
def context(w: World, i: Invocation) -> None:
    ptr, _ = imported(i.process, w.process())
    assert i.process.ok.cuPointerGetAttribute(1, ptr) == i.process.context


@entry.also("memory of another device")
def other_device(w: World, i: Invocation) -> Invocation:
    """Pass memory of another device; peer access is enabled lazily."""
    b = w.process(device=1)
    w.needs(b.ok.cuDeviceCanAccessPeer(0, 1), "peer access")
    ptr, handle = shared(b)
    b.ok.cuMemsetD8(ptr, 5, SIZE)
    b.ok.cuCtxSynchronize()
    assert content(i.process, i.process.ok.cuIpcOpenMemHandle(handle, LAZY)) == b"\5" * 4
    return i.evolve(handle=handle)


@entry.also("a context for each device")
def each_device(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    w.needs(i.process.ok.cuDeviceCanAccessPeer(1, 0), "peer access")
    first = i.process.ok.cuIpcOpenMemHandle(i.args["handle"], LAZY)
    i.process.ok.cuCtxCreate(None, 0, 1)
    assert i.process.ok.cuIpcOpenMemHandle(i.args["handle"], LAZY) != first
    i.process.ok.cuCtxPopCurrent()


@entry.also("what is open outlives its exporter")
def outlives_exporter(w: World, i: Invocation) -> None:
    b = w.process()
    ours, theirs = imported(i.process, b)
    b.ok.cuMemsetD8(theirs, 3, SIZE)
    b.ok.cuCtxSynchronize()
    b.kill()
    assert content(i.process, ours) == b"\3" * 4


@entry.also("a new context after the opener was destroyed")
def opener_destroyed(_: World, i: Invocation) -> None:
    i.run()
    i.process.ok.cuCtxDestroy(i.process.context)
    i.process.ok.cuCtxCreate(None, 0, 0)


test_ipc_open_mem_handle = entry.test()


def exported_by_another_device(w: World, i: Invocation) -> Invocation:
    return i.evolve(handle=shared(w.process(device=1))[1])


def test_device_is_reachable() -> None:
    on_model(entry, "DEVICE_IS_REACHABLE", Result.PEER_ACCESS_UNSUPPORTED, exported_by_another_device, peers={})


def test_connections_are_left() -> None:
    """A mapping of another device's memory takes a peer connection."""

    def connected(w: World, i: Invocation) -> Invocation:
        a, b = i.process, w.process(device=1)
        a.ok.cuIpcOpenMemHandle(shared(b)[1], 1)
        return i.evolve(handle=shared(w.process(device=2))[1])

    on_model(entry, "CONNECTIONS_ARE_LEFT", Result.TOO_MANY_PEERS, connected, of="h200-x4", peer_limit=1)


def test_ipc_is_supported() -> None:
    on_model(entry, "IPC_IS_SUPPORTED", Result.INVALID_HANDLE, lambda *_: None, of="wsl")


def test_addresses_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_addresses(w: World, i: Invocation) -> Invocation:
        _, handle = shared(w.process(), 1 << 30)
        monkeypatch.setattr(Territory, "window", lambda _, __: None)
        return i.evolve(handle=handle)

    on_model(entry, "ADDRESSES_SUFFICE", Result.MAP_FAILED, no_addresses)


@pytest.mark.parametrize("size", [SIZE, 4 << 20])
def test_unexported_memory_has_the_place(size: int) -> None:
    """A handle of freed memory is refused if its place has unexported memory."""

    def freed(w: World, i: Invocation) -> Invocation:
        b = w.process()
        ptr, handle = shared(b, size)
        b.ok.cuMemFree(ptr)
        b.ok.cuMemAlloc(size)
        return i.evolve(handle=handle)

    on_model(entry, "PLACE_IS_EXPORTED", Result.NOT_PERMITTED, freed)


def test_memory_in_the_place_of_other_memory_has_its_handle() -> None:
    """New memory at an old address has the old handle, unless it has its own."""
    with fakecuda.Machine("h200", strict=False) as machine:
        b = Session(Recorder(machine)).world("again").process()
        b.ok.cuMemAlloc(SIZE)
        for size, same in ((SIZE, True), (4 << 20, False)):
            ptr, handle = shared(b, size)
            b.ok.cuMemFree(ptr)
            again, other = shared(b, size)
            assert again == ptr
            assert (other == handle) is same
