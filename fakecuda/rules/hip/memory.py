"""Memory of devices and of the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory import Allocation, Managed, Pinned, Registered
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.space import WRITE
from fakecuda.rules.core import Rule, guard, hip_tests, source, undefined
from fakecuda.rules.driver.memory.mem_alloc_pitch import PITCH
from fakecuda.rules.driver.memory.mem_free import unimported
from fakecuda.rules.driver.memory.mem_host_register import unregistered
from fakecuda.rules.driver.pool.handle import release
from fakecuda.rules.driver.stream.order import emptied, settled
from fakecuda.rules.hip.active import acting, active, answering, does, entered, given, written
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

PORTABLE, MAPPED, WRITE_COMBINED = 1, 2, 4
HOST_UNCACHED, COHERENT, NON_COHERENT = 0x10000000, 0x40000000, 0x80000000
WAYS_TO_AGREE = HOST_UNCACHED | COHERENT | NON_COHERENT
ALLOC_FLAGS = PORTABLE | MAPPED | WRITE_COMBINED | HOST_UNCACHED
DRIVER_FLAGS = PORTABLE | MAPPED | WRITE_COMBINED
REGISTER_FLAGS = 0x8000000F
ATTACH_GLOBAL, ATTACH_HOST = 1, 2
SIGNAL = 2
MALLOC_FLAGS = range(5)
"""Default, fine-grained, signal, uncached and contiguous memory."""
SIGNAL_SIZE = 8
ELEMENTS = frozenset({4, 8, 16})
FREEABLE = (Allocation, Managed, Pinned, Pooled)
WRAP = 1 << 64
"""The range of a size_t."""
KNOWS_THREE_FLAGS = "hipHostAlloc.knows-three-flags"
AGREES_ON_UNCACHED = "hipHostMalloc.agrees-on-uncached"
KNOWS_FOUR_FLAGS = "hipHostRegister.knows-four-flags"
WRITES_THROUGH_NULL = "hipMemGetAddressRange.writes-through-null"
REFUSES_NULL = "hipMemPtrGetInfo.refuses-null"

MEMORY_SUFFICES = Rule(
    "the device or the host has enough free memory",
    Result.OUT_OF_MEMORY,
    hip_tests("hipMalloc", "the largest size answers hipErrorOutOfMemory, of hipHostMalloc and hipMallocPitch too"),
    fix="free memory first, or allocate less",
)
POINTER_IS_A_BASE = Rule(
    "the pointer is null, or lies in memory that HIP allocated in this process and that has not been freed",
    Result.INVALID_VALUE,
    hip_tests("hipFree", "an address of a variable, and the second time: hipErrorInvalidValue, of hipHostFree too"),
    fix="pass the address that hipMalloc or hipHostMalloc returned, once; clear the variable after the free",
)
POINTER_IS_THE_FIRST = Rule(
    "the pointer is the address that the allocating call returned",
    Result.SUCCESS,
    undefined("hipFree", "silent about addresses further in; clr frees all of the memory that they lie in"),
    fix="pass the address that the allocation returned, without an offset",
)
HOST_FLAGS_AGREE = Rule(
    "`flags` has at most one of coherent, non-coherent and (in HIP 7.2) uncached, unless the size is 0",
    Result.INVALID_VALUE,
    hip_tests("hipHostMalloc", "coherent and non-coherent, and all flags: hipErrorInvalidValue; clr: uncached, too"),
    fix="pass at most one of hipHostMallocCoherent, hipHostMallocNonCoherent and the uncached flag",
)
ALLOC_FLAGS_ARE_KNOWN = Rule(
    "`flags` has only the bits for portable, mapped, write-combined and, in HIP 7.2, uncached memory",
    Result.INVALID_VALUE,
    hip_tests("hipHostAlloc", "others answer hipErrorInvalidValue"),
    fix="combine only the portable, mapped, write-combined and uncached flags of hipHostAlloc",
)
MALLOC_FLAGS_ARE_KNOWN = Rule(
    "`flags` is 0 to 4: default, fine-grained, signal, uncached or contiguous; for signal memory `sizeBytes` is 8",
    Result.INVALID_VALUE,
    hip_tests("hipExtMallocWithFlags", "others answer hipErrorInvalidValue"),
    fix="pass one flag, such as hipDeviceMallocDefault; hipMallocSignalMemory takes a size of 8",
)
MANAGED_MAKES_SENSE = Rule(
    "`size` is not 0, and `flags` is hipMemAttachGlobal or hipMemAttachHost",
    Result.INVALID_VALUE,
    source("hipMallocManaged", "clr answers hipErrorInvalidValue for others"),
    fix="pass a size above 0, and hipMemAttachGlobal or hipMemAttachHost",
)
WIDTH_CAN_BE_PADDED = Rule(
    "the width plus its padding does not overflow 64 bits",
    Result.INVALID_VALUE,
    source("hipMallocPitch", "clr answers hipErrorInvalidValue otherwise"),
    fix="lower the width: rounded up to 512 bytes, it must fit 64 bits",
)
AREA_IS_POSITIVE = Rule(
    "neither `widthInBytes` nor `height` is 0",
    Result.INVALID_VALUE,
    source("hipMemAllocPitch", "clr answers hipErrorInvalidValue for 0, which hipMallocPitch takes"),
    fix="skip the allocation if the width or the height is 0",
)
ELEMENT_SIZE_IS_KNOWN = Rule(
    "`elementSizeBytes` is 4, 8 or 16",
    Result.INVALID_VALUE,
    source("hipMemAllocPitch", "clr answers hipErrorInvalidValue for others"),
    fix="pass 4, 8 or 16 for the element size",
)
POINTER_IS_IN_MEMORY = Rule(
    "`dptr` lies in memory that HIP allocated, registered, mapped or imported in this process",
    Result.NOT_FOUND,
    hip_tests("hipMemGetAddressRange", "others answer hipErrorNotFound"),
    fix="call hipMemGetAddressRange for memory that HIP allocated, before it is freed",
)
SIZE_CAN_BE_TOLD = Rule(
    "`ptr` lies in memory that HIP allocated, registered, mapped or imported in this process; HIP 7.2 accepts null",
    Result.INVALID_VALUE,
    source("hipMemPtrGetInfo", "clr answers hipErrorInvalidValue for others"),
    fix="call hipMemPtrGetInfo for memory that HIP allocated, before it is freed",
)
RANGE_CAN_BE_REGISTERED = Rule(
    "`hostPtr` is not null, `sizeBytes` is not 0, and `flags` has only bits of hipHostRegister",
    Result.INVALID_VALUE,
    hip_tests("hipHostRegister", "others answer hipErrorInvalidValue"),
    fix="pass a buffer's address, a size above 0, and only hipHostRegister flags",
)
RANGE_CAN_BE_LOCKED = Rule(
    "every page of the range is mapped and writable in the process",
    Result.INVALID_VALUE,
    source("hipHostRegister", "clr answers hipErrorInvalidValue when its backend cannot lock the pages"),
    fix="pass a buffer that is mapped and writable up to its end",
)
POINTER_IS_GIVEN = Rule(
    "`hostPtr` is not null",
    Result.INVALID_VALUE,
    source("hipHostUnregister", "clr answers hipErrorInvalidValue for null"),
    fix="pass a registered address, and skip hipHostUnregister if nothing is registered",
)
POINTER_IS_REGISTERED = Rule(
    "`hostPtr` was passed to hipHostRegister and is still registered",
    Result.HOST_MEMORY_NOT_REGISTERED,
    hip_tests("hipHostUnregister", "another, and the second time: hipErrorHostMemoryNotRegistered"),
    fix="call hipHostUnregister once, with the address that hipHostRegister got",
)
DEVICES_REACH_IT = Rule(
    "`hstPtr` lies in memory, host or device, that HIP allocated, registered, mapped or imported in this process",
    Result.INVALID_VALUE,
    hip_tests("hipHostGetDevicePointer", "null and pageable memory answer hipErrorInvalidValue"),
    fix="call hipHostMalloc or hipHostRegister for the memory before hipHostGetDevicePointer",
)
POINTER_IS_PAGE_LOCKED = Rule(
    "`hostPtr` lies in host memory that HIP allocated, or in managed memory",
    Result.INVALID_VALUE,
    hip_tests("hipHostGetFlags", "memory of a device answers hipErrorInvalidValue; clr: what was registered, too"),
    fix="pass memory of hipHostMalloc or hipMallocManaged; registered memory has no such flags",
)
FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    hip_tests("hipHostGetDevicePointer", "others answer hipErrorInvalidValue"),
    fix="pass 0 for the flags of hipHostGetDevicePointer",
)


@HIP.op("hipMalloc")
def malloc(call: Call, size: int) -> int:
    """Return the address of new memory of the thread's device, 0 for none."""
    answering(call)
    if not size:
        return 0
    context = acting(call)
    allocation = memory_effects.allocate(context, size, history.here())
    if allocation is None:
        raise MEMORY_SUFFICES.broken(size=size, free=context.device.memory.total - context.device.memory.used)
    return allocation.start


