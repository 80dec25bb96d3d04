"""Pools of HIP that processes share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import POSIX, SIZE, entries, exhausted, host, memory, new, pool, pooled
from conformance.kit.case import Entry, suite

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World

FAR = 1 << 30
"""A number that is no descriptor."""


def descriptor(a: Process) -> int:
    """Return the descriptor of a new pool."""
    made: int = a.ok.hipMemPoolExportToShareableHandle(pool(a), POSIX, 0)
    return made


def of_a_pool(a: Process) -> int:
    """Return the address of new memory of a pool that was exported."""
    shared = pool(a)
    a.ok.hipMemPoolExportToShareableHandle(shared, POSIX, 0)
    made: int = a.ok.hipMallocFromPoolAsync(SIZE, shared, 0)
    return made


def imports(w: World) -> Invocation:
    """Import memory of another process's pool."""
    a, b = w.process_of("hipInit"), w.process_of("hipInit")
    theirs = pool(b)
    mine = a.ok.hipMemPoolImportFromShareableHandle(b.ok.hipMemPoolExportToShareableHandle(theirs, POSIX, 0), POSIX, 0)
    data = b.ok.hipMemPoolExportPointer(b.ok.hipMallocFromPoolAsync(SIZE, theirs, 0))
    return a.given("hipMemPoolImportPointer", mine, data)


every = entries(
    {
        "hipMemPoolExportPointer": lambda a: (of_a_pool(a),),
        "hipMemPoolExportToShareableHandle": lambda a: (pool(a), POSIX, 0),
        "hipMemPoolImportFromShareableHandle": lambda a: (descriptor(a), POSIX, 0),
    }
)
export, share, attach = every.values()
export.breaks("pool_sharing.POINTER_IS_GIVEN", dev_ptr=0)
export.breaks("POINTER_IS_IN_MEMORY", dev_ptr=new(host))
export.breaks("POINTER_IS_OF_A_POOL", dev_ptr=new(memory))
export.breaks("POINTER_IS_OF_A_POOL", "not exported", dev_ptr=new(pooled))
share.breaks("POOL_EXPORTS", flags=1)
share.breaks("POOL_EXPORTS", "not made for it", mem_pool=new(pool, 0))
share.breaks("POOL_EXPORTS", "another type", handle_type=0)
attach.breaks("HANDLE_IS_GIVEN", shared_handle=0)
attach.breaks("HANDLE_IS_A_POOL", shared_handle=FAR)
attach.breaks("IMPORT_FLAGS_ARE_ZERO", shared_handle=FAR, flags=1)

pointer = Entry("hipMemPoolImportPointer", imports)
pointer.breaks("pool_sharing.POINTER_IS_GIVEN", export_data=None)
pointer.breaks("DATA_NAMES_MEMORY", export_data=bytes(64))
pointer.also("no address is left", rule="ADDRESSES_SUFFICE")(exhausted)

test_pool_sharing = suite(*every.values(), pointer)
