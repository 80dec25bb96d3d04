"""Device properties: hipDeviceProp_t, and the attributes for its members.

The figures are the profile's. A member that it does not name is 0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fakecuda.profiles.hip import ATTRIBUTE
from fakecuda.rules.core import Rule, source, undefined
from fakecuda.rules.hip.active import answering, device_at, does, entered, given
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result
from fakecuda.spec.hip import ENUMS, STRUCTS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device

MEMBERS = {
    name: int(size or 1) if kind != "char" else 0
    for kind, label in STRUCTS["hipDeviceProp_t"]
    for name, _, size in [label.rstrip("]").partition("[")]
    if not name.lower().endswith("reserved")
}
"""The number of values of each hipDeviceProp_t member, in C order; 0 for text."""
NAME_SIZE, LUID_SIZE = 256, 8
LARGEST = (1 << 31) - 1
"""The largest value of an attribute."""
ARCHITECTURE = 0x97FF
"""hipDeviceArch_t: the features that every modelled card has, as bits."""
PCI = re.compile(r"(\w+):(\w+):(\w+)\.(\w+)")
WISHES = (
    *("major", "minor", "totalGlobalMem", "sharedMemPerBlock", "maxThreadsPerBlock", "totalConstMem"),
    *("multiProcessorCount", "maxThreadsPerMultiProcessor", "memoryClockRate", "memoryBusWidth", "l2CacheSize"),
    *("regsPerBlock", "maxSharedMemoryPerMultiProcessor", "warpSize"),
)
"""The members that hipChooseDevice compares."""
RENAMED: dict[str, tuple[str, int]] = {
    **{f"MaxBlockDim{axis}": ("maxThreadsDim", number) for number, axis in enumerate("XYZ")},
    **{f"MaxGridDim{axis}": ("maxGridSize", number) for number, axis in enumerate("XYZ")},
    "MaxTexture2DWidth": ("maxTexture2D", 0),
    "MaxTexture2DHeight": ("maxTexture2D", 1),
    "MaxTexture3DWidth": ("maxTexture3D", 0),
    "MaxTexture3DHeight": ("maxTexture3D", 1),
    "MaxTexture3DDepth": ("maxTexture3D", 2),
    "MaxTexture1DWidth": ("maxTexture1D", 0),
    "MaxSharedMemoryPerBlock": ("sharedMemPerBlock", 0),
    "TotalConstantMemory": ("totalConstMem", 0),
    "MaxRegistersPerBlock": ("regsPerBlock", 0),
    "MaxRegistersPerMultiprocessor": ("regsPerMultiprocessor", 0),
    "MultiprocessorCount": ("multiProcessorCount", 0),
    "ComputeCapabilityMajor": ("major", 0),
    "ComputeCapabilityMinor": ("minor", 0),
    "PciBusId": ("pciBusID", 0),
    "PciDeviceId": ("pciDeviceID", 0),
    "PciDomainId": ("pciDomainID", 0),
    "MaxPitch": ("memPitch", 0),
    "KernelExecTimeout": ("kernelExecTimeoutEnabled", 0),
    "MaxSharedMemoryPerMultiprocessor": ("maxSharedMemoryPerMultiProcessor", 0),
}
"""Attributes whose name differs from the hipDeviceProp_t member's."""
UNTOLD = frozenset(
    {
        *("Luid", "MaxSurface1DLayered", "MaxSurface2D", "MaxSurface2DLayered", "MaxSurface3D", "MaxSurfaceCubemap"),
        *("MaxSurfaceCubemapLayered", "MaxTexture1DLayered", "MaxTexture2DGather", "MaxTexture2DLayered"),
        *("MaxTexture2DLinear", "MaxTexture2DMipmap", "MaxTexture3DAlt", "MaxTextureCubemapLayered", "MaxThreadsDim"),
        *("SingleToDoublePrecisionPerfRatio", "TccDriver"),
    }
)
"""Attributes in HIP's header that the runtime does not implement."""
POINTERS = frozenset({"HdpMemFlushCntl", "HdpRegFlushCntl"})
LATER = frozenset(
    {
        *("HostNumaId", "DmaBufSupported", "GPUDirectRDMAWithHipVMMSupported", "HandleTypeFabricSupported"),
        *("NumberOfXccs", "MaxAvailableVgprsPerThread", "PciChipId", "ExpertSchedMode", "MaxDynDataPrefetchRegions"),
    }
)
"""Attributes that HIP added after 2024."""
FIRST_ONES = "hipDeviceGetAttribute.knows-the-first-ones"

