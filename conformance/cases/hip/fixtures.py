"""Fixtures of HIP: objects of every kind in a process on the first of two devices."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import attrs

from conformance.kit.case import Entry
from conformance.kit.world import NEW as NEW_PROCESS
from conformance.kit.world import Process
from fakecuda.rules.driver.core.init import DEVICE_IS_THERE
from fakecuda.rules.registry import HIP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

    Arguments = Callable[[Process], tuple[Plain, ...]]

OLD, NEW = "hip-clr-2024", "hip-clr-2026"
RELEASE = "hip-7.2.4"
"""The HIP profiles; each case runs on both, except by :meth:`Entry.only`."""
SIZE = 4096
G = 2 << 20
"""The size of an allocation handle's memory: a multiple of every granularity."""
ALL = (1 << 64) - 1
"""A size larger than all memory; as a stream, an invalid handle."""
HUGE = 1 << 49
"""A size larger than a device's or the host's memory."""
NOWHERE, UNKNOWN = 0x10, 0x123450
"""An unused address, and an unused handle."""
HERE, THERE, HOST = (1, 0), (1, 1), (2, 0)
"""hipMemLocation structs: the first device, the second one, and the host."""
READ, READ_WRITE = 1, 3
POSIX = 1
UNTIMED, INTERPROCESS = 2, 4
"""Flags of events."""


def entries(arguments: Mapping[str, Arguments | None]) -> dict[str, Entry]:
    """Return entries by call, including those of per-thread default streams.

    Args:
        arguments: Makes the arguments of each valid call, in C order.
    """
    names = {call: (call, f"{call}_spt") if f"{call}_spt" in HIP.ops else (call,) for call in arguments}
    made = {name: Entry.of(name, arguments[call]) for call, both in names.items() for name in both}
    for entry in made.values():
        if DEVICE_IS_THERE in HIP.ops[entry.call].rules:
            entry.also("every device is hidden", rule=DEVICE_IS_THERE.id)(hidden)
    return made


def seeing(w: World, devices: str) -> Process:
    """Return a new process that sees only some devices, in that order."""
    made = Process(w.session.recorder.spawn(visible_devices=devices), 0, 0)
    w.used.append(((NEW_PROCESS, 0), made))
    return made


def hidden(w: World, i: Invocation) -> Invocation:
    """Make the call in a process without visible devices."""
    return attrs.evolve(i, process=seeing(w, "-1"))


def new(make: Callable[..., Plain], *rest: Plain, **changed: Plain) -> Callable[[Invocation], Plain]:
    """Return a function that makes a new object for an argument.

    Args:
        make: Makes it, in a process.
        rest: What else it takes.
        changed: The same by their names.
    """
    return lambda i: make(i.process, *rest, **changed)


def memory(a: Process, size: int = SIZE) -> int:
    """Return the address of new memory of the device."""
    made: int = a.ok.hipMalloc(size)
    return made


def elsewhere(a: Process, make: Callable[[Process], Any]) -> Any:
    """Create an object while the thread uses the second device, and return it."""
    a.ok.hipSetDevice(1)
    made = make(a)
    a.ok.hipSetDevice(0)
    a.ok.hipDeviceSynchronize()
    return made


def there(a: Process) -> int:
    """Return the address of new memory of the second device."""
    return int(elsewhere(a, memory))


def host(a: Process) -> int:
    """Return the address of new pageable host memory."""
    return a.host_memory(2 * SIZE)


def pinned(a: Process, offset: int = 0) -> int:
    """Return an address in new page-locked memory."""
    made: int = a.ok.hipHostMalloc(SIZE, 0)
    return made + offset


def registered(a: Process) -> int:
    """Return the address of registered host memory."""
    address = host(a)
    a.ok.hipHostRegister(address, SIZE, 0)
    return address


