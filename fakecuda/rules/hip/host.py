"""Host memory: registration, and queries of registered and allocated memory.

clr keeps one table of memory by its first address. It does not look whether ranges overlap, nor which call made what it finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects, registrations
from fakecuda.model.memory.memory import Managed, Pinned, Registered
from fakecuda.model.memory.registrations import Layer
from fakecuda.model.memory.space import WRITE
from fakecuda.rules.core import Rule, hip_tests, source, undefined
from fakecuda.rules.driver.memory.mem_host_register import RANGE_IS_THE_CALLERS
from fakecuda.rules.driver.stream.order import settled
from fakecuda.rules.hip.active import acting, answering, does, entered
from fakecuda.rules.hip.memory import MAPPED, NON_COHERENT, PORTABLE, ended
from fakecuda.rules.registry import HIP
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

REGISTER_FLAGS = 0x8000000F
KNOWS_FOUR_FLAGS = "hipHostRegister.knows-four-flags"

RANGE_CAN_BE_REGISTERED = Rule(
    "`hostPtr` is not null, `sizeBytes` is not 0, and `flags` has only bits of hipHostRegister",
    Result.INVALID_VALUE,
    hip_tests("hipHostRegister", "HIP answers hipErrorInvalidValue to any other value"),
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
    source("hipHostUnregister", "clr answers hipErrorInvalidValue to null"),
    fix="pass a registered address, and skip hipHostUnregister if nothing is registered",
)
POINTER_IS_REGISTERED = Rule(
    "`hostPtr` lies in memory that HIP allocated, registered, mapped or opened in this process",
    Result.HOST_MEMORY_NOT_REGISTERED,
    hip_tests(
        "hipHostUnregister",
        "HIP answers hipErrorHostMemoryNotRegistered to an unregistered address, and to a "
        "second call with the same address",
    ),
    fix="call hipHostUnregister once, with the address that you passed to hipHostRegister",
)
REGISTRATION_BEGINS_THERE = Rule(
    "`hostPtr` is the first address of the memory that it lies in",
    Result.HOST_MEMORY_NOT_REGISTERED,
    undefined(
        "hipHostUnregister",
        "the manual says nothing about addresses inside the range; hip-tests expects "
        "hipErrorHostMemoryNotRegistered, and clr ends the process (ihipHostUnregister, MemObjMap::RemoveMemObj)",
    ),
    fix="pass the address that you passed to hipHostRegister, without an offset",
)
MEMORY_IS_REGISTERED = Rule(
    "the memory at `hostPtr` was registered by hipHostRegister",
    Result.SUCCESS,
    undefined(
        "hipHostUnregister",
        "the manual says nothing about memory that HIP allocated; clr finds that memory and frees it "
        "(ihipHostUnregister)",
    ),
    fix="call hipFree or hipHostFree on memory that HIP allocated; hipHostUnregister is for registered memory",
)
RANGE_IS_NOT_REGISTERED = Rule(
    "no byte of the range is already registered",
    Result.SUCCESS,
    undefined(
        "hipHostRegister",
        "the manual says nothing about overlapping ranges; clr registers each range, and keeps the first range "
        "at an address (ihipHostRegister, MemObjMap::AddMemObj)",
    ),
    fix="register each byte once, and call hipHostUnregister on the old range before you register an overlapping range",
)
DEVICES_REACH_IT = Rule(
    "`hstPtr` lies in memory, host or device, that HIP allocated, registered, mapped or imported in this process",
    Result.INVALID_VALUE,
    hip_tests("hipHostGetDevicePointer", "HIP answers hipErrorInvalidValue to null and pageable memory"),
    fix="call hipHostMalloc or hipHostRegister for the memory before hipHostGetDevicePointer",
)
POINTER_IS_PAGE_LOCKED = Rule(
    "`hostPtr` lies in host memory that HIP allocated, or in managed memory",
    Result.INVALID_VALUE,
    hip_tests(
        "hipHostGetFlags",
        "HIP answers hipErrorInvalidValue to device memory; clr answers the same to registered memory",
    ),
    fix="pass memory of hipHostMalloc or hipMallocManaged; registered memory has no such flags",
)
FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    hip_tests("hipHostGetDevicePointer", "HIP answers hipErrorInvalidValue to any other value"),
    fix="pass 0 for the flags of hipHostGetDevicePointer",
)


def known(call: Call, ptr: int) -> bool:
    """Return whether HIP knows the memory at an address."""
    process = call.process
    return process.memory.at(ptr) is not None or registrations.over(process, ptr) is not None


@HIP.op("hipHostRegister")
def host_register(call: Call, ptr: int, size: int, flags: int) -> None:
    """Page-lock existing host memory.

    What is registered already is registered over; the first registration of an address counts.
    """
    # CHECK
    process = entered(call)
    known_flags = REGISTER_FLAGS & ~NON_COHERENT if does(call, KNOWS_FOUR_FLAGS) else REGISTER_FLAGS
    if not ptr or not size or flags & ~known_flags:
        raise RANGE_CAN_BE_REGISTERED.broken(pointer=ptr, size=size, flags=flags)
    context = acting(call)
    found = process.memory.first(ptr, ptr + size)
    if found is not None and not isinstance(found, Registered):
        raise RANGE_IS_THE_CALLERS.broken(pointer=ptr, size=size, found=found)
    if process.system.access_of(ptr, size) != WRITE:
        raise RANGE_CAN_BE_LOCKED.broken(pointer=ptr, size=size)
    told = flags & (PORTABLE | MAPPED)
    if found is not None:
        call.undefined(RANGE_IS_NOT_REGISTERED, pointer=ptr, size=size, found=found)
        if found.start != ptr:
            # EFFECT
            registrations.lay(process, Layer(ptr, size, context, told, history.here()))
        return
    # EFFECT
    memory_effects.register(context, ptr, size, told, history.here())


@HIP.op("hipHostUnregister")
def host_unregister(call: Call, ptr: int) -> None:
    """Unregister host memory. Memory that HIP allocated is freed."""
    # CHECK
    process = entered(call)
    if not ptr:
        raise POINTER_IS_GIVEN.broken()
    item, layer = settled(call, ptr, orders.ENDED), registrations.over(process, ptr)
    if layer is not None and layer.start == ptr:
        # EFFECT
        registrations.lift(process, layer)
        return
    if item is None and layer is None:
        raise POINTER_IS_REGISTERED.broken(pointer=ptr, found=process.freed.get(ptr))
    if item is None or item.start != ptr:
        call.undefined(REGISTRATION_BEGINS_THERE, pointer=ptr, found=item or layer)
        raise REGISTRATION_BEGINS_THERE.broken(pointer=ptr, found=item or layer)
    if not isinstance(item, Registered):
        call.undefined(MEMORY_IS_REGISTERED, pointer=ptr, found=item)
        ended(call, item)
        return
    acting(call)
    # EFFECT
    registrations.unregister(process, item, history.here())


@HIP.op("hipHostGetDevicePointer")
def host_get_device_pointer(call: Call, ptr: int, flags: int) -> int:
    """Return the device address of host memory: the same address."""
    process = answering(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if not known(call, ptr):
        raise DEVICES_REACH_IT.broken(pointer=ptr, found=process.freed.get(ptr))
    return ptr


@HIP.op("hipHostGetFlags")
def host_get_flags(call: Call, ptr: int) -> int:
    """Return the flags with which host memory was allocated. Managed memory has flags 0."""
    process = answering(call)
    item = process.memory.at(ptr)
    if not isinstance(item, Pinned | Managed):
        raise POINTER_IS_PAGE_LOCKED.broken(pointer=ptr, found=item or process.freed.get(ptr))
    return item.flags if isinstance(item, Pinned) else 0
