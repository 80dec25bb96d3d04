"""The values that a machine reports: devices, links, and common values."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from attrs import field, frozen

from fakecuda.profiles.cards import release_of
from fakecuda.profiles.hip import NO_HIP, Hip
from fakecuda.spec import versions
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.profiles.sources import Source

Value = TypeVar("Value")
DESCRIPTIONS = {int(code): code.name.lower().replace("_", " ") for code in Result}
"""Default texts of error codes, for profiles without the driver's own texts."""
ATTRIBUTE = ENUMS["CUdevice_attribute"]
PLACE = [ATTRIBUTE[f"CU_DEVICE_ATTRIBUTE_PCI_{part}_ID"] for part in ("DOMAIN", "BUS", "DEVICE")]
"""The attributes that tell what the bus id does, in its order."""
HOST_NODE = ATTRIBUTE["CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID"]
LIMIT = ENUMS["CUlimit"]
LIMITS: dict[int, int | None] = {
    LIMIT["CU_LIMIT_STACK_SIZE"]: 1 << 10,
    LIMIT["CU_LIMIT_PRINTF_FIFO_SIZE"]: 1 << 20,
    LIMIT["CU_LIMIT_MALLOC_HEAP_SIZE"]: 8 << 20,
    LIMIT["CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH"]: None,
    LIMIT["CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT"]: 2048,
    LIMIT["CU_LIMIT_MAX_L2_FETCH_GRANULARITY"]: 64,
    LIMIT["CU_LIMIT_PERSISTING_L2_CACHE_SIZE"]: 0,
    LIMIT["CU_LIMIT_SHMEM_SIZE"]: 48 << 10,
    LIMIT["CU_LIMIT_CIG_ENABLED"]: 0,
    LIMIT["CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED"]: None,
}
"""Default device limits, for profiles without probed limits."""


def _positive(_owner: object, attribute: attrs.Attribute[int], value: object) -> None:
    """Check that a value is a positive integer."""
    if not isinstance(value, int) or value <= 0:
        msg = f"{attribute.name} = {value!r} is not a whole number of bytes per second above 0"
        raise ValueError(msg)


@frozen
class DeviceProfile:
    """One device of a machine.

    Attributes:
        name: What cuDeviceGetName returns.
        uuid: 16 bytes.
        pci: ``0000:3b:00.0``.
        total_memory: Bytes.
        free_memory: Bytes that are free while there is no context.
        attributes: Values by the number of CUdevice_attribute.
        luid: 8 bytes, or none where the operating system gives devices no LUID.
        node_mask: What cuDeviceGetLuid returns beside it.
        exec_affinities: The CUexecAffinityType that it supports.
        host_atomics: CUatomicOperationCapability bits of the link to the host, by the number of CUatomicOperation.
        mig: Whether it is an instance of a card that is split (MIG).
        limits: Values of a new context by the number of CUlimit, None for one that the device does not support; the
            driver knows no others.
        hip: What HIP tells of it, by members of hipDeviceProp_t and names of attributes.
    """

    name: str
    uuid: bytes
    pci: str
    total_memory: int
    free_memory: int
    attributes: dict[int, int]
    luid: bytes = b""
    node_mask: int = 0
    exec_affinities: frozenset[int] = frozenset()
    host_atomics: dict[int, int] = field(factory=dict)
    limits: dict[int, int | None] = field(factory=LIMITS.copy)
    mig: bool = False
    hip: dict[str, Any] = field(factory=dict)


@frozen
class Peer:
    """The link from one device to another.

    Attributes:
        can_access: What cuDeviceCanAccessPeer returns.
        attributes: Values by the number of CUdevice_P2PAttribute.
        atomics: CUatomicOperationCapability bits by the number of CUatomicOperation.
    """

    can_access: bool
    attributes: dict[int, int]
    atomics: dict[int, int] = field(factory=dict)


@frozen
class Multicast:
    """What a machine's switches can do for multicast objects.

    Attributes:
        granularity: What sizes and offsets are multiples of, bytes.
        recommended: What they should be multiples of, bytes.
        memory: Bytes of all multicast objects together.
        teams: Teams that one device can be part of.
        bindings: Pieces of memory of one device that can be bound.
        unaligned: Those among them whose offsets in memory may be no multiples of the granularity, on devices that have
            such at all.
        state: ``ready``; ``forbidden`` to the user, ``not ready`` while software of the system does not run, or
            ``illegal``.
    """

    granularity: int = 2 << 20
    recommended: int = 512 << 20
    memory: int = 1 << 46
    teams: int = 1024
    bindings: int = 1 << 16
    unaligned: int = 64
    state: str = "ready"