def registered_over(a: Process) -> int:
    """Return the address of host memory with two overlapping registrations."""
    address = host(a)
    a.ok.hipHostRegister(address + SIZE // 2, SIZE // 2, 0)
    a.ok.hipHostRegister(address, SIZE, 0)
    return address


def managed(a: Process, size: int = 2 * SIZE) -> int:
    """Return the address of new managed memory."""
    made: int = a.ok.hipMallocManaged(size, 1)
    return made


def freed(a: Process) -> int:
    """Return the address of freed memory."""
    address = memory(a)
    a.ok.hipFree(address)
    return address


def content(a: Process, address: int, size: int = SIZE) -> bytes:
    """Return what memory holds."""
    place = a.host_memory(size)
    a.ok.hipMemcpy(place, address, size, 4)
    return ctypes.string_at(place, size)


def holds(a: Process, address: int, value: int) -> bool:
    """Return whether memory holds a byte repeatedly."""
    return content(a, address) == bytes([value]) * SIZE


def written(a: Process, value: int, size: int = SIZE) -> int:
    """Return new host memory that holds a byte repeatedly."""
    place = a.host_memory(size)
    ctypes.memset(place, value, size)
    return place


def put(a: Process, address: int, value: int) -> None:
    """Fill memory with a byte by a copy from the host."""
    a.ok.hipMemcpy(address, written(a, value), SIZE, 1)


def stream(a: Process) -> int:
    """Return a new stream."""
    made: int = a.ok.hipStreamCreate()
    return made


def gone(a: Process) -> int:
    """Return a destroyed stream."""
    made = stream(a)
    a.ok.hipStreamDestroy(made)
    return made


def reset(a: Process) -> int:
    """Return a stream of the second device from before its reset."""

    def make(a: Process) -> int:
        made = stream(a)
        a.ok.hipDeviceReset()
        return made

    return int(elsewhere(a, make))


def event(a: Process, flags: int = 0) -> int:
    """Return a new recorded event."""
    made: int = a.ok.hipEventCreateWithFlags(flags)
    a.ok.hipEventRecord(made, 0)
    return made


def ended(a: Process) -> int:
    """Return a destroyed event."""
    made = event(a)
    a.ok.hipEventDestroy(made)
    return made


def prop(kind: int = 1, handles: int = POSIX, where: int = 1, number: int = 0) -> tuple[Plain, ...]:
    """Return a hipMemAllocationProp."""
    return (kind, handles, (where, number), 0, (0, 0, 0))


def handle(a: Process, size: int = G, **changed: int) -> int:
    """Return a new allocation handle; ``changed`` sets other properties."""
    made: int = a.ok.hipMemCreate(size, prop(**changed), 0)
    return made


def reserved(a: Process, size: int = G) -> int:
    """Return the address of a new reservation."""
    made: int = a.ok.hipMemAddressReserve(size, 0, 0, 0)
    return made


def mapped(a: Process, offset: int = 0) -> int:
    """Return an address in a new mapping without access."""
    address = reserved(a)
    a.ok.hipMemMap(address, G, 0, handle(a), 0)
    return address + offset


def unmapped(a: Process) -> int:
    """Return the address of a reservation after an unmap."""
    address = mapped(a)
    a.ok.hipMemUnmap(address, G)
    return address


def open_to(a: Process, device: int, address: int, handle: int) -> int:
    """Map a handle at an address with access for a device; return the address."""
    a.ok.hipMemMap(address, G, 0, handle, 0)
    a.ok.hipMemSetAccess(address, G, (((1, device), READ_WRITE),), 1)
    return address


def usable(a: Process, device: int = 0) -> int:
    """Return the address of a new mapping with access for its device."""
    return open_to(a, device, reserved(a), handle(a, number=device))


def exported(a: Process) -> int:
    """Return the descriptor of a new allocation handle, or its address in 2024."""
    descriptor: int = a.ok.hipMemExportToShareableHandle(handle(a), POSIX, 0)
    return given(a, descriptor)


def given(a: Process, descriptor: int) -> int:
    """Return a descriptor for hipMemImportFromShareableHandle, or its address in 2024."""
    if "hipMemImportFromShareableHandle.points-to-the-descriptor" not in a.recorded.recorder.machine.profile.hip.ways:
        return descriptor
    cell = a.host_memory(SIZE)
    ctypes.c_int.from_address(cell).value = descriptor
    return cell


def pool(a: Process, handles: int = POSIX, largest: int = 0) -> int:
    """Return a new pool of the first device."""
    made: int = a.ok.hipMemPoolCreate((1, handles, HERE, 0, largest))
    return made


def default_pool(a: Process, device: int = 0) -> int:
    """Return the pool that a device has from the beginning."""
    made: int = a.ok.hipDeviceGetDefaultMemPool(device)
    return made


def pooled(a: Process) -> int:
    """Return the address of new memory of the default pool, not exported."""
    made: int = a.ok.hipMallocAsync(SIZE, 0)
    return made


def rows(a: Process, offset: int = 0) -> tuple[int, int]:
    """Return an address in new memory for four rows of 100 bytes, and the pitch."""
    address, pitch = a.ok.hipMallocPitch(100, 4)
    return address + offset, pitch


def slices(a: Process) -> tuple[int, int, int, int]:
    """Return a hipPitchedPtr of new memory for three slices of four 100-byte rows."""
    place: tuple[int, int, int, int] = a.ok.hipMalloc3D((100, 4, 3))
    return place


def described(a: Process, members: dict[str, Any], changed: dict[str, Any]) -> tuple[Plain, ...]:
    """Return a struct whose members are values or functions of the process."""
    return tuple(value(a) if callable(value) else value for value in {**members, **changed}.values())


def waiting(w: World) -> None:
    """Have work wait until a call waits for it."""
    w.model.scheduler.manual = True


def exhausted(w: World, i: Invocation) -> None:
    """Use up all addresses of the process."""
    w.model.exhaust_addresses(w.session.recorder.processes[i.process.name])
