"""Memory of devices and of the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import mapping, memory_effects, registrations
from fakecuda.model.memory.memory import Allocation, Managed, Mapped, Pinned, Registered
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Rule, guard, hip_tests, source, undefined
from fakecuda.rules.driver.memory.mem_alloc_pitch import PITCH
from fakecuda.rules.driver.memory.mem_free import unimported
from fakecuda.rules.driver.pool.handle import release
from fakecuda.rules.driver.stream.order import emptied, settled
from fakecuda.rules.hip.active import acting, active, answering, does, entered, given, written
from fakecuda.rules.registry import HIP
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.work.stream import Memory

PORTABLE, MAPPED, WRITE_COMBINED = 1, 2, 4
HOST_UNCACHED, COHERENT, NON_COHERENT = 0x10000000, 0x40000000, 0x80000000
WAYS_TO_AGREE = HOST_UNCACHED | COHERENT | NON_COHERENT
ALLOC_FLAGS = PORTABLE | MAPPED | WRITE_COMBINED | HOST_UNCACHED
DRIVER_FLAGS = PORTABLE | MAPPED | WRITE_COMBINED
ATTACH_GLOBAL, ATTACH_HOST = 1, 2
SIGNAL = 2
MALLOC_FLAGS = range(5)
"""The flags of hipExtMallocWithFlags: default, fine-grained, signal, and so on."""
SIGNAL_SIZE = 8
ELEMENTS = frozenset({4, 8, 16})
FREEABLE = (Allocation, Managed, Pinned, Pooled)
WRAP = 1 << 64
"""The number of values of a size_t."""
KNOWS_THREE_FLAGS = "hipHostAlloc.knows-three-flags"
AGREES_ON_UNCACHED = "hipHostMalloc.agrees-on-uncached"
WRITES_THROUGH_NULL = "hipMemGetAddressRange.writes-through-null"
REFUSES_NULL = "hipMemPtrGetInfo.refuses-null"

MEMORY_SUFFICES = Rule(
    "the device or the host has enough free memory",
    Result.OUT_OF_MEMORY,
    hip_tests(
        "hipMalloc", "HIP answers hipErrorOutOfMemory to the largest size, also in hipHostMalloc and hipMallocPitch"
    ),
    fix="free memory first, or allocate less",
)
POINTER_IS_A_BASE = Rule(
    "the pointer is null, or lies in memory that HIP allocated in this process and that has not been freed",
    Result.INVALID_VALUE,
    hip_tests(
        "hipFree",
        "hipFree and hipHostFree answer hipErrorInvalidValue to the address of a variable, and to a "
        "second free of the same address",
    ),
    fix="pass the address that hipMalloc or hipHostMalloc returned, once; clear the variable after the free",
)
POINTER_IS_THE_FIRST = Rule(
    "the pointer is the address that the allocating call returned",
    Result.SUCCESS,
    undefined(
        "hipFree", "the manual says nothing about addresses inside the allocation; clr frees the whole allocation"
    ),
    fix="pass the address that the allocation returned, without an offset",
)
MEMORY_IS_ALLOCATED = Rule(
    "the memory at the pointer does not come from hipHostRegister, hipIpcOpenMemHandle or hipMemMap",
    Result.SUCCESS,
    undefined(
        "hipFree",
        "the manual says nothing about registered, opened or mapped memory; clr forgets the memory and succeeds, "
        "so that the call that should release it fails later; for registered memory clr of 2024 ends the process "
        "(ihipFree)",
    ),
    fix="call hipHostUnregister, hipIpcCloseMemHandle or hipMemUnmap instead of hipFree",
)
HOST_FLAGS_AGREE = Rule(
    "`flags` has at most one of coherent, non-coherent and (in HIP 7.2) uncached, unless the size is 0",
    Result.INVALID_VALUE,
    hip_tests(
        "hipHostMalloc",
        "HIP answers hipErrorInvalidValue to coherent with non-coherent, and to all flags at "
        "once; clr also allows uncached only alone",
    ),
    fix="pass at most one of hipHostMallocCoherent, hipHostMallocNonCoherent and the uncached flag",
)
ALLOC_FLAGS_ARE_KNOWN = Rule(
    "`flags` has only the bits for portable, mapped, write-combined and, in HIP 7.2, uncached memory",
    Result.INVALID_VALUE,
    hip_tests("hipHostAlloc", "HIP answers hipErrorInvalidValue to any other value"),
    fix="combine only the portable, mapped, write-combined and uncached flags of hipHostAlloc",
)
MALLOC_FLAGS_ARE_KNOWN = Rule(
    "`flags` is 0 to 4: default, fine-grained, signal, uncached or contiguous; for signal memory `sizeBytes` is 8",
    Result.INVALID_VALUE,
    hip_tests("hipExtMallocWithFlags", "HIP answers hipErrorInvalidValue to any other value"),
    fix="pass one flag, such as hipDeviceMallocDefault; hipMallocSignalMemory takes a size of 8",
)
MANAGED_MAKES_SENSE = Rule(
    "`size` is not 0, and `flags` is hipMemAttachGlobal or hipMemAttachHost",
    Result.INVALID_VALUE,
    source("hipMallocManaged", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass a size above 0, and hipMemAttachGlobal or hipMemAttachHost",
)
WIDTH_CAN_BE_PADDED = Rule(
    "the width plus its padding does not overflow 64 bits",
    Result.INVALID_VALUE,
    source("hipMallocPitch", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="lower the width: rounded up to 512 bytes, it must fit 64 bits",
)
AREA_IS_POSITIVE = Rule(
    "neither `widthInBytes` nor `height` is 0",
    Result.INVALID_VALUE,
    source("hipMemAllocPitch", "clr answers hipErrorInvalidValue to 0, which hipMallocPitch accepts"),
    fix="skip the allocation if the width or the height is 0",
)
ELEMENT_SIZE_IS_KNOWN = Rule(
    "`elementSizeBytes` is 4, 8 or 16",
    Result.INVALID_VALUE,
    source("hipMemAllocPitch", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass 4, 8 or 16 for the element size",
)
POINTER_IS_IN_MEMORY = Rule(
    "`dptr` lies in memory that HIP allocated, registered, mapped or imported in this process",
    Result.NOT_FOUND,
    hip_tests("hipMemGetAddressRange", "HIP answers hipErrorNotFound to any other address"),
    fix="call hipMemGetAddressRange for memory that HIP allocated, before it is freed",
)
SIZE_CAN_BE_TOLD = Rule(
    "`ptr` lies in memory that HIP allocated, registered, mapped or imported in this process; HIP 7.2 accepts null",
    Result.INVALID_VALUE,
    source("hipMemPtrGetInfo", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="call hipMemPtrGetInfo for memory that HIP allocated, before it is freed",
)


@HIP.op("hipMalloc")
def malloc(call: Call, size: int) -> int:
    """Allocate memory of the thread's device. The address is 0 for 0 bytes."""
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
    """Allocate memory of the thread's device. The flags make no difference."""
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
    item = settled(call, ptr, orders.FREED_BY_HIP)
    if item is None:
        raise POINTER_IS_A_BASE.broken(pointer=ptr, found=process.freed.get(ptr))
    if not isinstance(item, FREEABLE):
        call.undefined(MEMORY_IS_ALLOCATED, pointer=ptr, found=item)
    elif item.start != ptr:
        call.undefined(POINTER_IS_THE_FIRST, pointer=ptr, found=item)
    ended(call, item)


