"""Memory of devices and of the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model.memory import Allocation, Import, Managed, Pinned, Registered
from fakecuda.model.va import Mapping
from fakecuda.rule import Rule, guard, hip_tests, op, source
from fakecuda.spec.hip.active import active, entered, given
from fakecuda.spec.memory.mem_alloc import allocate
from fakecuda.spec.memory.mem_alloc_managed import mem_alloc_managed
from fakecuda.spec.memory.mem_alloc_pitch import mem_alloc_pitch
from fakecuda.spec.memory.mem_free import mem_free
from fakecuda.spec.memory.mem_free_host import mem_free_host
from fakecuda.spec.memory.mem_get_info import mem_get_info
from fakecuda.spec.memory.mem_host_alloc import mem_host_alloc
from fakecuda.spec.memory.mem_host_register import mem_host_register
from fakecuda.spec.memory.mem_host_unregister import mem_host_unregister

if TYPE_CHECKING:
    from fakecuda.model.process import Thread

PORTABLE, MAPPED, WRITE_COMBINED = 1, 2, 4
NUMA_USER, COHERENT, NON_COHERENT = 0x20000000, 0x40000000, 0x80000000
HOST_FLAGS = PORTABLE | MAPPED | WRITE_COMBINED | NUMA_USER | COHERENT | NON_COHERENT
DRIVER_FLAGS = PORTABLE | MAPPED | WRITE_COMBINED
REGISTER_FLAGS = 0x8000000F
ATTACH_GLOBAL, ATTACH_HOST = 1, 2
DEFAULT, FINE_GRAINED, SIGNAL = 0, 1, 2
SIGNAL_SIZE = 8
LARGEST = 1 << 48
"""More than any address space has."""
ELEMENTS = frozenset({4, 8, 16})

MEMORY_SUFFICES = Rule(
    "there is as much memory",
    Result.OUT_OF_MEMORY,
    hip_tests("hipMalloc", "the largest size answers hipErrorOutOfMemory, of hipHostMalloc and hipMallocPitch too"),
)
POINTER_IS_A_BASE = Rule(
    "the pointer is null, or one that an allocation returned, not freed since",
    Result.INVALID_VALUE,
    hip_tests("hipFree", "an address of a variable, and the second time: hipErrorInvalidValue, of hipHostFree too"),
)
HOST_FLAGS_ARE_KNOWN = Rule(
    "the flags are known, and not coherent and non-coherent at once",
    Result.INVALID_VALUE,
    hip_tests("hipHostMalloc", "others answer hipErrorInvalidValue"),
)
MALLOC_FLAGS_ARE_KNOWN = Rule(
    "the flags are known, and memory of signals has 8 bytes",
    Result.INVALID_VALUE,
    hip_tests("hipExtMallocWithFlags", "others answer hipErrorInvalidValue"),
)
MANAGED_MAKES_SENSE = Rule(
    "the size is not 0, and the flags are hipMemAttachGlobal or hipMemAttachHost",
    Result.INVALID_VALUE,
    source("hipMallocManaged", "clr answers hipErrorInvalidValue for others"),
)
ELEMENT_SIZE_IS_KNOWN = Rule(
    "the size of an element is 4, 8 or 16 bytes",
    Result.INVALID_VALUE,
    source("hipMemAllocPitch", "clr answers hipErrorInvalidValue for others"),
)
POINTER_IS_IN_MEMORY = Rule(
    "the pointer lies in memory that the process has",
    Result.NOT_FOUND,
    hip_tests("hipMemGetAddressRange", "others answer hipErrorNotFound"),
)
SIZE_CAN_BE_TOLD = Rule(
    "the pointer lies in memory that the process has",
    Result.INVALID_VALUE,
    source("hipMemPtrGetInfo", "clr answers hipErrorInvalidValue for others"),
)
RANGE_CAN_BE_REGISTERED = Rule(
    "the address is not null, the size not 0, and the flags are known",
    Result.INVALID_VALUE,
    hip_tests("hipHostRegister", "others answer hipErrorInvalidValue"),
)
POINTER_IS_REGISTERED = Rule(
    "the pointer is one that was registered",
    Result.HOST_MEMORY_NOT_REGISTERED,
    hip_tests("hipHostUnregister", "another, and the second time: hipErrorHostMemoryNotRegistered"),
)
POINTER_IS_PAGE_LOCKED = Rule(
    "the pointer lies in page-locked memory of the host",
    Result.INVALID_VALUE,
    hip_tests("hipHostGetDevicePointer", "null, pageable memory and that of a device answer hipErrorInvalidValue"),
)
FLAGS_ARE_ZERO = Rule(
    "the flags are 0",
    Result.INVALID_VALUE,
    hip_tests("hipHostGetDevicePointer", "others answer hipErrorInvalidValue"),
)


@guard
def new(call: Thread, size: int) -> int:
    """Return the address of new memory of the thread's device."""
    context = active(call)
    if size > context.device.memory.total:
        raise MEMORY_SUFFICES.broken(size=size, free=context.device.memory.total - context.device.memory.used)
    return allocate(call, context, size)


