"""HIP's devices: properties, attributes, limits and settings."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

import fakecuda
from fakecuda import FakeCudaError
from fakecuda.profiles import load
from fakecuda.profiles.hip import card_of
from fakecuda.rules.hip.properties import ATTRIBUTES, MEMBERS, UNTOLD
from tests.rules.hip_world import (
    DEVICE,
    ENUMS,
    HANDLE,
    INVALID,
    NEW,
    OLD,
    UNSUPPORTED,
    got,
    on,
)

ATTRIBUTE = ENUMS["hipDeviceAttribute_t"]
BOTH = pytest.mark.parametrize("profile", [OLD, NEW])
STACK, HEAP, SCRATCH, RANGE = 0, 2, 4096, 4099


def properties(c: Any, device: int = 0) -> dict[str, Any]:
    """Return a device's hipDeviceProp_t by its members."""
    return dict(zip(MEMBERS, got(c, "hipGetDeviceProperties", device), strict=True))


@BOTH
def test_properties(profile: str) -> None:
    """What documents tell of the card, and where it is."""

    def program(a: Any) -> None:
        prop = properties(a.c, 1)
        assert prop["name"] == b"AMD Instinct MI300X"
        assert prop["gcnArchName"] == b"gfx942:sramecc+:xnack-"
        assert (prop["multiProcessorCount"], prop["warpSize"], prop["major"], prop["minor"]) == (304, 64, 9, 4)
        assert (prop["pciDomainID"], prop["pciBusID"], prop["pciDeviceID"]) == (0, 16, 6)
        assert prop["arch"] == (0x97FF,)
        assert prop["maxTexture2D"] == (0, 0)
        assert prop["uuid"] == got(a.c, "hipDeviceGetUuid", 1)
        assert got(a.c, "hipDeviceComputeCapability", 1) == (9, 4)
        assert a.c.hipGetDeviceProperties(2) == (DEVICE, None)
        assert a.c.hipGetDeviceProperties(-1, null="prop") == (INVALID, None)
        assert a.c.hipDeviceComputeCapability(2, null="major") == (DEVICE, None, None)
        assert a.c.hipDeviceComputeCapability(0, null="major") == (INVALID, None, None)

    on(profile, program)


@BOTH
def test_attributes(profile: str) -> None:
    """Those of members are the members', as far as an int holds them."""

    def program(a: Any) -> None:
        prop = properties(a.c)
        expected = {
            "MaxThreadsPerBlock": prop["maxThreadsPerBlock"],
            "MaxBlockDimZ": prop["maxThreadsDim"][2],
            "MaxGridDimY": 65536,
            "PciBusId": prop["pciBusID"],
            "TotalGlobalMem": (1 << 31) - 1,
            "UnifiedAddressing": 1,
            "PhysicalMultiProcessorCount": 304,
            "ImageSupport": 0,
        }
        for name, value in expected.items():
            assert got(a.c, "hipDeviceGetAttribute", ATTRIBUTE[f"hipDeviceAttribute{name}"], 0) == value, name
        for name in UNTOLD:
            assert a.c.hipDeviceGetAttribute(ATTRIBUTE[f"hipDeviceAttribute{name}"], 0) == (INVALID, None), name
        chiplets = a.c.hipDeviceGetAttribute(ATTRIBUTE["hipDeviceAttributeNumberOfXccs"], 0)
        assert chiplets == ((0, 8) if profile == NEW else (INVALID, None))
        assert a.c.hipDeviceGetAttribute(-1, 0) == (INVALID, None)
        assert a.c.hipDeviceGetAttribute(-1, 2) == (DEVICE, None)
        assert a.c.hipDeviceGetAttribute(0, 2, null="pi") == (INVALID, None)

    on(profile, program)


def test_attributes_that_are_addresses() -> None:
    """An address is written over the result, and what follows."""
    number = ATTRIBUTE["hipDeviceAttributeHdpMemFlushCntl"]
    with pytest.raises(fakecuda.UndefinedBehaviour, match=r"writes\s+an\s+address\s+of\s+8\s+bytes"):
        on(NEW, lambda a: a.c.hipDeviceGetAttribute(number, 0))
    assert on(NEW, lambda a: a.c.hipDeviceGetAttribute(number, 0), strict=False) == (0, 0)
    assert number in ATTRIBUTES