@HIP.op("hipExtMallocWithFlags")
def malloc_with_flags(call: Call, size: int, flags: int) -> int:
    """Return the address of new memory of the thread's device; the flags make no difference here."""
    entered(call)
    if flags not in MALLOC_FLAGS or (flags == SIGNAL and size != SIGNAL_SIZE):
        raise MALLOC_FLAGS_ARE_KNOWN.broken(size=size, flags=flags)
    return malloc(call, size)


@HIP.op("hipFree")
def free(call: Call, ptr: int) -> None:
    """Free device or host memory. Null does nothing."""
    # CHECK
    process = entered(call)
    if not ptr:
        return
    item = settled(call, ptr)
    if not isinstance(item, FREEABLE):
        raise POINTER_IS_A_BASE.broken(pointer=ptr, found=item or process.freed.get(ptr))
    if item.start != ptr:
        call.undefined(POINTER_IS_THE_FIRST, pointer=ptr, found=item)
    context = acting(call)
    if isinstance(item, Pooled):  # for a pool, too, clr's ihipFree waits for all streams of the device
        emptied(call, next((one for one in process.contexts.values() if one.device is item.pool.device), context))
        release(call, item, None)
        return
    if not isinstance(item, Pinned):
        unimported(call, item)
    # EFFECT
    memory_effects.free(process, item, history.here())


