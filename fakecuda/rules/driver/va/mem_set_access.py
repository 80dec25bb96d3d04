"""cuMemSetAccess: set which devices may access mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.machine import HOST as HOST_ORDINAL
from fakecuda.model.memory.multicast import Multicast
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.stream.order import at_rest
from fakecuda.rules.driver.va.mapped import filled
from fakecuda.rules.driver.va.properties import DEVICE, HOSTS
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.model.call import Call
    from fakecuda.model.memory.va import Mapping

FLAGS = frozenset(ENUMS["CUmemAccess_flags"].values()) - {ENUMS["CUmemAccess_flags"]["CU_MEM_ACCESS_FLAGS_PROT_MAX"]}

DESCRIPTION_IS_GIVEN = Rule(
    "`desc` is not null and `count` is not 0",
    Result.INVALID_VALUE,
    manual("cuMemSetAccess", "Array of CUmemAccessDesc that describe how to change the"),
    fix="pass at least one CUmemAccessDesc, and the number of descriptors for count",
)
LOCATION_IS_KNOWN = Rule(
    "each location in `desc` is a device that the process sees, the host or a host NUMA node",
    Result.INVALID_VALUE,
    manual("cuMemSetAccess", "set the access flags for the target locations"),
    fix="set location.id to the number of a device that the process sees",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` of each descriptor is PROT_NONE, PROT_READ or PROT_READWRITE",
    Result.INVALID_VALUE,
    manual("cuMemSetAccess", "Set the access flags for each location specified in desc"),
    fix="set flags to CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_ACCESS_FLAGS_PROT_READ or CU_MEM_ACCESS_FLAGS_PROT_NONE",
)
DEVICE_IS_OF_THE_TEAM = Rule(
    "each device in `desc` has been added to each multicast object that is mapped in the range",
    Result.INVALID_DEVICE,
    manual("cuMemSetAccess", "CUDA_ERROR_INVALID_DEVICE"),
    fix="call cuMulticastAddDevice for the device before cuMemSetAccess",
)
DEVICE_IS_REACHABLE = Rule(
    "each device in `desc` is capable of peer access to the device of the mapped memory",
    Result.INVALID_DEVICE,
    manual("cuMemSetAccess", "CUDA_ERROR_INVALID_DEVICE"),
    fix="grant access only to devices that can access the memory's device (cuDeviceCanAccessPeer)",
)
LOCATION_SUITS_THE_MEMORY = Rule(
    "no entry of `desc` gives the host access to memory that lies on a device",
    Result.NOT_SUPPORTED,
    manual(
        "cuMemSetAccess", "Users cannot specify CU_MEM_LOCATION_TYPE_HOST_NUMA accessibility for allocations created on"
    ),
    fix="grant access to device memory only to devices; the host reads it through copies",
)


@DRIVER.op(
    "cuMemSetAccess",
    acts_before=(DEVICE_IS_OF_THE_TEAM, DEVICE_IS_REACHABLE, LOCATION_SUITS_THE_MEMORY),
    several="one description takes effect after the other, as in the driver",
)
def mem_set_access(
    call: Call, ptr: int, size: int, desc: tuple[tuple[tuple[int, int], int], ...] | None, count: int
) -> None:
    """Set which devices may access a range of whole mappings.

    The driver sets one description after the other: those before one that does not suit the memory stay.

    Args:
        call: The call.
        ptr: The first address.
        size: Bytes.
        desc: For each location ((type, id), flags).
        count: Their number.
    """
    # CHECK
    process = supported(call)
    if not desc or not count:
        raise DESCRIPTION_IS_GIVEN.broken(count=count)
    mappings = filled(call, ptr, size)
    peers = call.machine.profile.peers
    for (kind, device), flags in desc[:count]:
        if kind not in HOSTS and not (kind == DEVICE and 0 <= device < len(process.devices)):
            raise LOCATION_IS_KNOWN.broken(location=(kind, device))
        if flags not in FLAGS:
            raise FLAGS_ARE_KNOWN.broken(flags=flags)
    races = call.machine.races
    if call.machine.scheduler.pending or (races is not None and races.streams):
        for mapping in mappings:
            at_rest(call, [mapping], _losers(call, mapping, desc[:count]))
    # EFFECT
    for (kind, device), flags in desc[:count]:
        for mapping in mappings:
            home = mapping.device.ordinal
            if kind == DEVICE:
                ordinal = process.devices[device].ordinal
                memory = mapping.handle.physical
                if isinstance(memory, Multicast):
                    if process.devices[device] not in memory.team:
                        raise DEVICE_IS_OF_THE_TEAM.broken(device=device, mapping=mapping)
                    mapping.grant(ordinal, flags)
                    continue
                if home not in (ordinal, HOST_ORDINAL):
                    link = peers.get((ordinal, home))
                    if link is None or not link.can_access:
                        raise DEVICE_IS_REACHABLE.broken(device=device, mapping=mapping)
                mapping.grant(ordinal, flags)
            elif home == HOST_ORDINAL:
                mapping.grant_host(flags)
            elif flags:
                raise LOCATION_SUITS_THE_MEMORY.broken(location=(kind, device), mapping=mapping)


def _losers(call: Call, mapping: Mapping, descriptions: Sequence[tuple[tuple[int, int], int]]) -> set[int]:
    """Return the devices that a call takes access to a mapping from."""
    devices = call.process.devices
    named = [(devices[device].ordinal, flags) for (kind, device), flags in descriptions if kind == DEVICE]
    return {ordinal for ordinal, flags in named if mapping.access.get(ordinal, 0) & ~flags}