@guard
def ended(call: Call, item: Memory) -> None:
    """Free memory; if another call must free it, only forget it as clr does."""
    # CHECK
    process = call.process
    context = acting(call)
    if isinstance(item, Pooled):
        # For a pool, too, clr's ihipFree waits for all streams of the device.
        owner = next((one for one in process.contexts.values() if one.device is item.pool.device), context)
        emptied(call, owner, orders.FREED_BY_HIP)
        release(call, item, None)
        return
    if isinstance(item, Mapping):
        emptied(call, context, orders.FREED_BY_HIP)
        # EFFECT
        mapping.leave(process, [item], history.here())
        return
    if isinstance(item, Allocation | Managed):
        unimported(call, item)
    # EFFECT
    assert not isinstance(item, Mapped)  # no call of HIP is made in a context of CUDA 3.1
    if isinstance(item, Registered):
        registrations.unregister(process, item, history.here())
    else:
        memory_effects.free(process, item, history.here())


@guard
def allocated(call: Call, ptr: int) -> None:
    """Check that an address is not in registered memory."""
    process = entered(call)
    item = process.memory.at(ptr)
    if isinstance(item, Registered) or registrations.over(process, ptr) is not None:
        raise POINTER_IS_A_BASE.broken(pointer=ptr, found=item)