@guard
def page_locked(call: Call, size: int, flags: int) -> int:
    """Return the address of new page-locked host memory, which tells those flags, 0 for none."""
    if not size:
        return 0
    pinned = memory_effects.pin(acting(call), size, flags & DRIVER_FLAGS, history.here(history.OURS + 1), told=flags)
    if pinned is None:
        raise MEMORY_SUFFICES.broken(size=size)
    return pinned.start


@HIP.op("hipHostMalloc")
def host_malloc(call: Call, size: int, flags: int) -> int:
    """Return the address of new page-locked host memory; null for 0 bytes."""
    answering(call)
    ways = COHERENT | NON_COHERENT if does(call, AGREES_ON_UNCACHED) else WAYS_TO_AGREE
    if size and (flags & ways).bit_count() > 1:
        raise HOST_FLAGS_AGREE.broken(flags=flags)
    return page_locked(call, size, flags)


@HIP.op("hipHostAlloc")
def host_alloc(call: Call, size: int, flags: int) -> int:
    """Return the address of new page-locked host memory; null for 0 bytes."""
    answering(call)
    if flags & ~(DRIVER_FLAGS if does(call, KNOWS_THREE_FLAGS) else ALLOC_FLAGS):
        raise ALLOC_FLAGS_ARE_KNOWN.broken(flags=flags)
    return page_locked(call, size, flags)


@HIP.op("hipMallocHost")
def malloc_host(call: Call, size: int) -> int:
    """Return the address of new page-locked host memory; null for 0 bytes."""
    answering(call)
    return page_locked(call, size, 0)


@HIP.op("hipMemAllocHost")
def mem_alloc_host(call: Call, size: int) -> int:
    """Return the address of new page-locked host memory; null for 0 bytes."""
    answering(call)
    return page_locked(call, size, 0)


@HIP.op("hipHostFree")
def host_free(call: Call, ptr: int) -> None:
    """Free memory, as hipFree does."""
    free(call, ptr)


@HIP.op("hipFreeHost")
def free_host(call: Call, ptr: int) -> None:
    """Free memory, as hipFree does."""
    free(call, ptr)