@BOTH
def test_choice(profile: str) -> None:
    """The first device that has all that is desired; the first one where none has."""

    def program(a: Any) -> None:
        nothing = {name: (0,) * size if size > 1 else 0 for name, size in MEMBERS.items()}
        for wishes in ({}, {"major": 9, "warpSize": 64}, {"major": 10}):
            assert got(a.c, "hipChooseDevice", tuple((nothing | wishes).values())) == 0
        assert a.c.hipChooseDevice(None) == (INVALID, None)
        assert a.c.hipChooseDevice(tuple(nothing.values()), null="device") == (INVALID, None)

    on(profile, program)


@BOTH
def test_limits(profile: str) -> None:
    """What is set is told; in 2024 the heap was all of the memory."""

    def program(a: Any) -> None:
        c = a.c
        total = properties(c)["totalGlobalMem"]
        assert got(c, "hipDeviceGetLimit", STACK) == 1024
        assert c.hipDeviceSetLimit(STACK, 2001) == (0,)
        assert got(c, "hipDeviceGetLimit", STACK) == 2016
        assert c.hipDeviceSetLimit(STACK, 131005) == (INVALID,)
        assert got(c, "hipDeviceGetLimit", HEAP) == (8 << 20 if profile == NEW else total)
        assert c.hipDeviceSetLimit(HEAP, 1 << 20) == (0,)
        assert got(c, "hipDeviceGetLimit", HEAP) == (1 << 20 if profile == NEW else total)
        assert c.hipDeviceSetLimit(HEAP, total) == (INVALID,)
        assert c.hipDeviceSetLimit(RANGE, 0) == (INVALID,)
        assert c.hipDeviceGetLimit(1) == (UNSUPPORTED, None)
        assert c.hipDeviceSetLimit(-1, 1024) == (UNSUPPORTED,)
        assert c.hipDeviceSetLimit((1 << 32) - 1, 1024) == (UNSUPPORTED,)
        got(c, "hipDeviceReset")
        assert got(c, "hipDeviceGetLimit", STACK) == 2016

    on(profile, program)


def test_limits_of_scratch_memory() -> None:
    """No document tells them."""
    with pytest.raises(fakecuda.UndefinedBehaviour, match="scratch"):
        on(NEW, lambda a: a.c.hipDeviceGetLimit(SCRATCH))
    assert on(NEW, lambda a: a.c.hipDeviceSetLimit(SCRATCH, 1), strict=False) == (UNSUPPORTED,)


@BOTH
def test_flags(profile: str) -> None:
    """A device is waited for by spinning at first, and after a reset."""

    def program(a: Any) -> None:
        c = a.c
        assert got(c, "hipGetDeviceFlags") == 1
        for flags, kept in ((0, 0), (2, 2), (4 | 8 | 16, 4)):
            got(c, "hipSetDeviceFlags", flags)
            assert got(c, "hipGetDeviceFlags") == kept
        got(c, "hipSetDevice", 1)
        assert got(c, "hipGetDeviceFlags") == 1
        got(c, "hipSetDevice", 0)
        got(c, "hipDeviceReset")
        assert got(c, "hipGetDeviceFlags") == 1

    on(profile, program)


@BOTH
def test_configurations(profile: str) -> None:
    """There is nothing to configure."""

    def program(a: Any) -> None:
        c = a.c
        for config in range(4):
            assert c.hipDeviceSetCacheConfig(config) == (0,)
        assert c.hipDeviceSetCacheConfig(4) == (INVALID,)
        assert got(c, "hipDeviceGetCacheConfig") == 0
        assert c.hipDeviceSetSharedMemConfig(2) == (0,)
        assert c.hipDeviceSetSharedMemConfig(3) == (INVALID,)
        assert got(c, "hipDeviceGetSharedMemConfig") == 1
        assert got(c, "hipCtxGetSharedMemConfig") == 1

    on(profile, program)


