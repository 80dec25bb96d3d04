"""Memory of HIP: of devices, and of the host that devices reach."""

from __future__ import annotations

from conformance.cases.hip.fixtures import (
    ALL,
    NEW,
    NOWHERE,
    OLD,
    SIZE,
    entries,
    freed,
    host,
    memory,
    new,
    pinned,
    registered,
)
from conformance.kit.case import suite

every = entries(
    {
        "hipMemGetInfo": None,
        **{f"hip{name}": lambda _: (SIZE,) for name in ("Malloc", "MallocHost", "MemAllocHost")},
        **{f"hip{name}": lambda _: (SIZE, 0) for name in ("ExtMallocWithFlags", "HostAlloc", "HostMalloc")},
        **{f"hip{name}": lambda a: (memory(a),) for name in ("Free", "MemGetAddressRange", "MemPtrGetInfo")},
        **{f"hip{name}": lambda a: (pinned(a),) for name in ("FreeHost", "HostFree", "HostGetFlags")},
        "hipHostGetDevicePointer": lambda a: (pinned(a), 0),
        "hipHostRegister": lambda a: (host(a), SIZE, 0),
        "hipHostUnregister": lambda a: (registered(a),),
        "hipMallocManaged": lambda _: (SIZE, 1),
        "hipMallocPitch": lambda _: (64, 4),
        "hipMemAllocPitch": lambda _: (64, 4, 4),
    }
)
every["hipExtMallocWithFlags"].breaks("MALLOC_FLAGS_ARE_KNOWN", flags=1 << 20)
for call in ("hipFree", "hipFreeHost", "hipHostFree"):
    one = every[call]
    one.breaks("POINTER_IS_A_BASE", "nothing", ptr=NOWHERE)
    one.breaks("POINTER_IS_A_BASE", "the host's", ptr=new(host))
    one.breaks("POINTER_IS_A_BASE", "freed", ptr=new(freed))
    one.undefined("POINTER_IS_THE_FIRST", code=0, ptr=lambda i: i.args["ptr"] + 8)
every["hipHostAlloc"].breaks("ALLOC_FLAGS_ARE_KNOWN", flags=1 << 20)
every["hipHostAlloc"].breaks("ALLOC_FLAGS_ARE_KNOWN", "of no bytes", size=0, flags=8)

device = every["hipHostGetDevicePointer"]
device.breaks("FLAGS_ARE_ZERO", flags=1)
device.breaks("DEVICES_REACH_IT", hstPtr=NOWHERE)
device.breaks("DEVICES_REACH_IT", "the host's", hstPtr=new(host))

flags = every["hipHostGetFlags"]
flags.breaks("POINTER_IS_PAGE_LOCKED", hostPtr=NOWHERE)
flags.breaks("POINTER_IS_PAGE_LOCKED", "a device's", hostPtr=new(memory))

locked = every["hipHostMalloc"]
locked.breaks("HOST_FLAGS_AGREE", "coherent or not", flags=0xC0000000)
locked.breaks("HOST_FLAGS_AGREE", "uncached", flags=0x90000000)
locked.only(NEW, "HOST_FLAGS_AGREE-uncached")

register = every["hipHostRegister"]
register.breaks("RANGE_CAN_BE_REGISTERED", sizeBytes=0)
register.breaks("RANGE_CAN_BE_REGISTERED", "null", hostPtr=0)
register.breaks("RANGE_CAN_BE_LOCKED", hostPtr=NOWHERE)
register.also("registered in part", rule="RANGE_IS_NOT_REGISTERED", hostPtr=lambda i: registered(i.process) + SIZE // 2)
register.also("memory of a device", rule="RANGE_IS_THE_CALLERS", hostPtr=new(memory))

unregister = every["hipHostUnregister"]
unregister.breaks("memory.POINTER_IS_GIVEN", hostPtr=0)
unregister.breaks("POINTER_IS_REGISTERED", hostPtr=NOWHERE)
unregister.breaks("POINTER_IS_REGISTERED", "the host's", hostPtr=new(host))

for name, wrong in {"size": 0, "flags": 0}.items():
    every["hipMallocManaged"].breaks("MANAGED_MAKES_SENSE", name, **{name: wrong})
every["hipMallocManaged"].breaks("MANAGED_MAKES_SENSE", "unknown flags", flags=4)
every["hipMallocManaged"].breaks("MEMORY_SUFFICES", size=ALL)

for call in ("hipMallocPitch", "hipMemAllocPitch"):
    every[call].breaks("WIDTH_CAN_BE_PADDED", **{every[call].inputs[0]: ALL})
area = every["hipMemAllocPitch"]
area.breaks("AREA_IS_POSITIVE", "no width", widthInBytes=0)
area.breaks("AREA_IS_POSITIVE", "no height", height=0)
area.breaks("AREA_IS_POSITIVE", "before its elements", height=0, elementSizeBytes=3)
area.breaks("ELEMENT_SIZE_IS_KNOWN", elementSizeBytes=3)

span = every["hipMemGetAddressRange"]
span.breaks("POINTER_IS_IN_MEMORY", dptr=NOWHERE)
for name in ("pbase", "psize"):
    span.null(name, "RESULT_IS_GIVEN")
span.only(OLD, "RESULT_IS_GIVEN")
every["hipMemPtrGetInfo"].breaks("SIZE_CAN_BE_TOLD", ptr=NOWHERE)

test_memory = suite(*every.values())