@op("hipMalloc")
def malloc(call: Thread, size: int) -> int:
    """Return the address of new memory of the thread's device, 0 for none."""
    entered(call)
    given(call)
    return new(call, size) if size else 0


@op("hipExtMallocWithFlags")
def malloc_with_flags(call: Thread, size: int, flags: int) -> int:
    """Return the address of new memory of the thread's device; the flags make no difference here."""
    entered(call)
    given(call)
    if flags not in {DEFAULT, FINE_GRAINED, SIGNAL} or (flags == SIGNAL and size != SIGNAL_SIZE):
        raise MALLOC_FLAGS_ARE_KNOWN.broken(size=size, flags=flags)
    return new(call, size) if size else 0


@op("hipFree")
def free(call: Thread, ptr: int) -> None:
    """Free memory of a device, or page-locked memory of the host; null is none."""
    # CHECK
    process = entered(call)
    if not ptr:
        return
    item = process.memory.at(ptr)
    if not isinstance(item, Allocation | Managed | Pinned) or item.start != ptr:
        raise POINTER_IS_A_BASE.broken(pointer=ptr, found=item or process.freed.get(ptr))
    # EFFECT
    active(call)
    if isinstance(item, Pinned):
        mem_free_host(call, ptr)
    else:
        mem_free(call, ptr)


@guard
def page_locked(call: Thread, size: int, flags: int) -> int:
    """Return the address of new page-locked memory of the host, 0 for none."""
    entered(call)
    given(call)
    if flags & ~HOST_FLAGS or (flags & COHERENT and flags & NON_COHERENT):
        raise HOST_FLAGS_ARE_KNOWN.broken(flags=flags)
    if size >= LARGEST:
        raise MEMORY_SUFFICES.broken(size=size)
    active(call)
    return mem_host_alloc(call, size, flags & DRIVER_FLAGS) if size else 0


@op("hipHostMalloc")
def host_malloc(call: Thread, size: int, flags: int) -> int:
    """Return the address of new page-locked memory of the host, 0 for none."""
    return page_locked(call, size, flags)


@op("hipHostAlloc")
def host_alloc(call: Thread, size: int, flags: int) -> int:
    """Return the address of new page-locked memory of the host, 0 for none."""
    return page_locked(call, size, flags)


@op("hipMallocHost")
def malloc_host(call: Thread, size: int) -> int:
    """Return the address of new page-locked memory of the host, 0 for none."""
    return page_locked(call, size, 0)


@op("hipMemAllocHost")
def mem_alloc_host(call: Thread, size: int) -> int:
    """Return the address of new page-locked memory of the host, 0 for none."""
    return page_locked(call, size, 0)


@guard
def unlocked(call: Thread, ptr: int) -> None:
    """Free page-locked memory of the host; null is none."""
    process = entered(call)
    if not ptr:
        return
    item = process.memory.at(ptr)
    if not isinstance(item, Pinned) or item.start != ptr:
        raise POINTER_IS_A_BASE.broken(pointer=ptr, found=item or process.freed.get(ptr))
    active(call)
    mem_free_host(call, ptr)


@op("hipHostFree")
def host_free(call: Thread, ptr: int) -> None:
    """Free page-locked memory of the host; null is none."""
    unlocked(call, ptr)


@op("hipFreeHost")
def free_host(call: Thread, ptr: int) -> None:
    """Free page-locked memory of the host; null is none."""
    unlocked(call, ptr)