@guard
def page_locked(call: Call, size: int, flags: int) -> int:
    """Allocate page-locked host memory with the given flags, and return its address."""
    if not size:
        return 0
    pinned = memory_effects.pin(acting(call), size, flags & DRIVER_FLAGS, history.here(history.OURS + 1), told=flags)
    if pinned is None:
        raise MEMORY_SUFFICES.broken(size=size)
    return pinned.start


@HIP.op("hipHostMalloc")
def host_malloc(call: Call, size: int, flags: int) -> int:
    """Allocate page-locked host memory and return its address; null for 0 bytes."""
    answering(call)
    ways = COHERENT | NON_COHERENT if does(call, AGREES_ON_UNCACHED) else WAYS_TO_AGREE
    if size and (flags & ways).bit_count() > 1:
        raise HOST_FLAGS_AGREE.broken(flags=flags)
    return page_locked(call, size, flags)


@HIP.op("hipHostAlloc")
def host_alloc(call: Call, size: int, flags: int) -> int:
    """Allocate page-locked host memory and return its address; null for 0 bytes."""
    answering(call)
    if flags & ~(DRIVER_FLAGS if does(call, KNOWS_THREE_FLAGS) else ALLOC_FLAGS):
        raise ALLOC_FLAGS_ARE_KNOWN.broken(flags=flags)
    return page_locked(call, size, flags)


@HIP.op("hipMallocHost")
def malloc_host(call: Call, size: int) -> int:
    """Allocate page-locked host memory and return its address; null for 0 bytes."""
    answering(call)
    return page_locked(call, size, 0)


@HIP.op("hipMemAllocHost")
def mem_alloc_host(call: Call, size: int) -> int:
    """Allocate page-locked host memory and return its address; null for 0 bytes."""
    answering(call)
    return page_locked(call, size, 0)


@HIP.op("hipHostFree")
def host_free(call: Call, ptr: int) -> None:
    """Free memory, as hipFree does, but refuse registered memory."""
    allocated(call, ptr)
    free(call, ptr)


@HIP.op("hipFreeHost")
def free_host(call: Call, ptr: int) -> None:
    """Free memory, as hipFree does, but refuse registered memory."""
    allocated(call, ptr)
    free(call, ptr)


@guard
def pitched(call: Call, width: int, height: int, depth: int) -> tuple[int, int]:
    """Allocate memory for slices of rows, and return its address and pitch."""
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
    """Allocate memory for rows, and return its address and pitch. The address is 0 for 0 rows."""
    answering(call)
    return pitched(call, width, height, 1)


@HIP.op("hipMemAllocPitch")
def mem_alloc_pitch(call: Call, width: int, height: int, element: int) -> tuple[int, int]:
    """Allocate memory for rows of elements, and return its address and pitch."""
    entered(call)
    if not width or not height:
        raise AREA_IS_POSITIVE.broken(width=width, height=height)
    if element not in ELEMENTS:
        raise ELEMENT_SIZE_IS_KNOWN.broken(element=element)
    given(call)
    return pitched(call, width, height, 1)


@HIP.op("hipMallocManaged")
def malloc_managed(call: Call, size: int, flags: int) -> int:
    """Allocate managed memory, for devices and host."""
    answering(call)
    if not size or flags not in {ATTACH_GLOBAL, ATTACH_HOST}:
        raise MANAGED_MAKES_SENSE.broken(size=size, flags=flags)
    managed = memory_effects.manage(acting(call), size, history.here())
    if managed is None:
        raise MEMORY_SUFFICES.broken(size=size)
    return managed.start


@HIP.op("hipMemGetInfo")
def get_info(call: Call) -> tuple[int, int]:
    """Return the free and the total bytes of the thread's device. Either result may be null."""
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
    """Return the size of the memory that an address lies in, or 0 for null."""
    process = entered(call)
    if not ptr and not does(call, REFUSES_NULL):
        written(call)
        return 0
    item = process.memory.at(ptr)
    if item is None:
        raise SIZE_CAN_BE_TOLD.broken(pointer=ptr, found=process.freed.get(ptr))
    written(call)
    return item.size