ATTRIBUTE_IS_KNOWN = Rule(
    "`attr` is a hipDeviceAttribute_t that HIP implements; some, such as hipDeviceAttributeLuid, are only in its header",
    Result.INVALID_VALUE,
    source(
        "hipDeviceGetAttribute",
        "clr answers hipErrorInvalidValue to unknown attributes, and to some members of hipDeviceAttribute_t",
    ),
    fix="pass a hipDeviceAttribute_t of this release of HIP, or call hipGetDeviceProperties",
)
ATTRIBUTE_IS_A_NUMBER = Rule(
    "`attr` is not hipDeviceAttributeHdpMemFlushCntl or hipDeviceAttributeHdpRegFlushCntl: their values are addresses",
    Result.INVALID_VALUE,
    undefined(
        "hipDeviceGetAttribute",
        "the manual says nothing about this; clr writes an address of 8 bytes over the 4 bytes of the result",
    ),
    fix="query an attribute that is a number, or call hipGetDeviceProperties",
)
PROPERTIES_ARE_GIVEN = Rule(
    "`prop` is not null",
    Result.INVALID_VALUE,
    source("hipChooseDevice", "clr answers hipErrorInvalidValue to null"),
    fix="pass a hipDeviceProp_t with the desired properties",
)


def properties(device: Device) -> dict[str, Any]:
    """Return the members of a device's hipDeviceProp_t as plain values."""
    profile = device.profile
    told = profile.hip
    values: dict[str, Any] = {
        name: told.get(name, (0,) * size if size > 1 else 0 if size else b"") for name, size in MEMBERS.items()
    }
    place = PCI.fullmatch(profile.pci)
    domain, bus, slot = (int(part, 16) for part in place.groups()[:3]) if place else (0, 0, 0)
    return values | {
        "name": profile.name.encode()[: NAME_SIZE - 1],
        "uuid": profile.uuid,
        "luid": bytes(LUID_SIZE),
        "totalGlobalMem": profile.total_memory,
        "pciDomainID": domain,
        "pciBusID": bus,
        "pciDeviceID": slot,
        "multiGpuBoardGroupID": slot,
        "arch": (ARCHITECTURE,),
    }


def _attributes() -> dict[int, str]:
    """Return the names of the attributes that the runtime knows, by number."""
    names = {value: name.removeprefix(ATTRIBUTE) for name, value in ENUMS["hipDeviceAttribute_t"].items()}
    mere = re.compile(r".*(Begin|End)|Unused\d")
    return {value: name for value, name in names.items() if name not in UNTOLD and not mere.fullmatch(name)}


ATTRIBUTES = _attributes()
LOWERED = {name.lower(): name for name in MEMBERS}


def attribute(device: Device, name: str) -> int:
    """Return a device attribute by name."""
    if name == "UnifiedAddressing":  # the member of that name tells something else
        return 1
    member, place = RENAMED.get(name) or (LOWERED.get(name.lower(), ""), 0)
    if not member:
        return int(device.profile.hip.get(name, 0))
    value = properties(device)[member]
    return int(min(value[place] if isinstance(value, tuple) else value, LARGEST))


@HIP.op("hipGetDeviceProperties")
def get_device_properties(call: Call, device: int) -> tuple[Any, ...]:
    """Return a hipDeviceProp_t."""
    answering(call)
    return tuple(properties(device_at(call, device)).values())


@HIP.op("hipDeviceGetAttribute")
def device_get_attribute(call: Call, number: int, device: int) -> int:
    """Return an attribute of a device."""
    # CHECK
    answering(call)
    chosen = device_at(call, device)
    name = ATTRIBUTES.get(number, "")
    if not name or (name in LATER and does(call, FIRST_ONES)):
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=number)
    if name in POINTERS:
        call.undefined(ATTRIBUTE_IS_A_NUMBER, attribute=name)
    # EFFECT
    return attribute(chosen, name)


@HIP.op("hipDeviceComputeCapability")
def device_compute_capability(call: Call, device: int) -> tuple[int, int]:
    """Return the major and minor compute capability of a device."""
    entered(call)
    told = device_at(call, device).profile.hip
    given(call)
    return told.get("major", 0), told.get("minor", 0)


@HIP.op("hipChooseDevice")
def choose_device(call: Call, prop: tuple[Any, ...] | None) -> int:
    """Return the first device with all desired properties, or device 0. A property of 0 is not desired."""
    # CHECK
    devices = answering(call).devices
    if prop is None:
        raise PROPERTIES_ARE_GIVEN.broken()
    # EFFECT
    desired = dict(zip(MEMBERS, prop, strict=True))
    wishes = {name: desired[name] for name in WISHES if desired[name]}
    fitting = (
        number
        for number, device in enumerate(devices)
        if wishes and all(properties(device)[name] >= value for name, value in wishes.items())
    )
    return next(fitting, 0)
