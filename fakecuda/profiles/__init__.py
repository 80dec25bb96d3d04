"""Profiles: what one machine reports of itself.

A profile is a TOML file with schema 1, written by ``python -m realcuda.probe`` or described from documentation::

    schema = 1
    name = "h200"
    origin = "probed"            # or "documented"
    driver_version = 13000       # 1000 * major + 10 * minor
    base = "h200"                # optional: a profile that this one differs from, in what stands here
    count = 8                    # optional: so many devices, those after the named ones of the last one's kind
    purpose = "…"                # optional: what it is for, in a few words
    [[device]]                   # name, uuid (32 hex digits), pci, total_memory (bytes), attributes = {NAME = value};
                                 # optional: luid (16 hex digits), node_mask, exec_affinities = [NAME],
                                 # host_atomics = {OPERATION = capability bits}, mig (whether it is a MIG instance)
    [device.hip]                 # optional: what HIP tells of it; see :mod:`fakecuda.profiles.hip`
    [device.limits]              # attributes = {NAME = value}, refused = {NAME = code}, of a new context
    [[peer]]                     # src, dst, can_access, attributes = {NAME = value}; a pair not named has no access;
                                 # optional: atomics = {OPERATION = capability bits}
    [link]                       # optional: as [[peer]], for every pair of devices that is not named
    [granularity]                # minimum, recommended (bytes)
    [memory]                     # context_memory (bytes a context takes), window (largest reservation), fabric,
                                 # peer_limit (connections of a device; 0 for any number)
    [context]                    # stream_priorities = [least, greatest]
    [bandwidth]                  # optional: memory, link, bus: bytes that move in a second; see :class:`Bandwidth`
    [multicast]                  # optional: granularity, recommended (bytes), memory (bytes of all objects), teams (of one
                                 # device), bindings, unaligned (those of a device), state = "ready", "forbidden",
                                 # "not ready" or "illegal"
    [hip]                        # optional: which HIP runtime the machine has; see :mod:`fakecuda.profiles.hip`
    [strings]                    # texts of cuGetErrorString by number, where probed

What else the probe writes is for people. With a base, tables are taken over key by key, a device over that of the same
place or else over the base's last one; links are the base's unless any are named; and with an older driver than the
base's, the codes and attributes that came later are gone.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import attrs
from attrs import field, frozen

from fakecuda.api import versions
from fakecuda.api.driver import ENUMS
from fakecuda.codes import Result
from fakecuda.errors import ProfileError
from fakecuda.profiles.cards import release_of
from fakecuda.profiles.checks import MOST_DEVICES, device_count, problems
from fakecuda.profiles.hip import NO_HIP, Hip, card_of, hip_of

HERE = Path(__file__).parent
SCHEMA = 1
UUID = 16
MULTICAST_STATES = {"ready", "forbidden", "not ready", "illegal"}
LUID = 8
DESCRIPTIONS = {int(code): code.name.lower().replace("_", " ") for code in Result}
"""Stand in for the driver's own texts where they were not probed."""
ATTRIBUTE = ENUMS["CUdevice_attribute"]
PLACE = [ATTRIBUTE[f"CU_DEVICE_ATTRIBUTE_PCI_{part}_ID"] for part in ("DOMAIN", "BUS", "DEVICE")]
"""The attributes that tell what the bus id does, in its order."""
P2P = ENUMS["CUdevice_P2PAttribute"]
ATOMIC = ENUMS["CUatomicOperation"]
AFFINITY = ENUMS["CUexecAffinityType"]
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
"""Stand in for a device's own limits where they were not probed."""


def _positive(_owner: object, attribute: attrs.Attribute[int], value: object) -> None:
    """Check that a value is a whole number above 0."""
    if not isinstance(value, int) or value <= 0:
        msg = f"{attribute.name} = {value!r} is no whole number of bytes per second"
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
    """How fast bytes move, on a virtual clock: those of an H200 where a profile does not say.

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
    """What one machine reports of itself.

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

    @property
    def release(self) -> str:
        """The version of the driver as its makers number it, ``580.65.06``: that of the CUDA version."""
        return release_of(self.driver_version)

    def with_devices(self, count: int) -> Profile:
        """Return this profile with the first ``count`` devices, more of the same kind appended when it has fewer."""
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
        """Return this profile with an older driver, which knows no codes and no attributes that came later.

        Args:
            version: 1000 * major + 10 * minor.
        """
        devices = [
            attrs.evolve(
                device,
                attributes={
                    number: value
                    for number, value in device.attributes.items()
                    if versions.ATTRIBUTES.get(number, 0) <= version
                },
            )
            for device in self.devices
        ]
        strings = {code: text for code, text in self.strings.items() if versions.CODES.get(code, 0) <= version}
        return attrs.evolve(self, driver_version=version, devices=tuple(devices), strings=strings, origin="documented")