def test_valid_devices() -> None:
    """The first of the list becomes the thread's, unless it has chosen one, in vain or not."""

    def program(a: Any) -> None:
        c = a.c
        assert c.hipSetValidDevices(None, 0) == (0,)
        for devices, length in ((None, 1), ((0,), -1), ((0, 1, 0), 3)):
            assert c.hipSetValidDevices(devices, length) == (INVALID,)
        assert c.hipSetValidDevices((1, 2), 2) == (DEVICE,)
        assert c.hipSetValidDevices((1, 0), 2) == (0,)
        assert got(c, "hipGetDevice") == 1
        assert c.hipSetDevice(7) == (DEVICE,)
        assert c.hipSetValidDevices((0,), 1) == (0,)
        assert got(c, "hipGetDevice") == 1

    on(NEW, program)


def test_links() -> None:
    """Each card has an Infinity Fabric link to each."""

    def program(a: Any) -> None:
        c = a.c
        assert c.hipExtGetLinkTypeAndHopCount(0, 1) == (0, 4, 1)
        for one, other in ((0, 0), (-1, 0), (0, -1)):
            assert c.hipExtGetLinkTypeAndHopCount(one, other) == (INVALID, None, None)
        assert c.hipExtGetLinkTypeAndHopCount(0, 2) == (DEVICE, None, None)
        assert c.hipExtGetLinkTypeAndHopCount(0, 1, null="hopcount") == (INVALID, None, None)

    on(NEW, program)
    with fakecuda.Machine(attrs.evolve(load(NEW), peers={})) as machine:
        assert machine.spawn().c.hipExtGetLinkTypeAndHopCount(0, 1) == (HANDLE, None, None)


def test_addresses_of_functions() -> None:
    """Each has one; some have a variant for the thread's stream, and some were others before HIP 6."""

    def program(a: Any) -> None:
        c = a.c
        plain, status = got(c, "hipGetProcAddress", b"hipMemcpyAsync", 700, 0)
        assert (plain > 0, status) == (True, 0)
        assert got(c, "hipGetProcAddress", b"hipMemcpyAsync", 700, 1)[0] == plain
        own = got(c, "hipGetProcAddress", b"hipMemcpyAsync", 700, 2)[0]
        assert own == got(c, "hipGetProcAddress_spt", b"hipMemcpyAsync", 700, 0)[0]
        assert own == got(c, "hipGetDriverEntryPoint_spt", b"hipMemcpyAsync", 0)[0] != plain
        assert got(c, "hipGetDriverEntryPoint", b"hipMemcpyAsync", 0) == (plain, 0)
        assert got(c, "hipGetProcAddress", b"hipMalloc", 700, 2) == got(c, "hipGetProcAddress", b"hipMalloc", 700, 0)
        old, new = (got(c, "hipGetProcAddress", b"hipGetDeviceProperties", version, 0)[0] for version in (599, 600))
        assert old != new
        for symbol in (None, b"", b"hipNothing", b"cuInit"):
            assert c.hipGetProcAddress(symbol, 700, 0) == (INVALID, None, None)
        assert c.hipGetProcAddress(b"hipMalloc", 700, 3) == (INVALID, None, None)
        assert c.hipGetProcAddress(b"hipMalloc", 700, 0, null="pfn") == (INVALID, None, None)
        assert c.hipGetDriverEntryPoint(b"hipMalloc", 0, null="funcPtr") == (INVALID, None, None)
        assert c.hipDeviceGetByPCIBusId(None) == (INVALID, None)

    on(NEW, program)


def test_profiles_name_what_there_is() -> None:
    """A device's table has members and attributes."""
    assert card_of({"gcnArchName": "x", "maxThreadsDim": [1, 2, 3], "NumberOfXccs": 8}) == {
        "gcnArchName": b"x",
        "maxThreadsDim": (1, 2, 3),
        "NumberOfXccs": 8,
    }
    with pytest.raises(ValueError, match="'numberOfWheels' is not a key of"):
        card_of({"numberOfWheels": 4})
    with fakecuda.Machine("h200") as machine, pytest.raises(FakeCudaError, match="no HIP"):
        machine.spawn().c.hipGetDeviceProperties(0)
