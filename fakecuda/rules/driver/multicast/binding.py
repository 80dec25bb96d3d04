"""Rules of binding memory to a multicast object, by handle or by address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.multicast import Binding
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.multicast.handle import RANGE_LIES_IN_THE_OBJECT, of_the_team, ranged
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.memory.multicast import Multicast
    from fakecuda.model.memory.va import Physical

CAPABILITY = tuple(
    ENUMS["CUdevice_attribute"][f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{name}"] for name in ("MAJOR", "MINOR")
)
UNALIGNED_SINCE = (10, 7)
"""The first compute capability whose memory may be less aligned."""
UNIT = 256
"""The alignment in bytes that such devices need."""

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuMulticastBindMem", "Flags for future use, must be zero for now"),
    fix="pass 0 for the flags of cuMulticastBindMem and cuMulticastBindAddr",
)
MEMORY_IS_ALIGNED = Rule(
    "the memory's offset in its allocation is a multiple of the multicast granularity (256 from compute "
    "capability 10.7)",
    Result.INVALID_VALUE,
    manual("cuMulticastBindMem", "offset in the memory memOffset must be a multiple of the value"),
    fix="round the offset in the memory to the granularity (cuMulticastGetGranularity)",
)
RANGE_LIES_IN_THE_MEMORY = Rule(
    "the `size` bytes that are bound end within the memory allocation",
    Result.INVALID_VALUE,
    manual("cuMulticastBindMem", "The size + memOffset cannot be larger than the size of the allocated memory"),
    fix="bind at most the bytes of the memory after the offset",
)
MEMORY_IS_SHAREABLE = Rule(
    "the memory was created with shareable handle types if the multicast object has handle types",
    Result.INVALID_VALUE,
    manual(
        "cuMulticastBindMem",
        "Externally shareable as well as imported multicast objects can be bound only to externally shareable memory",
    ),
    fix="set requestedHandleTypes for cuMemCreate if the multicast object has handleTypes",
)
RANGE_IS_FREE = Rule(
    "the memory's device has nothing bound in `size` bytes at `mcOffset`, plus one granularity if `memOffset` is "
    "unaligned",
    Result.INVALID_VALUE,
    manual("cuMulticastBindMem", "CUDA_ERROR_INVALID_VALUE"),
    fix="call cuMulticastUnbind on the memory that the device has bound there, or bind at another offset",
)
SYSTEM_IS_READY = Rule(
    "the system software that multicast needs, such as Fabric Manager, is running",
    Result.SYSTEM_NOT_READY,
    manual("cuMulticastBindMem", "if the necessary system software is not initialized or running"),
    fix="start the system software for multicast (Fabric Manager), and bind again",
)
SYSTEM_IS_LEGAL = Rule(
    "the system's configuration is valid for multicast, and the driver daemons that multicast needs run properly",
    Result.ILLEGAL_STATE,
    manual(
        "cuMulticastBindMem",
        "This call may return CUDA_ERROR_ILLEGAL_STATE if the system configuration is in an illegal state",
    ),
    fix="let the administrator repair the fabric (Fabric Manager) before you bind memory, or copy to each device",
)
RESOURCES_SUFFICE = Rule(
    "the device of the memory has not reached its limit of multicast bindings",
    Result.OUT_OF_MEMORY,
    manual(
        "cuMulticastBindMem",
        "this call will return CUDA_ERROR_OUT_OF_MEMORY if there are insufficient resources required to perform the bind",
    ),
    fix="call cuMulticastUnbind on bindings that are no longer used, or create fewer and larger bindings",
)
UNALIGNED_SUFFICES = Rule(
    "if `memOffset` is not a multiple of the multicast granularity, the device can hold one more unaligned binding",
    Result.MULTICAST_RESOURCE_FULL,
    manual(
        "cuMulticastBindMem", "is limited by HW resources and may result in error CUDA_ERROR_MULTICAST_RESOURCE_FULL"
    ),
    fix="round the offset in the memory to the granularity, or unbind another unaligned binding first",
)


@guard
def binding(call: Call, multicast: Multicast, start: int, memory: tuple[Physical, int], size: int) -> Binding:
    """Return the binding of memory to a range of a multicast object.

    Args:
        call: The call.
        multicast: The object.
        start: The range's offset in it.
        memory: The memory, and the offset of the range in it.
        size: Bytes.
    """
    physical, offset = memory
    device = physical.device
    granularity = call.machine.profile.multicast.granularity
    ranged(call, multicast, start, size)
    if offset % (UNIT if lenient(device) else granularity):
        raise MEMORY_IS_ALIGNED.broken(offset=offset, granularity=granularity)
    made = Binding(device, start, size, physical, offset, size + granularity if offset % granularity else size)
    if start + made.room > multicast.size:
        raise RANGE_LIES_IN_THE_OBJECT.broken(offset=start, size=made.room, object=multicast)
    if offset + size > physical.size:
        raise RANGE_LIES_IN_THE_MEMORY.broken(offset=offset, size=size, memory=physical)
    of_the_team(device, multicast)
    if multicast.handle_types and not physical.handle_types:
        raise MEMORY_IS_SHAREABLE.broken(memory=physical, object=multicast)
    if multicast.bound(device, start, made.room):
        raise RANGE_IS_FREE.broken(offset=start, size=made.room, bound=multicast.bound(device, start, made.room))
    resources(call, made)
    return made


@guard
def resources(call: Call, made: Binding) -> None:
    """Check that the system can bind memory and has the resources."""
    can = call.machine.profile.multicast
    if can.state == "not ready":
        raise SYSTEM_IS_READY.broken()
    if can.state == "illegal":
        raise SYSTEM_IS_LEGAL.broken()
    call.machine.exchange.reap()
    fabric, device = call.machine.fabric, made.device
    if fabric.bindings[device] >= can.bindings:
        raise RESOURCES_SUFFICE.broken(device=device, bound=fabric.bindings[device])
    if made.room > made.size and fabric.unaligned[device] >= can.unaligned:
        raise UNALIGNED_SUFFICES.broken(device=device, bound=fabric.unaligned[device])


def lenient(device: Device) -> bool:
    """Return whether a device can bind memory that is not aligned to the granularity."""
    return tuple(device.profile.attributes.get(number, 0) for number in CAPABILITY) >= UNALIGNED_SINCE
