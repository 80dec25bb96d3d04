"""cuMulticastAddDevice: add a device to the team of a multicast object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.multicast.handle import SUPPORTED, multicast_of, multicasting
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.memory.multicast import Multicast

DEVICE_SUPPORTS_MULTICAST = Rule(
    "the device `dev` supports multicast",
    Result.NOT_SUPPORTED,
    manual("cuMulticastAddDevice", "CUDA_ERROR_NOT_SUPPORTED"),
    fix="add only devices whose CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED is 1",
)
DEVICE_IS_NEW = Rule(
    "the device `dev` has not been added to the multicast object `mcHandle` yet",
    Result.INVALID_VALUE,
    manual("cuMulticastAddDevice", "The association of the device to the multicast object is permanent"),
    fix="call cuMulticastAddDevice once for each device",
)
TEAM_HAS_ROOM = Rule(
    "fewer devices have been added to `mcHandle` than the `numDevices` it was created with",
    Result.INVALID_VALUE,
    manual("cuMulticastAddDevice", "the multicast team of size specified by CUmulticastObjectProp.numDevices"),
    fix="set numDevices in cuMulticastCreate to the number of devices that you will add",
)
CLIQUE_IS_ONE = Rule(
    "the device `dev` and the devices already added to the multicast object are capable of mutual peer access",
    Result.INVALID_DEVICE,
    manual(
        "cuMulticastAddDevice",
        "does not belong to the same clique as the other devices previously added to this multicast object",
    ),
    fix="add only devices that can access each other in both directions (cuDeviceCanAccessPeer)",
)
TEAMS_SUFFICE = Rule(
    "the device `dev` has not reached its limit of multicast objects",
    Result.OUT_OF_MEMORY,
    manual("cuMulticastAddDevice", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="release a multicast object of this device before you add the device to another object",
)


@DRIVER.op("cuMulticastAddDevice")
def multicast_add_device(call: Call, value: int, dev: int) -> None:
    """Add a device to a multicast object.

    Args:
        call: The call.
        value: The object's handle.
        dev: The device.
    """
    # CHECK
    multicasting(call)
    multicast = multicast_of(call, value)
    device = device_of(call, dev)
    if not device.profile.attributes.get(SUPPORTED):
        raise DEVICE_SUPPORTS_MULTICAST.broken(device=device)
    if device in multicast.team:
        raise DEVICE_IS_NEW.broken(device=device, object=multicast)
    if multicast.complete:
        raise TEAM_HAS_ROOM.broken(device=device, object=multicast)
    one_clique(call, device, multicast)
    machine = call.machine
    machine.exchange.reap()
    if machine.fabric.teams[device] >= machine.profile.multicast.teams:
        raise TEAMS_SUFFICE.broken(device=device)
    # EFFECT
    multicast.add_device(device, machine)


@guard
def one_clique(call: Call, device: Device, multicast: Multicast) -> None:
    """Check that a device and the team's devices can access each other."""
    peers = call.machine.profile.peers
    for other in multicast.team:
        links = (peers.get((device.ordinal, other.ordinal)), peers.get((other.ordinal, device.ordinal)))
        if not all(link is not None and link.can_access for link in links):
            raise CLIQUE_IS_ONE.broken(device=device, other=other)
