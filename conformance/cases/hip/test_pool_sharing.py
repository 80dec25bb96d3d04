"""Memory pools of HIP that processes share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.hip.both import both
from conformance.cases.hip.fixtures import (
    HERE,
    POSIX,
    READ_WRITE,
    SIZE,
    THERE,
    entries,
    exhausted,
    holds,
    host,
    memory,
    new,
    pool,
    pooled,
)
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.cases.hip.both import Calls
    from conformance.kit.world import Invocation, Process, World

FAR = 1 << 30
"""An invalid file descriptor."""


def descriptor(a: Process) -> int:
    """Return the descriptor of a new pool."""
    made: int = a.ok.hipMemPoolExportToShareableHandle(pool(a), POSIX, 0)
    return made


def of_a_pool(a: Process) -> int:
    """Return the address of new memory of an exported pool."""
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
attach.breaks("HANDLE_IS_GIVEN", "no type", handle_type=0)
attach.breaks("HANDLE_IS_A_POOL", shared_handle=FAR)
attach.breaks("IMPORT_FLAGS_ARE_ZERO", shared_handle=FAR, flags=1)

pointer = Entry("hipMemPoolImportPointer", imports)
pointer.breaks("pool_sharing.POINTER_IS_GIVEN", export_data=None)
pointer.breaks("DATA_NAMES_MEMORY", export_data=bytes(64))
pointer.also("no address is left", rule="ADDRESSES_SUFFICE")(exhausted)


@both("MemPoolExportPointer", "imported by the same process")
def shared_with_itself(c: Calls, _data: bytes) -> None:
    giving = c.pool(POSIX)
    address = c.MallocFromPoolAsync(SIZE, giving, 0)
    c.MemsetAsync(address, 9, SIZE, 0)
    c.StreamSynchronize(0)
    mine = c.MemPoolImportFromShareableHandle(c.MemPoolExportToShareableHandle(giving, POSIX, 0), POSIX, 0)
    assert c.holds(c.MemPoolImportPointer(mine, c.MemPoolExportPointer(address)), 9)


@pointer.after("what its owner wrote")
def seen(w: World, i: Invocation, _r: tuple[int]) -> None:
    a, b = i.process, w.process_of(i.call)
    giving = pool(b)
    address = b.ok.hipMallocFromPoolAsync(SIZE, giving, 0)
    b.ok.hipMemsetAsync(address, 9, SIZE, 0)
    b.ok.hipStreamSynchronize(0)
    mine = a.ok.hipMemPoolImportFromShareableHandle(b.ok.hipMemPoolExportToShareableHandle(giving, POSIX, 0), POSIX, 0)
    b.ok.hipMemPoolSetAccess(giving, ((THERE, READ_WRITE),), 1)
    a.ok.hipMemPoolGetAccess(mine, HERE)
    assert holds(a, a.ok.hipMemPoolImportPointer(mine, b.ok.hipMemPoolExportPointer(address)), 9)


@pointer.also("no data, without a place", code=Result.INVALID_VALUE)
def placeless(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i.evolve(export_data=bytes(64)), null="dev_ptr")


test_pool_sharing = suite(*every.values(), pointer)
