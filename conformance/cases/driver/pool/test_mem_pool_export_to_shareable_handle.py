"""cuMemPoolExportToShareableHandle: export a pool for other processes.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.pool.fixtures import FABRIC, exported, imported, pool, props, refuse
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, POSIX, Unavailable, pinned
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemPoolExportToShareableHandle", pool=pool(a, handle_types=POSIX), handleType=POSIX, flags=0)


def importable(w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that another process can import the pool; each export is a new descriptor."""
    b = w.process()
    b.ok.cuMemPoolImportFromShareableHandle(results[0], POSIX, 0)
    assert i.process.ok.cuMemPoolExportToShareableHandle(i.args["pool"], POSIX, 0) != results[0]
    assert b.c.cuMemImportFromShareableHandle(results[0], POSIX)[0] != Result.SUCCESS


def for_fabric(a: Process) -> int:
    """Return a pool that fabric handles can export.

    Raises:
        Unavailable: The machine has none.
    """
    code, made = a.c.cuMemPoolCreate(props(handle_types=POSIX | FABRIC))
    if code:
        msg = "the machine lacks fabric handles"
        raise Unavailable(msg)
    return int(made)


entry = Entry("cuMemPoolExportToShareableHandle", valid, importable)
refuse(entry)
entry.null("handle_out", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_ZERO", flags=1)
entry.breaks("TYPE_WAS_REQUESTED", pool=lambda i: pool(i.process))
entry.breaks("TYPE_WAS_REQUESTED", "the default pool", pool=lambda i: i.process.ok.cuDeviceGetDefaultMemPool(0))
for types in (0, 2, 3, 4, 8, 16, 99):
    entry.breaks("TYPE_WAS_REQUESTED", f"handle types {types}", handleType=types)
entry.breaks("FABRIC_IS_PERMITTED", pool=lambda i: for_fabric(i.process), handleType=FABRIC)


@entry.world("TYPE_WAS_REQUESTED", "an imported pool")
def import_(w: World, i: Invocation) -> Invocation:
    return i.evolve(pool=imported(i.process, w.process())[0])


@entry.also("a descriptor that is closed is nobody's")
def closed(w: World, i: Invocation) -> None:
    _, descriptor = exported(i.process)
    w.close_descriptor(descriptor)
    i.process.ok.cuMemCreate(GRANULE, pinned(), 0)
    assert i.process.c.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)[0] == Result.UNKNOWN


test_mem_pool_export_to_shareable_handle = entry.test()