NO_LINK = Peer(can_access=False, attributes={})


SHIPPED = {path.stem: path for path in HERE.glob("*.toml")}
"""The files of the profiles that ship with fakecuda, which do not change."""


def names() -> list[str]:
    """Return the names of the profiles that ship with fakecuda."""
    return sorted(SHIPPED)


def load(which: str | Path | Profile) -> Profile:
    """Return a profile by its name, by the path of a TOML file, or as it is.

    Args:
        which: A name from :func:`names`, such a name with a device count (``h200-x8``), a path, or a Profile.

    Raises:
        ProfileError: It is unknown or malformed.
    """
    if isinstance(which, Profile):
        return which
    if isinstance(which, str) and which in SHIPPED:
        return _parse(SHIPPED[which], 0)
    path = Path(which) if isinstance(which, Path) or str(which).endswith(".toml") else HERE / f"{which}.toml"
    if path.exists():
        return parse(path)
    family, count = _counted(str(which))
    if family is not None:
        return attrs.evolve(parse(family).with_devices(count), name=str(which), origin="documented")
    if str(which).endswith(".toml"):
        msg = f"there is no file {str(which)!r}: name a profile's TOML file from {Path.cwd()}, or one of {', '.join(names())}"
    else:
        msg = f"profile {str(which)!r} is unknown: use one of {', '.join(names())}, or the path of a .toml file"
    raise ProfileError(msg)


def _counted(name: str) -> tuple[Path | None, int]:
    """Return the file of a name and how many devices it names; 0 where it is a file's own name, no file for an unknown one."""
    if name in SHIPPED:
        return SHIPPED[name], 0
    base, _, count = name.rpartition("-x")
    if count.isascii() and count.isdecimal() and 0 < int(count) <= MOST_DEVICES and base in SHIPPED:
        return max(HERE.glob(f"{base}-x*.toml"), default=SHIPPED[base]), int(count)
    return None, 0


