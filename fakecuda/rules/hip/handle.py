"""Allocation handles: memory without an address, and how processes share it."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import mapping
from fakecuda.model.memory.pointers import reaches
from fakecuda.model.memory.space import READ
from fakecuda.model.memory.va import AllocFlags, Location, Mapping, Physical, Prop
from fakecuda.rules.core import Rule, guard, hip_tests, source, undefined
from fakecuda.rules.hip.active import DEVICE, answering, does, entered, refuse
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.memory.va import Handle

PINNED, UNCACHED = 1, 0x40000000
TYPES = frozenset({PINNED, UNCACHED})
"""hipMemAllocationType."""
NO_TYPE, POSIX, FABRIC = 0, 1, 8
"""hipMemAllocationHandleType."""
FABRIC_SIZE = 64
HOST, HOST_NUMA, CURRENT_NODE = 2, 3, 4
HOSTS = frozenset({HOST, HOST_NUMA, CURRENT_NODE})
"""Location types of the host: the host, a NUMA node, the current NUMA node."""
ALIGNMENT, PAGE = 1 << 11, 1 << 12
"""The alignments of sizes in clr and in its backend."""
MINIMUM, RECOMMENDED = 0, 1
RawProp = tuple[int, int, tuple[int, int], int, tuple[int, int, int]]
FABRIC_SUPPORTED = "HandleTypeFabricSupported"
POINTS_TO_THE_DESCRIPTOR = "hipMemImportFromShareableHandle.points-to-the-descriptor"
"""Before HIP 7 the handle is the address of a descriptor, not the descriptor itself."""
OF_DEVICES_ALONE = "hipMemCreate.of-devices-alone"
TELLS_THE_CURRENT_DEVICE = "hipMemImportFromShareableHandle.tells-the-current-device"
FOLLOWS_OTHER_MEMORY = "hipMemRetainAllocationHandle.follows-other-memory"
ADDS_NO_REFERENCE = "hipMemRetainAllocationHandle.adds-no-reference"
ONE_GRANULARITY = "hipMemGetAllocationGranularity.one-granularity"

PROPERTIES_MAKE_SENSE = Rule(
    "`prop` is for pinned memory on a device (HIP 7.2: also uncached, or host); `size` is not 0, and `flags` is 0",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemCreate",
        "HIP answers hipErrorInvalidValue to null, to a size of 0, and to an unknown allocation or location type",
    ),
    fix="pass hipMemAllocationTypePinned on hipMemLocationTypeDevice, a size above 0, and 0 for the flags",
)
DEVICE_IS_THERE = Rule(
    "`prop.location.id` is a device that the process sees, if `prop.location.type` is a device",
    Result.INVALID_DEVICE,
    hip_tests(
        "hipMemCreate",
        "HIP 7.2 answers hipErrorInvalidDevice to the device -1 and to the number of devices; "
        "HIP 6.3 answers hipErrorInvalidValue",
    ),
    fix="set location.id to a number below the count that hipGetDeviceCount returns in this process",
)
NODE_IS_THERE = Rule(
    "`location.id` is an existing NUMA node of the host, if `location.type` is hipMemLocationTypeHostNuma",
    Result.INVALID_VALUE,
    source("hipMemCreate", "clr answers hipErrorInvalidValue to any other NUMA node, also in hipMemSetAccess"),
    fix="set location.id to 0 for hipMemLocationTypeHostNuma, or use hipMemLocationTypeHost",
)
HANDLE_TYPE_IS_SUPPORTED = Rule(
    "`prop.requestedHandleTypes` is 0, hipMemHandleTypePosixFileDescriptor, or in HIP 7.2 hipMemHandleTypeFabric",
    Result.NOT_SUPPORTED,
    source("hipMemCreate", "clr answers hipErrorNotSupported if this rule is broken"),
    fix="request hipMemHandleTypePosixFileDescriptor or hipMemHandleTypeNone",
)
MEMORY_SUFFICES = Rule(
    "the device has enough free memory",
    Result.OUT_OF_MEMORY,
    source("hipMemCreate", "clr answers hipErrorOutOfMemory before it checks the granularity"),
    fix="release memory first, or create less",
)
SIZE_IS_ALIGNED = Rule(
    "`size` is a multiple of 2048; a multiple of 2048 that is not a multiple of 4096 breaks another rule",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemCreate",
        "HIP answers hipErrorInvalidValue to a size of granularity - 1; clr answers the same to "
        "every size that is not a multiple of its alignment",
    ),
    fix="round the size up to the granularity (hipMemGetAllocationGranularity)",
)
PAGES_ARE_WHOLE = Rule(
    "`size` is a multiple of 4096, the size of a page",
    Result.OUT_OF_MEMORY,
    source("hipMemCreate", "clr answers hipErrorOutOfMemory when its backend refuses parts of a page"),
    fix="round the size of hipMemCreate up to the granularity (hipMemGetAllocationGranularity)",
)
ARGUMENTS_MAKE_SENSE = Rule(
    "`prop` is for pinned memory on a visible device (HIP 7.2: also uncached, or host); `option` is minimum or "
    "recommended",
    Result.INVALID_VALUE,
    source("hipMemGetAllocationGranularity", "clr answers hipErrorInvalidValue for any other argument"),
    fix="pass properties of pinned memory on a device, and a hipMemAllocationGranularity_flags",
)
HANDLE_IS_GIVEN = Rule(
    "`handle` is not null",
    Result.INVALID_VALUE,
    hip_tests("hipMemRelease", "every call that takes a handle answers hipErrorInvalidValue to a null handle"),
    fix="pass the handle that hipMemCreate or hipMemImportFromShareableHandle returned",
)
HANDLE_IS_HELD = Rule(
    "the process still has a reference to the allocation handle `handle`",
    Result.INVALID_VALUE,
    undefined("hipMemRelease", "the manual says nothing about any other value; clr uses the value as a pointer"),
    fix="call hipMemRelease once for each reference, after the last use of the handle",
)
FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    source("hipMemExportToShareableHandle", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass 0 for the flags of hipMemExportToShareableHandle",
)
TYPE_WAS_REQUESTED = Rule(
    "the memory was created with `handleType` as its requested handle type",
    Result.INVALID_VALUE,
    source("hipMemExportToShareableHandle", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="set requestedHandleTypes to hipMemHandleTypePosixFileDescriptor for hipMemCreate, and export that type",
)
MEMORY_IS_ITS_OWN = Rule(
    "the process created the memory itself, and did not import it",
    Result.INVALID_VALUE,
    source(
        "hipMemExportToShareableHandle",
        "clr answers hipErrorInvalidValue, because its backend cannot export imported memory",
    ),
    fix="call hipMemExportToShareableHandle in the process that created the memory, not in an importer",
)
FABRIC_IS_THERE = Rule(
    "the memory's device supports fabric handles",
    Result.INVALID_VALUE,
    source(
        "hipMemExportToShareableHandle", "clr answers hipErrorInvalidValue if its backend cannot create a fabric handle"
    ),
    fix="use hipMemHandleTypePosixFileDescriptor if hipDeviceAttributeHandleTypeFabricSupported is 0",
)
HANDLE_IS_EXPORTED_MEMORY = Rule(
    "`osHandle` is not null and is a handle that hipMemExportToShareableHandle returned",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemImportFromShareableHandle",
        "HIP answers hipErrorInvalidValue to null; clr answers the same for every failed import",
    ),
    fix="pass a descriptor of hipMemExportToShareableHandle that is still open, as hipMemHandleTypePosixFileDescriptor",
)
MEMORY_IS_MAPPED = Rule(
    "`addr` lies in no memory that HIP allocated, registered or imported, other than mappings of hipMemMap",
    Result.INVALID_VALUE,
    undefined(
        "hipMemRetainAllocationHandle",
        "the manual says nothing about other memory; clr of 2024 reads from a null pointer (segmentation fault)",
    ),
    fix="pass hipMemRetainAllocationHandle an address that hipMemMap mapped, not memory of hipMalloc",
)
POINTER_IS_MAPPED = Rule(
    "the pointer lies in a mapping of hipMemMap",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemRetainAllocationHandle",
        "HIP answers hipErrorInvalidValue to null, reserved and unmapped addresses; hipMemGetAccess answers the same "
        "to an address after the last mapping",
    ),
    fix="call hipMemMap first, and make this call before hipMemUnmap",
)


@guard
def handle_of(call: Call, value: int) -> Handle:
    """Return the allocation handle with this value; any other value is undefined."""
    if not value:
        raise HANDLE_IS_GIVEN.broken()
    handle = call.process.handles.get(value)
    if handle is None:
        found = call.process.freed.get(value)
        call.undefined(HANDLE_IS_HELD, value=value, found=found)
        raise HANDLE_IS_HELD.broken(value=value, found=found)
    if not handle.references:
        call.undefined(HANDLE_IS_HELD, value=value, found=handle)
    return handle


@guard
def mapping_at(call: Call, address: int) -> Mapping:
    """Return the mapping at an address."""
    item = call.process.memory.at(address)
    if not isinstance(item, Mapping):
        raise POINTER_IS_MAPPED.broken(pointer=address, found=item or call.process.freed.get(address))
    return item


@guard
def _home(call: Call, location: Location) -> Device:
    """Return the device or host where memory is to be allocated."""
    kind, number = location
    if kind == DEVICE:
        devices = call.process.devices
        if not 0 <= number < len(devices):
            refuse(call, DEVICE_IS_THERE, device=number)
        return devices[number]
    node_there(call, location)
    return call.machine.host


@guard
def node_there(call: Call, location: tuple[int, int]) -> None:
    """Check the NUMA node of a location of the host; other locations of it name none."""
    if location[0] == HOST_NUMA and location[1] not in call.machine.profile.nodes:
        raise NODE_IS_THERE.broken(location=location)


def _suits(call: Call, prop: RawProp) -> bool:
    """Return whether the runtime supports a memory type at a location type."""
    if does(call, OF_DEVICES_ALONE):
        return prop[0] == PINNED and prop[2][0] == DEVICE
    return prop[0] in TYPES and (prop[2][0] == DEVICE or prop[2][0] in HOSTS)


@lru_cache(maxsize=64)  # programs query the same few again and again
def _named(prop: RawProp) -> Prop:
    """Return allocation properties by name."""
    kind, handle_types, location, metadata, usage = prop
    return Prop(kind, handle_types, Location(*location), metadata, AllocFlags(*usage))


@HIP.op("hipMemCreate")
def create(call: Call, size: int, prop: RawProp | None, flags: int) -> int:
    """Allocate memory of a device or the host, without an address.

    Args:
        call: The call.
        size: Bytes, a multiple of a page.
        prop: hipMemAllocationProp.
        flags: 0.

    Returns:
        The allocation handle, with one reference.
    """
    # CHECK
    process = answering(call)
    if prop is None or not size or flags or not _suits(call, prop):
        raise PROPERTIES_MAKE_SENSE.broken(size=size, flags=flags, properties=prop)
    wanted = _named(prop)
    device, handle_types = _home(call, wanted.location), wanted.handle_types
    if handle_types not in {NO_TYPE, POSIX} and (handle_types != FABRIC or does(call, OF_DEVICES_ALONE)):
        raise HANDLE_TYPE_IS_SUPPORTED.broken(handle_types=handle_types)
    call.machine.exchange.reap()
    if size > device.memory.total:
        raise MEMORY_SUFFICES.broken(size=size, free=device.memory.total - device.memory.used)
    if size % PAGE:
        if size % ALIGNMENT:
            raise SIZE_IS_ALIGNED.broken(size=size, alignment=ALIGNMENT)
        raise PAGES_ARE_WHOLE.broken(size=size, page=PAGE)
    # EFFECT
    handle = mapping.create(process, device, size, wanted, history.here())
    if handle is None:
        raise MEMORY_SUFFICES.broken(size=size, free=device.memory.total - device.memory.used)
    return handle.value


@HIP.op("hipMemGetAllocationGranularity")
def get_granularity(call: Call, prop: RawProp | None, option: int) -> int:
    """Return the minimum (option 0) or recommended (1) granularity in bytes."""
    # CHECK
    process = answering(call)
    known = prop is not None and _suits(call, prop) and (prop[2][0] != DEVICE or 0 <= prop[2][1] < len(process.devices))
    if not known or option not in {MINIMUM, RECOMMENDED}:
        raise ARGUMENTS_MAKE_SENSE.broken(properties=prop, option=option)
    # EFFECT
    profile = call.machine.profile
    return profile.recommended if option == RECOMMENDED or does(call, ONE_GRANULARITY) else profile.granularity


@HIP.op("hipMemGetAllocationPropertiesFromHandle")
def get_properties(call: Call, value: int) -> Prop:
    """Return the properties of an allocation handle."""
    answering(call)
    return handle_of(call, value).prop


@HIP.op("hipMemRelease")
def release(call: Call, value: int) -> None:
    """Release a reference. Memory without references and mappings is freed."""
    # CHECK
    process = entered(call)
    handle = handle_of(call, value)
    if not handle.references:
        raise HANDLE_IS_HELD.broken(value=value, found=handle)
    # EFFECT
    mapping.release(process, handle, history.here())


@HIP.op("hipMemRetainAllocationHandle")
def retain(call: Call, addr: int) -> int:
    """Return the allocation handle of a mapped address. HIP decides whether that adds a reference."""
    # CHECK
    process = answering(call)
    if does(call, FOLLOWS_OTHER_MEMORY) and (other := process.memory.at(addr)) and not isinstance(other, Mapping):
        call.undefined(MEMORY_IS_MAPPED, pointer=addr, found=other)
        raise MEMORY_IS_MAPPED.broken(pointer=addr, found=other)
    handle = mapping_at(call, addr).handle
    # EFFECT
    if not does(call, ADDS_NO_REFERENCE):
        mapping.retain(handle)
    return handle.value


@HIP.op("hipMemExportToShareableHandle")
def export(call: Call, value: int, handle_type: int, flags: int) -> int | bytes:
    """Export memory as a new file descriptor, or as the 64 bytes of a fabric handle.

    The memory lives while a copy of the descriptor is open; bytes do not keep it. Of memory for which no type was asked,
    hipMemHandleTypeNone is a descriptor, too.
    """
    # CHECK
    answering(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    handle = handle_of(call, value)
    if handle.prop.handle_types != handle_type:
        raise TYPE_WAS_REQUESTED.broken(handle_type=handle_type, requested=handle.prop.handle_types)
    if handle.imported:
        raise MEMORY_IS_ITS_OWN.broken(handle=handle)
    device = handle.physical.device
    if handle_type == FABRIC and not device.profile.hip.get(FABRIC_SUPPORTED):
        raise FABRIC_IS_THERE.broken(device=device)
    # EFFECT
    if handle_type == FABRIC:
        return call.machine.exchange.share(handle.physical, ())
    return call.machine.exchange.export(handle.physical, call.process, history.here())


@guard
def _exported(call: Call, descriptor: int) -> Physical:
    """Return the memory of a file descriptor."""
    physical = call.machine.exchange.exported(descriptor) if descriptor < 1 << 31 else None
    if not isinstance(physical, Physical):
        raise HANDLE_IS_EXPORTED_MEMORY.broken(descriptor=descriptor)
    return physical


@guard
def _shared(call: Call, address: int) -> Physical:
    """Return the memory of the fabric handle at a host address."""
    name = ctypes.string_at(address, FABRIC_SIZE) if reaches(address, FABRIC_SIZE, READ) else b""
    known = call.machine.exchange.fabric_handles.get(name)
    if known is None or not known[0].extent.references:
        raise HANDLE_IS_EXPORTED_MEMORY.broken(handle=address, handle_type=FABRIC)
    return known[0]


@HIP.op("hipMemImportFromShareableHandle")
def import_(call: Call, os_handle: int, handle_type: int) -> int:
    """Import exported memory of this or another process, as an allocation handle with one reference.

    Args:
        call: The call.
        os_handle: A file descriptor in place of an address; before HIP 7 the address of one. Of a fabric handle its address.
        handle_type: hipMemHandleTypeFabric, or any other for a descriptor.
    """
    # CHECK
    process = answering(call)
    if not os_handle:
        raise HANDLE_IS_EXPORTED_MEMORY.broken(handle=os_handle, handle_type=handle_type)
    if handle_type == FABRIC and not does(call, OF_DEVICES_ALONE):
        physical = _shared(call, os_handle)
    else:
        points = does(call, POINTS_TO_THE_DESCRIPTOR)
        physical = _exported(call, ctypes.c_int.from_address(os_handle).value if points else os_handle & 0xFFFFFFFF)
    # EFFECT
    if does(call, TELLS_THE_CURRENT_DEVICE):
        location = Location(DEVICE, call.thread.device)
    elif physical.device is call.machine.host:
        location = Location(HOST, 0)
    else:
        location = Location(DEVICE, process.number_of(physical.device))
    prop = Prop(PINNED, handle_type, location, 0, AllocFlags(0, 0, 0))
    return mapping.import_(process, physical, prop, history.here()).value
