"""Connections between devices: how many a device can have.

The programming guide says that a device of a system without NVSwitch supports eight peer connections at most, for all
processes of the system together; a pair of devices is connected once, whichever of them is granted access, and by how
many contexts.
https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#peer-to-peer-memory-access
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.machine import Machine

CONNECTIONS_ARE_LEFT = Rule(
    "the current device is already connected to the device of the peer or memory, or each of the two has a connection "
    "left",
    Result.TOO_MANY_PEERS,
    manual("cuCtxEnablePeerAccess", "hardware resources required for peer access have been exhausted"),
    fix="first call cuCtxDisablePeerAccess for peers that are no longer used",
)


def connections(machine: Machine) -> dict[Device, set[Device]]:
    """Return the connected devices of each device, over all processes."""
    pairs = [
        (context.device, peer.device)
        for process in machine.living
        for context in process.contexts.values()
        for peer in context.peers
    ]
    pairs += [
        (mapping.context.device, mapping.share.allocation.device)
        for process in machine.living
        for mapping in process.ipc.imports.values()
    ]
    found: dict[Device, set[Device]] = {}
    for one, other in pairs:
        if one is not other:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return found


@guard
def connectable(call: Call, one: Device, other: Device) -> None:
    """Check that two devices are connected or can be, within the limit."""
    limit = call.machine.profile.peer_limit
    if limit is None or len(call.machine.profile.devices) <= limit:  # no device has so many others
        return
    connected = connections(call.machine)
    if other not in connected.get(one, ()):
        for device in (one, other):
            if len(connected.get(device, ())) >= limit:
                raise CONNECTIONS_ARE_LEFT.broken(device=device, limit=limit)
