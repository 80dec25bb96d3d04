"""cuMemExportToShareableHandle: export memory to other processes.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.va.fixtures import half_mapped, prop, released
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, POSIX
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call(
        "cuMemExportToShareableHandle", handle=a.ok.cuMemCreate(GRANULE, prop(), 0), handleType=POSIX, flags=0
    )


def importable(w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that another process can import it; each export is a new descriptor."""
    w.process().ok.cuMemImportFromShareableHandle(results[0], POSIX)
    assert i.process.ok.cuMemExportToShareableHandle(i.args["handle"], POSIX, 0) != results[0]


entry = Entry("cuMemExportToShareableHandle", valid, importable)
entry.null("shareableHandle", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_ZERO", flags=1)
entry.breaks("HANDLE_IS_GIVEN", handle=0)
entry.breaks("TYPE_WAS_REQUESTED", handle=lambda i: i.process.ok.cuMemCreate(GRANULE, prop(handle_types=0), 0))
for types in (0, 2, 3, 4, 8, 16, 99):
    entry.breaks("TYPE_WAS_REQUESTED", f"handle types {types}", handleType=types)
entry.undefined("HANDLE_IS_HELD", code=Result.INVALID_VALUE, handle=lambda i: released(i.process))


@entry.world("TYPE_WAS_REQUESTED", "an imported handle")
def imported(w: World, i: Invocation) -> Invocation:
    b = w.process()
    descriptor = b.ok.cuMemExportToShareableHandle(b.ok.cuMemCreate(GRANULE, prop(), 0), POSIX, 0)
    return i.evolve(handle=i.process.ok.cuMemImportFromShareableHandle(descriptor, POSIX))


entry.also(
    "a handle that was retained",
    then=importable,
    handle=lambda i: i.process.ok.cuMemRetainAllocationHandle(half_mapped(i.process)),
)


@entry.also("memory of another device", then=importable)
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(handle=i.process.ok.cuMemCreate(GRANULE, prop(location=(1, 1)), 0))


@entry.also("a descriptor that is closed is nobody's")
def closed(w: World, i: Invocation) -> None:
    _, descriptor = i.run()
    w.close_descriptor(descriptor)
    assert i.c.cuMemImportFromShareableHandle(descriptor, POSIX) == (Result.UNKNOWN, None)


test_mem_export_to_shareable_handle = entry.test()
