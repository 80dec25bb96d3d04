"""cuMulticastCreate: create one address for the memory of several devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import mapping
from fakecuda.model.memory.va import AllocFlags, Location, Prop
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.multicast.handle import multicasting
from fakecuda.rules.driver.va.properties import DEVICE, FABRIC, PINNED, POSIX, WINDOWS
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

RawProp = tuple[int, int, int, int]

PROPERTIES_ARE_GIVEN = Rule(
    "`prop` is not null",
    Result.INVALID_VALUE,
    manual("cuMulticastCreate", "Properties of the multicast object to create"),
    fix="pass a CUmulticastObjectProp with numDevices and size",
)
FLAGS_ARE_ZERO = Rule(
    "`prop.flags` is 0",
    Result.INVALID_VALUE,
    manual("cuMulticastCreate", "CUDA_ERROR_INVALID_VALUE"),
    fix="set flags in the CUmulticastObjectProp to 0",
)
DEVICES_ARE_COUNTED = Rule(
    "`prop.numDevices` is not 0",
    Result.INVALID_VALUE,
    manual("cuMulticastCreate", "The number of participating devices is specified by CUmulticastObjectProp.numDevices"),
    fix="set numDevices to the number of devices that you will add, at least 1",
)
SIZE_IS_ALIGNED = Rule(
    "`prop.size` is a positive multiple of the minimum granularity of cuMulticastGetGranularity",
    Result.INVALID_VALUE,
    manual("cuMulticastCreate", "This size must be a multiple of the value returned by cuMulticastGetGranularity"),
    fix="round the size up to the granularity (cuMulticastGetGranularity)",
)
HANDLE_TYPES_ARE_SUPPORTED = Rule(
    "`prop.handleTypes` has no Windows handle type, as the operating system is Linux",
    Result.INVALID_VALUE,
    manual("cuMulticastCreate", "the desired types of shareable handles must be specified in the bitmask"),
    fix="set handleTypes to CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, CU_MEM_HANDLE_TYPE_FABRIC or 0 on Linux",
)
FABRIC_IS_PERMITTED = Rule(
    "the process can access an IMEX channel if `prop.handleTypes` has CU_MEM_HANDLE_TYPE_FABRIC",
    Result.NOT_PERMITTED,
    manual("cuMulticastCreate", "CUDA_ERROR_NOT_PERMITTED"),
    fix="give the process an IMEX channel, or set handleTypes to CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR",
)
DEVICES_SUFFICE = Rule(
    "`prop.numDevices` is at most the number of devices that the process sees, or fabric handles are requested",
    Result.INVALID_DEVICE,
    manual("cuMulticastCreate", "CUDA_ERROR_INVALID_DEVICE"),
    fix="set numDevices to at most the count that cuDeviceGetCount returns, or add CU_MEM_HANDLE_TYPE_FABRIC for "
    "other hosts",
)
RESOURCES_SUFFICE = Rule(
    "the NVLink switches have enough resources for a multicast object of `prop.size` bytes",
    Result.OUT_OF_MEMORY,
    manual("cuMulticastCreate", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="call cuMemRelease on multicast objects that are no longer used, or create a smaller one",
)


@DRIVER.op("cuMulticastCreate")
def multicast_create(call: Call, prop: RawProp | None) -> int:
    """Create a multicast object without devices.

    Args:
        call: The call.
        prop: CUmulticastObjectProp: how many devices, bytes, handle types, flags.

    Returns:
        Its allocation handle, with one reference.
    """
    # CHECK
    process = multicasting(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if prop is None:
        raise PROPERTIES_ARE_GIVEN.broken()
    count, size, handle_types, flags = prop
    machine = call.machine
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if not count:
        raise DEVICES_ARE_COUNTED.broken()
    if not size or size % machine.profile.multicast.granularity:
        raise SIZE_IS_ALIGNED.broken(size=size, granularity=machine.profile.multicast.granularity)
    if handle_types & WINDOWS:
        raise HANDLE_TYPES_ARE_SUPPORTED.broken(handle_types=handle_types)
    if handle_types & FABRIC and not machine.profile.fabric:
        raise FABRIC_IS_PERMITTED.broken(handle_types=handle_types)
    devices = process.devices
    if count > len(devices) and not handle_types & FABRIC:
        raise DEVICES_SUFFICE.broken(wanted=count, devices=len(devices))
    handle_types &= POSIX | FABRIC
    machine.exchange.reap()
    # EFFECT
    described = Prop(PINNED, handle_types, Location(DEVICE, 0), 0, AllocFlags(0, 0, 0))
    handle = mapping.create_multicast(process, size, described, count, history.here())
    if handle is None:
        raise RESOURCES_SUFFICE.broken(size=size)
    return handle.value
