"""HIP's pointers: what is told of each kind of memory, and descriptors of ranges."""

from __future__ import annotations

import os
from typing import Any

import pytest

import fakecuda
from fakecuda.rules.hip import pointer as spec
from tests.rules.hip_world import ENUMS, INVALID, NEW, NOT_SUPPORTED, OLD, POINTER, SIZE, got, on

BOTH = pytest.mark.parametrize("profile", [OLD, NEW])
ATTRIBUTE = ENUMS["hipPointer_attribute"]
PROP = (1, 1, (1, 0), 0, (0, 0, 0))


def memory(a: Any) -> dict[str, int]:
    """Return an address in each kind of memory."""
    c = a.c
    mapped = got(c, "hipMemAddressReserve", 2 << 20, 0, 0, 0)
    got(c, "hipMemMap", mapped, 2 << 20, 0, got(c, "hipMemCreate", 2 << 20, PROP, 0), 0)
    registered = a.host_memory(SIZE)
    got(c, "hipHostRegister", registered, SIZE, 1)
    return {
        "device": got(c, "hipMalloc", SIZE) + 8,
        "managed": got(c, "hipMallocManaged", SIZE, 1) + 8,
        "host": got(c, "hipHostMalloc", SIZE, 2) + 8,
        "pool": got(c, "hipMallocAsync", SIZE, 0) + 8,
        "mapped": mapped + 8,
        "registered": registered + 8,
        "none": a.host_memory(SIZE) + 8,
    }


@BOTH
def test_all_at_once(profile: str) -> None:
    """The type, the device, both addresses, whether it is managed, and its flags."""

    def program(a: Any) -> None:
        places = memory(a)
        on_device = {name: got(a.c, "hipPointerGetAttributes", ptr) for name, ptr in places.items()}
        for name in ("device", "pool", "mapped"):
            assert on_device[name] == (2, 0, places[name], 0, 0, 0), name
        ptr = places["managed"]
        assert on_device["managed"] == (3, 0, ptr, ptr, 1, 0)
        for name in ("host", "registered"):
            kind, device, ptr, same, managed, flags = on_device[name]
            assert (kind, device, ptr, same, managed) == (1, 0, places[name], places[name], 0)
            assert flags
        assert on_device["none"] == (0, -2, 0, 0, 0, 0)
        null = a.c.hipPointerGetAttributes(0)
        assert null == ((0, (0, -2, 0, 0, 0, 0)) if profile == NEW else (INVALID, None))
        assert a.c.hipPointerGetAttributes(places["device"], null="attributes") == (INVALID, None)
        got(a.c, "hipSetDevice", 1)
        assert got(a.c, "hipPointerGetAttributes", got(a.c, "hipMalloc", SIZE))[1] == 1

    on(profile, program)


def one(c: Any, name: str, ptr: int) -> tuple[int, Any]:
    """Ask for one attribute."""
    answer: tuple[int, Any] = c.hipPointerGetAttribute(ATTRIBUTE[f"HIP_POINTER_ATTRIBUTE_{name}"], ptr)
    return answer


@BOTH
def test_one_by_one(profile: str) -> None:
    """Some are told of memory of devices alone, some of the host's."""

    def program(a: Any) -> None:
        c, places = a.c, memory(a)
        device, host, none = places["device"], places["host"], places["none"]
        context = got(c, "hipCtxGetCurrent")
        first = profile == OLD
        assert one(c, "CONTEXT", device) == ((NOT_SUPPORTED, None) if first else (0, context))
        assert one(c, "CONTEXT", host) == ((NOT_SUPPORTED if first else INVALID), None)
        assert one(c, "IS_LEGACY_HIP_IPC_CAPABLE", device) == ((NOT_SUPPORTED, None) if first else (0, 1))
        assert one(c, "MEMORY_TYPE", device) == (0, 2)
        assert one(c, "MEMORY_TYPE", places["managed"]) == (0, 1)
        assert one(c, "DEVICE_POINTER", device) == (0, device)
        assert one(c, "HOST_POINTER", host) == (0, host)
        assert one(c, "HOST_POINTER", device) == (INVALID, None)
        assert one(c, "IS_MANAGED", places["managed"]) == (0, 1)
        assert one(c, "DEVICE_ORDINAL", device) == (0, 0)
        assert one(c, "DEVICE_ORDINAL", none) == (INVALID, None)
        assert one(c, "RANGE_START_ADDR", device) == (0, device - 8)
        assert one(c, "RANGE_SIZE", device) == (0, SIZE)
        assert one(c, "MAPPED", device) == (0, 1)
        assert one(c, "ACCESS_FLAGS", none) == (0, 0)
        assert one(c, "BUFFER_ID", device)[1] != one(c, "BUFFER_ID", host)[1]
        for name in ("P2P_TOKENS", "ALLOWED_HANDLE_TYPES", "IS_GPU_DIRECT_RDMA_CAPABLE", "MEMPOOL_HANDLE"):
            assert one(c, name, device) == (NOT_SUPPORTED, None)
        assert c.hipPointerGetAttribute(-1, device) == (INVALID, None)
        assert one(c, "MAPPED", 0) == (INVALID, None)
        assert c.hipPointerGetAttribute(spec.MAPPED, device, null="data") == (INVALID, None)
        got(c, "hipSetDevice", 1)
        assert one(c, "DEVICE_POINTER", device) == ((0, device) if first else (INVALID, None))
        got(c, "hipDeviceEnablePeerAccess", 0, 0)
        assert one(c, "DEVICE_POINTER", device) == (0, device)

    on(profile, program)


