"""Rules of calls with multicast objects: the system, the object, its devices, and ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.multicast import Multicast
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.va.handle import handle_of
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.os.process import Process

SUPPORTED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED"]

MULTICAST_IS_SUPPORTED = Rule(
    "at least one device that the process sees supports multicast",
    Result.NOT_SUPPORTED,
    manual("cuMulticastCreate", "CUDA_ERROR_NOT_SUPPORTED"),
    fix="query CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED first, and copy to each device if no device supports it",
)
MULTICAST_IS_PERMITTED = Rule(
    "the system allows the user to use multicast",
    Result.NOT_PERMITTED,
    manual("cuMulticastCreate", "CUDA_ERROR_NOT_PERMITTED"),
    fix="ask the administrator to permit multicast for the user, or copy to each device instead",
)
HANDLE_IS_MULTICAST = Rule(
    "`mcHandle` is a multicast object",
    Result.INVALID_VALUE,
    manual("cuMulticastAddDevice", "Handle representing a multicast object"),
    fix="pass the handle that cuMulticastCreate returned, not a handle of cuMemCreate",
)
DEVICE_IS_OF_THE_TEAM = Rule(
    "cuMulticastAddDevice has added the device to unbind from, or the device of the memory to bind, to `mcHandle`",
    Result.INVALID_DEVICE,
    manual(
        "cuMulticastBindMem",
        "must have beeen created on one of the devices that was added to the multicast team via cuMulticastAddDevice",
    ),
    fix="call cuMulticastAddDevice for the device first",
)
RANGE_IS_ALIGNED = Rule(
    "`size` and `mcOffset` are multiples of the minimum multicast granularity, and `size` is not 0",
    Result.INVALID_VALUE,
    manual("cuMulticastUnbind", "must be a multiple of the value returned by cuMulticastGetGranularity"),
    fix="round offset and size up to the granularity (cuMulticastGetGranularity)",
)
RANGE_LIES_IN_THE_OBJECT = Rule(
    "`mcOffset` plus `size` is at most the size of `mcHandle`, less one granularity if an unaligned memory "
    "offset is bound",
    Result.INVALID_VALUE,
    manual("cuMulticastUnbind", "The size + mcOffset cannot be larger than the total size of the multicast object"),
    fix="bind at most the bytes of the multicast object",
)


@guard
def multicasting(call: Call) -> Process:
    """Return the calling process, initialised, on a system that supports multicast."""
    process = require_initialized(call)
    machine = call.machine
    if not any(device.profile.attributes.get(SUPPORTED) for device in process.devices):
        raise MULTICAST_IS_SUPPORTED.broken(devices=len(process.devices))
    if machine.profile.multicast.state == "forbidden":
        raise MULTICAST_IS_PERMITTED.broken(process=process)
    return process


@guard
def multicast_of(call: Call, value: int) -> Multicast:
    """Return the multicast object of a handle."""
    physical = handle_of(call, value).physical
    if not isinstance(physical, Multicast):
        raise HANDLE_IS_MULTICAST.broken(handle=value)
    return physical


@guard
def team_of(call: Call, value: int) -> Multicast:
    """Return the multicast object of a handle; wait until all its devices are added."""
    multicast = multicast_of(call, value)
    multicast.wait(call.machine)
    return multicast


@guard
def member_of(call: Call, dev: int, multicast: Multicast) -> Device:
    """Return the device with an ordinal, which must be in the object's team."""
    device = device_of(call, dev)
    of_the_team(device, multicast)
    return device


@guard
def of_the_team(device: Device, multicast: Multicast) -> None:
    """Check that a device is in a multicast object's team."""
    if device not in multicast.team:
        raise DEVICE_IS_OF_THE_TEAM.broken(device=device, team=multicast.team)


@guard
def ranged(call: Call, multicast: Multicast, offset: int, size: int) -> None:
    """Check that a range of a multicast object is aligned and within the object."""
    granularity = call.machine.profile.multicast.granularity
    if not size or size % granularity or offset % granularity:
        raise RANGE_IS_ALIGNED.broken(offset=offset, size=size, granularity=granularity)
    if offset + size > multicast.size:
        raise RANGE_LIES_IN_THE_OBJECT.broken(offset=offset, size=size, object=multicast)