def parse(path: Path) -> Profile:
    """Return the profile in a TOML file; a file that did not change is read once.

    Raises:
        ProfileError: The file is malformed; the text names the file, the key and the fix.
    """
    return _parse(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _parse(path: Path, _changed: int) -> Profile:
    data = _read(path)
    try:
        return _build(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        msg = f"profile {path}: {type(error).__name__} {error}; compare with fakecuda/profiles/h200.toml"
        raise ProfileError(msg) from error


def _read(path: Path) -> dict[str, Any]:
    """Return what a file says, over what its base says."""
    try:
        data = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        msg = f"profile {path}: not readable as TOML ({error}); write it anew with: python -m realcuda.probe -o {path.name}"
        raise ProfileError(msg) from error
    if data.get("schema") != SCHEMA:
        msg = f"profile {path}: schema is {data.get('schema')!r}, not {SCHEMA}; write it anew with: python -m realcuda.probe"
        raise ProfileError(msg)
    if "base" not in data:
        return data
    base, count = _counted(str(data["base"]))
    if base is None or base == path:
        msg = f"profile {path}: its base {data['base']!r} is none of {', '.join(names())}"
        raise ProfileError(msg)
    return _over({**_read(base), **({"count": count} if count else {})}, data)


def _over(base: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Return a profile's own data over its base's."""
    merged = {**base, **data}
    if "link" in data:
        merged["peer"] = data.get("peer", [])
    for name in ("granularity", "memory", "context", "bandwidth"):
        merged[name] = {**base.get(name, {}), **data.get(name, {})}
    cards = base["device"]
    merged["device"] = [
        {**card, **own, "attributes": {**card["attributes"], **own.get("attributes", {})}}
        for number, own in enumerate(data.get("device", [{}] * len(cards)))
        for card in [cards[min(number, len(cards) - 1)]]
    ]
    return merged


def _build(data: dict[str, Any]) -> Profile:
    memory = data.get("memory", {})
    taken = memory.get("context_memory", 0)
    devices = tuple(
        DeviceProfile(
            name=device["name"],
            uuid=bytes.fromhex(device["uuid"]),
            pci=device["pci"],
            total_memory=device["total_memory"],
            free_memory=min(device["total_memory"], device.get("free_memory", device["total_memory"]) + taken),
            attributes={ATTRIBUTE[name]: value for name, value in device["attributes"].items() if name in ATTRIBUTE},
            luid=bytes.fromhex(device.get("luid", "")),
            node_mask=device.get("node_mask", 0),
            exec_affinities=frozenset(AFFINITY[name] for name in device.get("exec_affinities", ())),
            host_atomics={ATOMIC[name]: bits for name, bits in device.get("host_atomics", {}).items()},
            mig=device.get("mig", False),
            limits=_limits(device["limits"]) if "limits" in device else LIMITS.copy(),
            hip=card_of(device.get("hip", {})),
        )
        for device in data["device"]
    )
    if not devices:
        msg = "no [[device]]"
        raise ValueError(msg)
    if wrong := next(problems(data), ""):
        raise ValueError(wrong)
    if any(len(device.uuid) != UUID for device in devices):
        msg = "a uuid has not 32 hex digits"
        raise ValueError(msg)
    if any(len(device.luid) not in {0, LUID} for device in devices):
        msg = "a luid has not 16 hex digits"
        raise ValueError(msg)
    if not isinstance(data["driver_version"], int):
        msg = "driver_version is not an integer, 1000 * major + 10 * minor"
        raise TypeError(msg)
    peers = {(peer["src"], peer["dst"]): _link(peer) for peer in data.get("peer", [])}
    options: dict[str, Any] = {key: memory[key] for key in ("context_memory", "window", "fabric") if key in memory}
    if "peer_limit" in memory:
        options["peer_limit"] = memory["peer_limit"] or None
    if "stream_priorities" in data.get("context", {}):
        least, greatest = data["context"]["stream_priorities"]
        options["stream_priorities"] = least, greatest
    if "multicast" in data:
        options["multicast"] = Multicast(**data["multicast"])
        if options["multicast"].state not in MULTICAST_STATES:
            msg = f"multicast.state is none of {', '.join(sorted(MULTICAST_STATES))}"
            raise ValueError(msg)
    if "bandwidth" in data:
        options["bandwidth"] = Bandwidth(**data["bandwidth"])
    if "hip" in data:
        options["hip"] = hip_of(data["hip"])
    version = data["driver_version"]
    described = {code: text for code, text in DESCRIPTIONS.items() if versions.CODES.get(code, 0) <= version}
    strings = {int(code): text for code, text in data.get("strings", described).items()}
    profile = Profile(
        name=data["name"],
        origin=data["origin"],
        driver_version=data["driver_version"],
        devices=devices,
        peers=peers,
        granularity=data["granularity"]["minimum"],
        recommended=data["granularity"]["recommended"],
        strings=strings,
        purpose=data.get("purpose", "a machine as it was probed" if data["origin"] == "probed" else ""),
        **options,
    )
    count = device_count(data.get("count", len(devices)))
    if count != len(devices):
        profile = profile.with_devices(count)
    if "link" in data:
        link = _link(data["link"])
        pairs = [(src, dst) for src in range(count) for dst in range(count) if src != dst]
        profile = attrs.evolve(profile, peers={pair: peers.get(pair, link) for pair in pairs})
    return profile.with_driver(profile.driver_version) if "base" in data else profile


def _link(table: dict[str, Any]) -> Peer:
    return Peer(
        can_access=bool(table["can_access"]),
        attributes={P2P[name]: value for name, value in table.get("attributes", {}).items()},
        atomics={ATOMIC[name]: bits for name, bits in table.get("atomics", {}).items()},
    )


def _limits(table: dict[str, Any]) -> dict[int, int | None]:
    values = {LIMIT[name]: value for name, value in table["attributes"].items() if name in LIMIT}
    unsupported = [name for name, code in table["refused"].items() if code == Result.UNSUPPORTED_LIMIT.name]
    return {**values, **{LIMIT[name]: None for name in unsupported if name in LIMIT}}