@guard
def pitched(call: Thread, width: int, height: int, element: int) -> tuple[int, int]:
    """Return the address of new memory for rows, and the bytes from row to row; none for no rows."""
    context = active(call)
    given(call)
    if element not in ELEMENTS:
        raise ELEMENT_SIZE_IS_KNOWN.broken(element=element)
    if width * height > context.device.memory.total or max(width, height) >= LARGEST:
        raise MEMORY_SUFFICES.broken(width=width, height=height)
    return mem_alloc_pitch(call, width, height, element) if width and height else (0, 0)


@op("hipMallocPitch")
def malloc_pitch(call: Thread, width: int, height: int) -> tuple[int, int]:
    """Return the address of new memory for rows, and the bytes from row to row; none for no rows."""
    return pitched(call, width, height, 4)


@op("hipMemAllocPitch")
def mem_alloc_pitch_(call: Thread, width: int, height: int, element: int) -> tuple[int, int]:
    """Return the address of new memory for rows of elements, and the bytes from row to row; none for no rows."""
    return pitched(call, width, height, element)


@op("hipMallocManaged")
def malloc_managed(call: Thread, size: int, flags: int) -> int:
    """Return the address of new memory of devices and host."""
    entered(call)
    given(call)
    if not size or flags not in {ATTACH_GLOBAL, ATTACH_HOST}:
        raise MANAGED_MAKES_SENSE.broken(size=size, flags=flags)
    if size >= LARGEST:
        raise MEMORY_SUFFICES.broken(size=size)
    active(call)
    return mem_alloc_managed(call, size, flags)


@op("hipMemGetInfo")
def get_info(call: Thread) -> tuple[int, int]:
    """Return how many bytes of the thread's device are free, and how many there are."""
    active(call)
    given(call)
    return mem_get_info(call)


@op("hipMemGetAddressRange")
def get_address_range(call: Thread, ptr: int) -> tuple[int, int]:
    """Return the base and the size of the memory in which an address lies; either result may be left out."""
    process = entered(call)
    item = process.memory.at(ptr)
    if item is None:
        raise POINTER_IS_IN_MEMORY.broken(pointer=ptr, found=process.freed.get(ptr))
    return item.start, item.size


@op("hipMemPtrGetInfo")
def ptr_get_info(call: Thread, ptr: int) -> int:
    """Return the size of the memory in which an address lies."""
    process = entered(call)
    given(call)
    item = process.memory.at(ptr)
    if item is None:
        raise SIZE_CAN_BE_TOLD.broken(pointer=ptr, found=process.freed.get(ptr))
    return item.size


@op("hipHostRegister")
def host_register(call: Thread, ptr: int, size: int, flags: int) -> None:
    """Page-lock memory of the host that the caller has."""
    entered(call)
    if not ptr or not size or flags & ~REGISTER_FLAGS:
        raise RANGE_CAN_BE_REGISTERED.broken(pointer=ptr, size=size, flags=flags)
    active(call)
    mem_host_register(call, ptr, size, flags & (PORTABLE | MAPPED))


@op("hipHostUnregister")
def host_unregister(call: Thread, ptr: int) -> None:
    """Page-lock it no longer."""
    process = entered(call)
    item = process.memory.at(ptr) if ptr else None
    if not isinstance(item, Registered) or item.start != ptr:
        raise POINTER_IS_REGISTERED.broken(pointer=ptr, found=item or process.freed.get(ptr))
    active(call)
    mem_host_unregister(call, ptr)


@guard
def locked(call: Thread, ptr: int) -> Pinned | Registered:
    """Return the page-locked memory of the host in which an address lies."""
    process = entered(call)
    given(call)
    item = process.memory.at(ptr)
    if not isinstance(item, Pinned | Registered):
        raise POINTER_IS_PAGE_LOCKED.broken(pointer=ptr, found=item or process.freed.get(ptr))
    return item


@op("hipHostGetDevicePointer")
def host_get_device_pointer(call: Thread, ptr: int, flags: int) -> int:
    """Return the address by which devices access memory of the host: the same."""
    entered(call)
    given(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    locked(call, ptr)
    return ptr


@op("hipHostGetFlags")
def host_get_flags(call: Thread, ptr: int) -> int:
    """Return what page-locked memory was allocated with."""
    return locked(call, ptr).flags


def is_device_memory(item: object) -> bool:
    """Return whether memory lies on a device."""
    return isinstance(item, Allocation | Import | Mapping)
