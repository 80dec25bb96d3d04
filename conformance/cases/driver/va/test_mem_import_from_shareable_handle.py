"""cuMemImportFromShareableHandle: import memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import fakecuda
from conformance.cases.driver.context.fixtures import another, ready
from conformance.cases.driver.va.fixtures import content, half_mapped, prop
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, POSIX, Process, access
from fakecuda.rules.driver.va.properties import FABRIC
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def exported(b: Process) -> tuple[int, int]:
    """Return the address of a process's exportable memory, and a descriptor of it."""
    ptr = half_mapped(b)
    b.ok.cuMemsetD8(ptr, 5, 16)
    b.ok.cuCtxSynchronize()
    return ptr, b.ok.cuMemExportToShareableHandle(b.ok.cuMemRetainAllocationHandle(ptr), POSIX, 0)


def shown(a: Process, handle: int) -> int:
    """Return the address of an imported handle's accessible mapping."""
    ptr: int = a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
    a.ok.cuMemMap(ptr, GRANULE, 0, handle, 0)
    a.ok.cuMemSetAccess(ptr, GRANULE, (access(),), 1)
    return ptr


def valid(w: World) -> Invocation:
    a, b = w.process(), w.process()
    return a.call("cuMemImportFromShareableHandle", osHandle=exported(b)[1], shHandleType=POSIX)


def the_exporters_bytes(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the exporter's bytes; the import does not know the requested properties."""
    a = i.process
    a.ok.cuMemGetAllocationPropertiesFromHandle(results[0])
    assert content(a, shown(a, results[0])) == b"\5" * 4


entry = Entry("cuMemImportFromShareableHandle", valid, the_exporters_bytes)
entry.null("handle", "RESULT_IS_GIVEN")
for types in (0, 3, 16, 99):
    entry.breaks("TYPE_IS_KNOWN", f"handle types {types}", shHandleType=types)
entry.breaks("TYPE_IS_SUPPORTED", shHandleType=2)
entry.breaks("DESCRIPTOR_IS_EXPORTED_MEMORY", osHandle=-1)


@entry.world("DESCRIPTOR_IS_EXPORTED_MEMORY", "of a file")
def another_file(w: World, i: Invocation) -> Invocation:
    return i.evolve(osHandle=w.open_file())


@entry.world("DESCRIPTOR_IS_EXPORTED_MEMORY", "closed")
def closed(w: World, i: Invocation) -> None:
    w.close_descriptor(i.args["osHandle"])


@entry.also("into the exporting process")
def own(_: World, i: Invocation) -> Invocation:
    a, ptr = i.process, half_mapped(i.process)
    handle = a.ok.cuMemRetainAllocationHandle(ptr)
    descriptor = a.ok.cuMemExportToShareableHandle(handle, POSIX, 0)
    assert a.ok.cuMemImportFromShareableHandle(descriptor, POSIX) != handle
    return i.evolve(osHandle=descriptor)


@entry.also("each import is a handle of its own", then=the_exporters_bytes)
def distinct(_: World, i: Invocation) -> None:
    assert i.run()[1] != i.run()[1]


@entry.also("without a context")
def no_context(w: World, i: Invocation) -> Invocation:
    return w.process(context=False).call(i.call, **i.args)


@entry.also("the importer writes what the exporter reads")
def written_back(w: World, i: Invocation) -> None:
    a, b = i.process, w.process()
    theirs, descriptor = exported(b)
    ours = shown(a, a.ok.cuMemImportFromShareableHandle(descriptor, POSIX))
    a.ok.cuMemsetD8(ours, 7, 8)
    a.ok.cuCtxSynchronize()
    assert content(b, theirs) == b"\7" * 4


@entry.also("the exporter has released and unmapped it", then=the_exporters_bytes)
def exporter_released(w: World, i: Invocation) -> Invocation:
    b = w.process()
    ptr, descriptor = exported(b)
    handle = b.ok.cuMemRetainAllocationHandle(ptr)
    for _round in range(3):
        b.ok.cuMemRelease(handle)
    b.ok.cuMemUnmap(ptr, GRANULE)
    return i.evolve(osHandle=descriptor)


@entry.also("the exporter was killed", then=the_exporters_bytes)
def exporter_killed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    _, descriptor = exported(b)
    b.kill()
    return i.evolve(osHandle=descriptor)


@entry.also("a mapping outlives exporter and descriptor")
def outlives(w: World, i: Invocation) -> None:
    a, b = i.process, w.process()
    _, descriptor = exported(b)
    ours = shown(a, a.ok.cuMemImportFromShareableHandle(descriptor, POSIX))
    b.kill()
    w.close_descriptor(descriptor)
    assert content(a, ours) == b"\5" * 4


@entry.also("memory of another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    b = w.process()
    handle = b.ok.cuMemCreate(GRANULE, prop(location=(1, 1)), 0)
    return i.evolve(osHandle=b.ok.cuMemExportToShareableHandle(handle, POSIX, 0))


test_mem_import_from_shareable_handle = entry.test()


def fabric_handle(a: fakecuda.Process) -> tuple[int, bytes]:
    """Return an allocation handle of a process, and its fabric handle."""
    code, handle = a.c.cuMemCreate(GRANULE, prop(handle_types=FABRIC), 0)
    assert code == Result.SUCCESS
    code, shared = a.c.cuMemExportToShareableHandle(handle, FABRIC, 0)
    assert code == Result.SUCCESS
    return handle, shared


def test_fabric_handles_are_opened() -> None:
    """Processes with a common channel can open fabric handles, each as a new handle."""
    machine = fakecuda.Machine("nvl72")
    with ready(machine) as a:
        b = another(machine)
        exported, shared = fabric_handle(a)
        assert a.c.cuMemExportToShareableHandle(exported, FABRIC, 0) == (Result.SUCCESS, shared)
        assert fabric_handle(a)[1] != shared
        ours, theirs = (process.c.cuMemImportFromShareableHandle(shared, FABRIC) for process in (a, b))
        assert (ours[0], theirs[0]) == (Result.SUCCESS, Result.SUCCESS)
        assert len({exported, ours[1], theirs[1]}) == 3
        for handle in (exported, ours[1]):
            assert a.c.cuMemRelease(handle) == (Result.SUCCESS,)
        assert b.c.cuMemImportFromShareableHandle(shared, FABRIC)[0] == Result.SUCCESS
        machine.check_invariants()


def test_channel_is_shared() -> None:
    machine = fakecuda.Machine("nvl72")
    with ready(machine) as a:
        _, shared = fabric_handle(a)
        for channels in ((), (3,)):
            b = another(machine, imex_channels=channels)
            assert b.c.cuMemImportFromShareableHandle(shared, FABRIC) == (Result.NOT_PERMITTED, None)
        both = another(machine, imex_channels=(3, 0))
        assert both.c.cuMemImportFromShareableHandle(shared, FABRIC)[0] == Result.SUCCESS


def test_fabric_handle_is_known() -> None:
    """A fabric handle is valid while the memory is allocated."""
    with ready(fakecuda.Machine("nvl72")) as a:
        handle, shared = fabric_handle(a)
        a.c.cuMemRelease(handle)
        for wrong in (shared, bytes(64), 0):
            assert a.c.cuMemImportFromShareableHandle(wrong, FABRIC) == (Result.INVALID_VALUE, None)