@frozen
class Bandwidth:
    """The speed of memory on the virtual clock, by default an H200's.

    Attributes:
        memory: Bytes per second that a card reads or writes of its own memory: 4.8 TB/s
            (https://www.nvidia.com/en-us/data-center/h200/).
        link: Bytes per second from one card to another that it can access: NVLink has 900 GB/s, half of it in each direction
            (likewise).
        bus: Bytes per second between a card and the host: PCIe of the fifth generation with 16 lanes has 128 GB/s, half of
            it in each direction (likewise).
    """

    memory: int = field(default=4_800_000_000_000, validator=_positive)
    link: int = field(default=450_000_000_000, validator=_positive)
    bus: int = field(default=64_000_000_000, validator=_positive)


@frozen
class Profile:
    """The values that one machine reports.

    Attributes:
        name: Its name, ``h200-x2``.
        origin: ``probed`` or ``documented``.
        driver_version: 1000 * major + 10 * minor.
        devices: Its devices in ordinal order.
        peers: Links by (source ordinal, destination ordinal).
        granularity: Minimum granularity of cuMemCreate, bytes.
        recommended: Recommended granularity, bytes.
        context_memory: Bytes of device memory that a context takes.
        window: Bytes of device addresses of one process.
        strings: Texts of cuGetErrorString by code; other codes are unknown to the driver.
        peer_limit: How many devices one may be connected with, by enabled peer access; None for any number.
        fabric: Whether fabric handles can be created (an IMEX channel is there).
        stream_priorities: The least and the greatest priority of streams.
        multicast: What the switches between devices can do.
        bandwidth: How fast bytes move.
        hip: Its HIP runtime.
        purpose: What it is for, in a few words.
        sources: Where its values are from; the first that names a value tells of it.
    """

    name: str
    origin: str
    driver_version: int
    devices: tuple[DeviceProfile, ...]
    peers: dict[tuple[int, int], Peer]
    granularity: int = 2 << 20
    recommended: int = 2 << 20
    context_memory: int = 512 << 20
    window: int = 128 << 40
    strings: dict[int, str] = field(factory=dict)
    peer_limit: int | None = 8
    fabric: bool = False
    stream_priorities: tuple[int, int] = (0, -5)
    multicast: Multicast = field(factory=Multicast)
    bandwidth: Bandwidth = field(factory=Bandwidth)
    hip: Hip = NO_HIP
    purpose: str = ""
    sources: tuple[Source, ...] = field(default=(), repr=False)

    @cached_property
    def nodes(self) -> frozenset[int]:
        """The NUMA nodes of the host: the first one, and those of the devices."""
        return frozenset({0, *(max(device.attributes.get(HOST_NODE, 0), 0) for device in self.devices)})

    @property
    def release(self) -> str:
        """The driver's release, such as ``580.65.06``, for the CUDA version."""
        return release_of(self.driver_version)

    def with_devices(self, count: int) -> Profile:
        """Return the profile with ``count`` devices, with copies if it has fewer."""
        devices = list(self.devices[:count])
        while len(devices) < count:
            model = devices[-1]
            number = len(devices)
            uuid = model.uuid[:-2] + number.to_bytes(2, "big")
            taken = {device.pci for device in devices}
            buses = (re.sub(r":[0-9a-f]{2}:", f":{bus:02x}:", model.pci, count=1) for bus in range(0x10, 0x100))
            pci = next((bus for bus in buses if bus not in taken), f"{number:04x}{model.pci[4:]}")
            place = dict(zip(PLACE, (int(part, 16) for part in re.split("[:.]", pci)), strict=False))
            devices.append(attrs.evolve(model, uuid=uuid, pci=pci, attributes=model.attributes | place))
        link = self.peers.get((0, 1), NO_LINK)
        pairs = [(src, dst) for src in range(count) for dst in range(count) if src != dst]
        return attrs.evolve(self, devices=tuple(devices), peers={pair: self.peers.get(pair, link) for pair in pairs})

    def with_driver(self, version: int) -> Profile:
        """Return the profile with another driver version.

        What a newer driver says of attributes and limits that came with it stands in no profile, which such a driver does not
        have then.

        Args:
            version: 1000 * major + 10 * minor.
        """
        devices = [
            attrs.evolve(
                device,
                attributes=_known(device.attributes, versions.ATTRIBUTES, version),
                limits=_known(device.limits, versions.LIMITS, version),
            )
            for device in self.devices
        ]
        peers = {
            pair: attrs.evolve(peer, attributes=_known(peer.attributes, versions.LINK_ATTRIBUTES, version))
            for pair, peer in self.peers.items()
        }
        later = {code: DESCRIPTIONS[code] for code in versions.CODES}
        return attrs.evolve(
            self,
            driver_version=version,
            devices=tuple(devices),
            peers=peers,
            strings=_known(later | self.strings, versions.CODES, version),
            origin="documented",
        )


def _known(values: dict[int, Value], since: dict[int, int], version: int) -> dict[int, Value]:
    """Return the values that exist in a driver version."""
    return {number: value for number, value in values.items() if since.get(number, 0) <= version}


NO_LINK = Peer(can_access=False, attributes={})