@guard
def pitched(call: Call, width: int, height: int, depth: int) -> tuple[int, int]:
    """Return the address of new memory for slices of rows, and the bytes from row to row; none for no rows."""
    context = acting(call)
    if not (width and height and depth):
        return 0, 0
    if width > WRAP - PITCH:
        raise WIDTH_CAN_BE_PADDED.broken(width=width)
    pitch = -(-width // PITCH) * PITCH
    size = pitch * height * depth % WRAP
    stack = history.here(history.OURS + 1)
    allocation = memory_effects.allocate_rows(context, size, (pitch, height, depth), stack) if size else None
    if allocation is None:
        raise MEMORY_SUFFICES.broken(width=width, height=height, depth=depth)
    return allocation.start, pitch


@HIP.op("hipMallocPitch")
def malloc_pitch(call: Call, width: int, height: int) -> tuple[int, int]:
    """Return the address of new memory for rows, and the bytes from row to row; none for no rows."""
    answering(call)
    return pitched(call, width, height, 1)


@HIP.op("hipMemAllocPitch")
def mem_alloc_pitch(call: Call, width: int, height: int, element: int) -> tuple[int, int]:
    """Return the address of new memory for rows of elements, and the bytes from row to row."""
    entered(call)
    if not width or not height:
        raise AREA_IS_POSITIVE.broken(width=width, height=height)
    if element not in ELEMENTS:
        raise ELEMENT_SIZE_IS_KNOWN.broken(element=element)
    given(call)
    return pitched(call, width, height, 1)


@HIP.op("hipMallocManaged")
def malloc_managed(call: Call, size: int, flags: int) -> int:
    """Return the address of new memory of devices and host."""
    answering(call)
    if not size or flags not in {ATTACH_GLOBAL, ATTACH_HOST}:
        raise MANAGED_MAKES_SENSE.broken(size=size, flags=flags)
    managed = memory_effects.manage(acting(call), size, history.here())
    if managed is None:
        raise MEMORY_SUFFICES.broken(size=size)
    return managed.start


@HIP.op("hipMemGetInfo")
def get_info(call: Call) -> tuple[int, int]:
    """Return how many bytes of the thread's device are free, and how many there are; either may be left out."""
    device = active(call).device
    call.machine.exchange.reap()
    return device.memory.total - device.memory.used, device.profile.total_memory


@HIP.op("hipMemGetAddressRange")
def get_address_range(call: Call, ptr: int) -> tuple[int, int]:
    """Return the base and the size of the memory in which an address lies; either result may be null."""
    process = entered(call)
    item = process.memory.at(ptr)
    if item is None:
        raise POINTER_IS_IN_MEMORY.broken(pointer=ptr, found=process.freed.get(ptr))
    if does(call, WRITES_THROUGH_NULL):
        written(call)
    return item.start, item.size


@HIP.op("hipMemPtrGetInfo")
def ptr_get_info(call: Call, ptr: int) -> int:
    """Return the size of the memory in which an address lies; that of null is 0."""
    process = entered(call)
    if not ptr and not does(call, REFUSES_NULL):
        written(call)
        return 0
    item = process.memory.at(ptr)
    if item is None:
        raise SIZE_CAN_BE_TOLD.broken(pointer=ptr, found=process.freed.get(ptr))
    written(call)
    return item.size


@HIP.op("hipHostRegister")
def host_register(call: Call, ptr: int, size: int, flags: int) -> None:
    """Page-lock host memory that the caller has."""
    # CHECK
    process = entered(call)
    known = REGISTER_FLAGS & ~NON_COHERENT if does(call, KNOWS_FOUR_FLAGS) else REGISTER_FLAGS
    if not ptr or not size or flags & ~known:
        raise RANGE_CAN_BE_REGISTERED.broken(pointer=ptr, size=size, flags=flags)
    context = acting(call)
    unregistered(call, ptr, size)
    if process.system.access_of(ptr, size) != WRITE:
        raise RANGE_CAN_BE_LOCKED.broken(pointer=ptr, size=size)
    # EFFECT
    memory_effects.register(context, ptr, size, flags & (PORTABLE | MAPPED), history.here())


@HIP.op("hipHostUnregister")
def host_unregister(call: Call, ptr: int) -> None:
    """Page-lock it no longer."""
    # CHECK
    process = entered(call)
    if not ptr:
        raise POINTER_IS_GIVEN.broken()
    item = settled(call, ptr)
    if not isinstance(item, Registered) or item.start != ptr:
        raise POINTER_IS_REGISTERED.broken(pointer=ptr, found=item or process.freed.get(ptr))
    acting(call)
    # EFFECT
    memory_effects.free(process, item, history.here())


@HIP.op("hipHostGetDevicePointer")
def host_get_device_pointer(call: Call, ptr: int, flags: int) -> int:
    """Return the address by which devices access memory: the same."""
    process = answering(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if process.memory.at(ptr) is None:
        raise DEVICES_REACH_IT.broken(pointer=ptr, found=process.freed.get(ptr))
    return ptr


@HIP.op("hipHostGetFlags")
def host_get_flags(call: Call, ptr: int) -> int:
    """Return what host memory was allocated with; managed memory has no flags."""
    process = answering(call)
    item = process.memory.at(ptr)
    if not isinstance(item, Pinned | Managed):
        raise POINTER_IS_PAGE_LOCKED.broken(pointer=ptr, found=item or process.freed.get(ptr))
    return item.flags if isinstance(item, Pinned) else 0
