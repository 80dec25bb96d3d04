"""Fixtures of device memory, and checks of rules on described machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

import fakecuda
from conformance.kit.case import Case, Twist
from conformance.kit.common import WORLD
from conformance.kit.world import DEVICE, GRANULE, PINNED, POSIX, READ_WRITE, access, pinned
from conformance.targets.target import check_on_model
from fakecuda.profiles import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.case import Entry
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

NOWHERE = 0x3FF0_0000_0000
"""An address that no driver returns."""
READ = 1
TILE_POOL = 1
"""CU_MEM_CREATE_USAGE_TILE_POOL."""
HOST, HOST_NUMA, HOST_NUMA_CURRENT = 2, 3, 4
"""Types of CUmemLocation."""


def prop(
    *,
    kind: int = PINNED,
    handle_types: int = POSIX,
    location: tuple[int, int] = (DEVICE, 0),
    capabilities: tuple[int, int, int] = (0, 0, 0),
) -> tuple[Plain, ...]:
    """Return a CUmemAllocationProp, by default pinned, exportable and on device 0.

    Args:
        kind: CUmemAllocationType.
        handle_types: CUmemAllocationHandleType bits.
        location: Type and id.
        capabilities: Compression type, GPUDirect RDMA capability, usage.
    """
    return (kind, handle_types, location, 0, capabilities)


def half_mapped(a: Process, flags: int = READ_WRITE, **changed: Plain) -> int:
    """Return a reservation of two granules, of which the first is mapped.

    Args:
        a: The process.
        flags: The device's access.
        changed: Fields of the properties.
    """
    ptr: int = a.ok.cuMemAddressReserve(2 * GRANULE, 0, 0, 0)
    a.ok.cuMemMap(ptr, GRANULE, 0, a.ok.cuMemCreate(GRANULE, prop(**changed), 0), 0)
    if flags:
        a.ok.cuMemSetAccess(ptr, GRANULE, (access(flags=flags),), 1)
    return ptr


def adjoining(a: Process, handles: tuple[int, int] | None = None) -> int:
    """Return two adjoining mappings of a granule each, by default of two allocations."""
    ptr: int = a.ok.cuMemAddressReserve(2 * GRANULE, 0, 0, 0)
    for number in (0, 1):
        handle = handles[number] if handles else a.ok.cuMemCreate(GRANULE, pinned(), 0)
        a.ok.cuMemMap(ptr + number * GRANULE, GRANULE, 0, handle, 0)
    a.ok.cuMemSetAccess(ptr, 2 * GRANULE, (access(),), 1)
    return ptr


def neighbours(w: World, a: Process, size: int = GRANULE) -> int:
    """Return two adjoining reservations of ``size`` bytes, mapped whole."""
    starts: list[int] = sorted(a.ok.cuMemAddressReserve(size, 0, 0, 0) for _round in range(4))
    found = [start for start in starts if start + size in starts]
    w.needs(found, "reservations that adjoin")
    for start in (found[0], found[0] + size):
        a.ok.cuMemMap(start, size, 0, a.ok.cuMemCreate(size, prop(), 0), 0)
    return found[0]


def freed(a: Process, size: int = 4096) -> int:
    """Return the address of freed linear memory."""
    ptr: int = a.ok.cuMemAlloc(size)
    a.ok.cuMemFree(ptr)
    return ptr


def released(a: Process) -> int:
    """Return a released allocation handle."""
    handle: int = a.ok.cuMemCreate(GRANULE, pinned(), 0)
    a.ok.cuMemRelease(handle)
    return handle


def most(a: Process) -> int:
    """Return a size in granules with room for one allocation, but not two."""
    free: int = a.ok.cuMemGetInfo()[0]
    return free // 4 * 3 // GRANULE * GRANULE


def content(a: Process, ptr: int, size: int = 4) -> bytes:
    """Return bytes of device memory."""
    room = bytearray(size)
    a.ok.cuMemcpyDtoH(room, ptr, size)
    return bytes(room)


def imported(importer: Process, exporter: Process, size: int = 4096) -> tuple[int, int]:
    """Return the importer's and the exporter's address of shared linear memory."""
    ptr: int = exporter.ok.cuMemAlloc(size)
    return importer.ok.cuIpcOpenMemHandle(exporter.ok.cuIpcGetMemHandle(ptr), 1), ptr


def on_model(
    entry: Entry,
    rule: str,
    code: int,
    act: Callable[[World, Invocation], Invocation | None],
    /,
    *,
    of: str = "h200-x2",
    **profile: Any,
) -> None:
    """Check on a model that a world breaks a rule, which no card can or should break.

    Args:
        entry: The entry whose valid call it is.
        rule: The rule's constant.
        code: What the call answers.
        act: Makes the difference; as a twist of the entry does.
        of: The machine's profile.
        profile: Fields of the machine's profile that differ.
    """
    twist = Twist(rule, act, entry.rule(rule), int(code), stage=WORLD)
    with fakecuda.Machine(attrs.evolve(load(of), **profile), strict=False) as machine:
        check_on_model([Case(entry, (twist,))], machine)


PAGE = 1 << 16
TILE = 256
"""The width and height of a tile of bytes."""
ARRAY, MIPMAPPED, LEVEL, TAIL, MAP, UNMAP = 0, 1, 0, 1, 1, 2
MEMBERS = "kind", "resource", "part", "words", "operation", "form", "handle", "offset", "mask", "flags", "zeros"


def box(
    at: tuple[int, int, int] = (0, 0, 0),
    size: tuple[int, int, int] = (TILE, TILE, 1),
    *,
    level: int = 0,
    layer: int = 0,
) -> tuple[int, int, int, int]:
    """Return a box of a level, in the layout of a CUarrayMapInfo."""
    numbers = (level, layer, *at, *size)
    first, second, third, fourth = (low | high << 32 for low, high in zip(numbers[::2], numbers[1::2], strict=True))
    return first, second, third, fourth


def pool(a: Process, size: int = GRANULE) -> int:
    """Return memory for tiles of arrays."""
    made: int = a.ok.cuMemCreate(size, prop(handle_types=0, capabilities=(0, 0, TILE_POOL)), 0)
    return made


def maps(resource: int, handle: int, **members: Any) -> tuple[tuple[Any, ...], ...]:
    """Return a list with one CUarrayMapInfo, by default of the first tile."""
    given = dict(zip(MEMBERS, (ARRAY, resource, LEVEL, box(), MAP, 0, handle, 0, 1, 0, 0), strict=True))
    return (tuple({**given, **members}.values()),)
