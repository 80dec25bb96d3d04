"""Fixtures of memory pools: pools of every kind, their memory, and imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE, described, without
from conformance.cases.driver.device.fixtures import without_pools
from conformance.kit.world import DEVICE, PINNED, POSIX
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.case import Entry
    from conformance.kit.program import Plain
    from conformance.kit.world import Process

ATTRIBUTE = {name.removeprefix("CU_MEMPOOL_ATTR_"): value for name, value in ENUMS["CUmemPool_attribute"].items()}
"""Attributes of pools by their short names."""
FOLLOW_EVENTS, OPPORTUNISTIC, INTERNAL = (
    ATTRIBUTE[f"REUSE_{name}"]
    for name in ("FOLLOW_EVENT_DEPENDENCIES", "ALLOW_OPPORTUNISTIC", "ALLOW_INTERNAL_DEPENDENCIES")
)
MANAGED = ENUMS["CUmemAllocationType"]["CU_MEM_ALLOCATION_TYPE_MANAGED"]
NONE, HOST, HOST_NUMA, HOST_NUMA_CURRENT, INVISIBLE, LOCALITY_DOMAIN = 0, 2, 3, 4, 5, 6
"""Types of CUmemLocation."""
FABRIC = 8
SIZE = 4096
CHUNK = 32 << 20
"""The granularity of a pool's reservations on a card, in bytes."""


def props(
    *,
    kind: int = PINNED,
    handle_types: int = 0,
    location: tuple[int, int] = (DEVICE, 0),
    security: int = 0,
    max_size: int = 0,
    usage: int = 0,
    rdma: int = 0,
) -> tuple[Plain, ...]:
    """Return CUmemPoolProps, by default pinned memory of device 0, not shareable."""
    return (kind, handle_types, location, security, max_size, usage, rdma)


def pool(a: Process, **changed: Plain) -> int:
    """Return a new pool.

    Args:
        a: The process.
        changed: Properties, as of :func:`props`.
    """
    made: int = a.ok.cuMemPoolCreate(props(**changed))
    return made


def destroyed(a: Process) -> int:
    """Return a destroyed pool."""
    gone = pool(a)
    a.ok.cuMemPoolDestroy(gone)
    return gone


def memory(a: Process, source: int = 0, size: int = SIZE, stream: int = 0) -> int:
    """Return new memory of a pool, by default of a new one."""
    made: int = a.ok.cuMemAllocFromPoolAsync(size, source or pool(a), stream)
    return made


def freed(a: Process) -> int:
    """Return the address of freed memory of a pool."""
    gone = memory(a)
    a.ok.cuMemFreeAsync(gone, 0)
    a.ok.cuCtxSynchronize()
    return gone


def value(a: Process, of: int, name: str) -> int:
    """Return an attribute of a pool by its short name."""
    found: int = a.ok.cuMemPoolGetAttribute(of, ATTRIBUTE[name])
    return found


def books(a: Process, of: int) -> tuple[int, int]:
    """Return the reserved and the used bytes of a pool."""
    return value(a, of, "RESERVED_MEM_CURRENT"), value(a, of, "USED_MEM_CURRENT")


def exported(b: Process, **changed: Plain) -> tuple[int, int]:
    """Return a new shareable pool, and a descriptor of it.

    Args:
        b: The process.
        changed: Properties, as of :func:`props`.
    """
    made = pool(b, handle_types=POSIX, **changed)
    return made, b.ok.cuMemPoolExportToShareableHandle(made, POSIX, 0)


def imported(a: Process, b: Process) -> tuple[int, int]:
    """Return an imported pool and the exporter's pool."""
    made, descriptor = exported(b)
    return a.ok.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0), made


def shared(b: Process, source: int, byte: int = 5) -> tuple[int, bytes]:
    """Return filled memory of a pool, and its export data."""
    ptr = memory(b, source)
    b.ok.cuMemsetD8(ptr, byte, SIZE)
    b.ok.cuCtxSynchronize()
    return ptr, b.ok.cuMemPoolExportPointer(ptr)


def opened(a: Process, b: Process) -> tuple[int, int]:
    """Return the importer's and the exporter's address of shared memory."""
    into, source = imported(a, b)
    ptr, data = shared(b, source)
    return a.ok.cuMemPoolImportPointer(into, data), ptr


def refuse(entry: Entry, argument: str = "pool") -> None:
    """Add the cases of a call with an invalid pool.

    Args:
        entry: The entry.
        argument: The argument's C name.
    """
    entry.breaks("POOL_IS_GIVEN", **{argument: 0})
    entry.undefined("POOL_IS_KNOWN", code=Result.INVALID_VALUE, **{argument: GARBAGE})
    entry.undefined(
        "POOL_IS_KNOWN", "destroyed", code=Result.INVALID_VALUE, **{argument: lambda i: destroyed(i.process)}
    )


def refuse_places(entry: Entry) -> None:
    """Add the cases of a call with a type and a location without a pool.

    Args:
        entry: The entry.
    """
    for kind in (0, 3, 99):
        entry.breaks("TYPE_IS_KNOWN", f"type {kind}", type=kind)
    entry.breaks("LOCATION_IS_GIVEN", location=None)
    entry.breaks("LOCATION_IS_KNOWN", f"location type {NONE}", location=(NONE, 0))
    for where in (HOST_NUMA_CURRENT, INVISIBLE, LOCALITY_DOMAIN, 99):
        entry.breaks("LOCATION_HAS_A_POOL", f"location type {where}", location=(where, 0))
        entry.breaks("LOCATION_HAS_A_POOL", f"managed, location type {where}", location=(where, 0), type=MANAGED)
    entry.breaks("NODE_IS_THERE", location=(HOST_NUMA, 99))
    entry.breaks("DEVICE_CAN_HAVE_A_POOL", location=(DEVICE, 99))
    entry.breaks("DEVICE_CAN_HAVE_A_POOL", "negative device", location=(DEVICE, -1))


def check_support(entry: Entry, *rest: Plain) -> None:
    """Check that a call needs support of pools, or of managed memory for its pools.

    Args:
        entry: The entry of the call, whose first arguments are a location and a type.
        rest: Its other arguments.
    """
    for profile, place in (
        (without_pools(), ((DEVICE, 0), PINNED)),
        (without("CONCURRENT_MANAGED_ACCESS"), ((NONE, 0), MANAGED)),
    ):
        with described(profile) as c:
            assert getattr(c, entry.call)(*place, *rest)[0] == Result.NOT_SUPPORTED