def test_which_memory_handles_can_be_made_of() -> None:
    """An allocation's, no mapping's and not the host's."""

    def program(a: Any) -> None:
        capable = {name: one(a.c, "IS_LEGACY_HIP_IPC_CAPABLE", ptr) for name, ptr in memory(a).items()}
        assert capable.pop("none") == (INVALID, None)
        assert {name for name, (_, value) in capable.items() if value} == {"device", "pool"}

    on(NEW, program)


def test_several() -> None:
    """Nothing is refused but a call without attributes; what cannot be told is 0, and the device -2."""

    def program(a: Any) -> None:
        c, places = a.c, memory(a)
        asked = (spec.MEMORY_TYPE, spec.ORDINAL, spec.HOST_POINTER, spec.P2P_TOKENS)
        assert got(c, "hipDrvPointerGetAttributes", 4, asked, places["device"]) == (2, 0, 0, 0)
        assert got(c, "hipDrvPointerGetAttributes", 3, asked, places["none"]) == (0, -2, 0)
        for count, attributes, ptr in ((0, asked, places["device"]), (1, None, places["device"]), (1, asked, 0)):
            assert c.hipDrvPointerGetAttributes(count, attributes, ptr) == (INVALID, None)
        assert c.hipDrvPointerGetAttributes(1, asked, places["device"], null="data") == (INVALID, None)

    on(NEW, program)


@BOTH
def test_setting(profile: str) -> None:
    """One attribute can be set, to 0 or 1."""

    def program(a: Any) -> None:
        c, places = a.c, memory(a)
        device = places["device"]
        assert c.hipPointerSetAttribute(1, spec.SYNC_MEMOPS, device) == (0,)
        assert one(c, "SYNC_MEMOPS", device) == (0, 1)
        for value, attribute, ptr in (
            (None, spec.SYNC_MEMOPS, device),
            (1, spec.SYNC_MEMOPS, 0),
            (1, spec.MAPPED, device),
            (2, spec.SYNC_MEMOPS, device),
        ):
            assert c.hipPointerSetAttribute(value, attribute, ptr) == (INVALID,)
        assert c.hipPointerSetAttribute(1, spec.SYNC_MEMOPS, places["none"]) == (POINTER,)

    on(profile, program)


def test_descriptors() -> None:
    """A range of a device's memory has one."""

    def program(a: Any) -> None:
        c, places = a.c, memory(a)
        for name in ("device", "mapped"):
            os.close(got(c, "hipMemGetHandleForAddressRange", places[name], SIZE - 8, 1, 0))
        for ptr, size, kind, flags in (
            (0, SIZE, 1, 0),
            (places["device"], 0, 1, 0),
            (places["device"], 8, 2, 0),
            (places["device"], 8, 1, 1),
            (places["device"], SIZE, 1, 0),
            (places["host"], 8, 1, 0),
            (places["none"], 8, 1, 0),
        ):
            assert c.hipMemGetHandleForAddressRange(ptr, size, kind, flags) == (INVALID, None)

    on(NEW, program)
    ask = lambda a: a.c.hipMemGetHandleForAddressRange(got(a.c, "hipMalloc", 8), 8, 1, 0, null="handle")  # noqa: E731
    with pytest.raises(fakecuda.UndefinedBehaviour, match=r"writes\s+through\s+it"):
        on(NEW, ask)
    assert on(NEW, ask, strict=False) == (INVALID, None)
