"""cuMemPoolImportFromShareableHandle: import another process's pool.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.pool.fixtures import FABRIC, exported, imported, pool, shared
from conformance.cases.driver.va.fixtures import content, prop
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, GRANULE, POSIX, READ_WRITE, access
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a, b = w.process(), w.process()
    return a.call("cuMemPoolImportFromShareableHandle", handle=exported(b)[1], handleType=POSIX, flags=0)


def a_new_pool(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that its device has access, sizes are 0, and a second import is the same."""
    a = i.process
    assert a.ok.cuMemPoolGetAccess(results[0], (DEVICE, 0)) == READ_WRITE
    assert a.c.cuMemPoolGetAttribute(results[0], 7) == (Result.INVALID_VALUE, None)
    assert i.run()[1] == results[0]


entry = Entry("cuMemPoolImportFromShareableHandle", valid, a_new_pool)
entry.null("pool_out", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_ZERO", flags=1)
for types in (0, 3, 4, 16, 99):
    entry.breaks("TYPE_IS_KNOWN", f"handle types {types}", handleType=types)
entry.breaks("TYPE_IS_SUPPORTED", handleType=2)
entry.breaks("DESCRIPTOR_IS_EXPORTED", handle=-1)


@entry.world("TYPE_IS_SUPPORTED", "fabric handles", "handle")
def fabric(_: World, i: Invocation) -> Invocation:
    return i.evolve(handle=bytes(64), handleType=FABRIC)


@entry.world("DESCRIPTOR_IS_EXPORTED", "of a file", "handle")
def another_file(w: World, i: Invocation) -> Invocation:
    return i.evolve(handle=w.open_file())


@entry.world("DESCRIPTOR_IS_EXPORTED", "closed")
def closed(w: World, i: Invocation) -> None:
    w.close_descriptor(i.args["handle"])


@entry.world("DESCRIPTOR_IS_A_POOL", "of memory", "handle")
def of_memory(_: World, i: Invocation) -> Invocation:
    a = i.process
    handle = a.ok.cuMemCreate(GRANULE, prop(), 0)
    return i.evolve(handle=a.ok.cuMemExportToShareableHandle(handle, POSIX, 0))


entry.also("into the exporting process", then=a_new_pool, handle=lambda i: exported(i.process)[1])


@entry.also("the exporter was killed")
def exporter_killed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    _, descriptor = exported(b)
    b.kill()
    return i.evolve(handle=descriptor)


@entry.also("the exporter has destroyed the pool")
def exporter_destroyed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    made, descriptor = exported(b)
    b.ok.cuMemPoolDestroy(made)
    return i.evolve(handle=descriptor)


@entry.also("it inherits no access")
def no_access(w: World, i: Invocation) -> Invocation:
    b = w.process()
    w.needs_devices(2)
    w.needs(b.ok.cuDeviceCanAccessPeer(1, 0), "peer access")
    made, descriptor = exported(b)
    b.ok.cuMemPoolSetAccess(made, (access(1),), 1)
    imported_ = i.process.ok.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)
    assert i.process.ok.cuMemPoolGetAccess(imported_, (DEVICE, 1)) == 0
    return i.evolve(handle=descriptor)


@entry.also("a pool of another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    b = w.process()
    made = pool(b, handle_types=POSIX, location=(DEVICE, 1))
    return i.evolve(handle=b.ok.cuMemPoolExportToShareableHandle(made, POSIX, 0))


@entry.also("what is imported outlives the descriptor")
def outlives(w: World, i: Invocation) -> None:
    b = w.process()
    into, source = imported(i.process, b)
    _, data = shared(b, source)
    assert content(i.process, i.process.ok.cuMemPoolImportPointer(into, data)) == b"\5" * 4


test_mem_pool_import_from_shareable_handle = entry.test()
