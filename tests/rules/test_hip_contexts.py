"""HIP's contexts, which are devices, and what else is asked of devices, peers, events and streams."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

import fakecuda
from fakecuda.profiles import load
from tests.rules.hip_world import CODES, DESTROYED, DEVICE, HANDLE, INVALID, NEW, NOT_SUPPORTED, OLD, SIZE, got, on

BOTH = pytest.mark.parametrize("profile", [OLD, NEW])
CONTEXT, IN_USE = CODES["hipErrorInvalidContext"], CODES["hipErrorContextAlreadyInUse"]
ENABLED, NOT_ENABLED = CODES["hipErrorPeerAccessAlreadyEnabled"], CODES["hipErrorPeerAccessNotEnabled"]
NOWHERE = 1 << 62


@BOTH
def test_the_stack(profile: str) -> None:
    """Contexts are pushed and popped, and the thread's device stays what was set last."""

    def program(a: Any) -> None:
        c = a.c
        first, second = (got(c, "hipDevicePrimaryCtxRetain", number) for number in (0, 1))
        assert c.hipCtxPopCurrent() == (CONTEXT, None)
        assert got(c, "hipCtxCreate", 0, 1) == second
        assert got(c, "hipCtxGetDevice") == 0
        got(c, "hipCtxPushCurrent", second)
        assert (got(c, "hipCtxGetDevice"), got(c, "hipCtxGetCurrent")) == (1, second)
        assert got(c, "hipCtxPopCurrent") == second
        got(c, "hipCtxSetCurrent", first)
        assert got(c, "hipCtxGetDevice") == 0
        got(c, "hipCtxDestroy", second)
        got(c, "hipCtxDestroy", first)
        got(c, "hipCtxSetCurrent", first)
        got(c, "hipCtxSetCurrent", 0)
        assert c.hipCtxPopCurrent() == (CONTEXT, None)
        assert c.hipCtxCreate(0, 2) == (INVALID, None)
        assert c.hipCtxDestroy(0) == (INVALID,)
        assert c.hipCtxPushCurrent(0) == (CONTEXT,)

    on(profile, program)
    with pytest.raises(fakecuda.UndefinedBehaviour, match=r"clr\s+uses\s+the\s+value\s+as\s+a\s+device"):
        on(profile, lambda a: a.c.hipCtxSetCurrent(NOWHERE))
    assert on(profile, lambda a: a.c.hipCtxPushCurrent(NOWHERE), strict=False) == (CONTEXT,)


@BOTH
def test_a_context_s_flags_are_the_device_s(profile: str) -> None:
    """They are taken as they are, of the device that the context is made on."""

    def program(a: Any) -> None:
        c = a.c
        got(c, "hipCtxCreate", 0x1234, 1)
        assert got(c, "hipGetDeviceFlags") == 1
        got(c, "hipSetDevice", 1)
        assert got(c, "hipGetDeviceFlags") == 0x1234

    on(profile, program)


@pytest.mark.parametrize(("profile", "active"), [(OLD, 0), (NEW, 1)])
def test_a_device_that_is_chosen_counts_as_used(profile: str, active: int) -> None:
    """Since 2026 it does, before anything is made there."""

    def program(a: Any) -> None:
        got(a.c, "hipSetDevice", 1)
        assert got(a.c, "hipDevicePrimaryCtxGetState", 1) == (0, active)
        assert got(a.c, "hipDevicePrimaryCtxGetState", 0) == (0, 0)

    on(profile, program)


@BOTH
def test_primary_contexts(profile: str) -> None:
    """Nothing is counted, reset or set."""

    def program(a: Any) -> None:
        c = a.c
        assert got(c, "hipDevicePrimaryCtxGetState", 1) == (0, 0)
        got(c, "hipDevicePrimaryCtxRetain", 1)
        assert got(c, "hipDevicePrimaryCtxGetState", 1) == (0, 1)
        got(c, "hipDevicePrimaryCtxRelease", 1)
        got(c, "hipDevicePrimaryCtxReset", 1)
        assert got(c, "hipDevicePrimaryCtxGetState", 1) == (0, 1)
        assert c.hipDevicePrimaryCtxSetFlags(1, 0) == (IN_USE,)
        assert c.hipDevicePrimaryCtxSetFlags(2, 0) == (DEVICE,)
        assert c.hipDevicePrimaryCtxRelease(2) == (DEVICE,)
        for name, count in (("GetApiVersion", 1), ("GetCacheConfig", 0), ("GetFlags", 0), ("Synchronize", 0)):
            assert getattr(c, f"hipCtx{name}")(*[0] * count)[0] == NOT_SUPPORTED
        assert c.hipCtxSetCacheConfig(0) == c.hipCtxSetSharedMemConfig(99) == (NOT_SUPPORTED,)
        assert c.hipCtxSetCacheConfig(99) == (INVALID,)
        assert got(c, "hipCtxGetSharedMemConfig") == 1

    on(profile, program)


REFUSED = {
    "hipMalloc": (4096,),
    "hipCtxPopCurrent": (),
    "hipDeviceReset": (),
}


@BOTH
@pytest.mark.parametrize("name", REFUSED)
def test_a_lost_context_changes_nothing(profile: str, name: str) -> None:
    """A call that the lost context of the thread's device refuses takes no reference, pops nothing and sets no flags."""
    with fakecuda.Machine(profile, strict=False) as machine:
        a = machine.spawn()
        got(a.c, "cuInit", 0)
        lost = got(a.c, "cuDevicePrimaryCtxRetain", 0)
        got(a.c, "hipSetDeviceFlags", 1)
        got(a.c, "hipCtxPushCurrent", lost)
        machine.poison(a, lost)
        before = machine.snapshot()
        assert getattr(a.c, name)(*REFUSED[name])[0] == CODES["hipErrorIllegalAddress"]
        assert machine.snapshot() == before


@BOTH
def test_access_that_was_never_enabled(profile: str) -> None:
    """To answer that it is not enabled takes no context of the peer."""

    def program(a: Any) -> None:
        got(a.c, "hipFree", 0)
        assert a.c.hipDeviceDisablePeerAccess(1) == (NOT_ENABLED,)
        assert got(a.c, "hipDevicePrimaryCtxGetState", 1) == (0, 0)

    on(profile, program)


@BOTH
def test_devices(profile: str) -> None:
    """Versions, names, places and the last error."""

    def program(a: Any) -> None:
        c = a.c
        assert c.hipInit(0) == (0,)
        assert c.hipInit(1) == (INVALID,)
        assert c.hipExtGetLastError() == (INVALID,)
        assert c.hipExtGetLastError() == (0,)
        assert got(c, "hipRuntimeGetVersion") == got(c, "hipDriverGetVersion") > 60000000
        assert got(c, "hipDrvGetErrorName", 1) == b"hipErrorInvalidValue"
        assert c.hipDrvGetErrorName(-1) == (INVALID, None)
        assert got(c, "hipDeviceGet", 1) == 1
        assert got(c, "hipDeviceTotalMem", 1) == 206141652992
        assert got(c, "hipDeviceGetName", 4, 0) == b"AMD"
        assert c.hipDeviceGetName(0, 0) == (INVALID, None)
        place = got(c, "hipDeviceGetPCIBusId", 13, 1)
        assert place == b"0000:10:06.0"
        assert got(c, "hipDeviceGetByPCIBusId", place) == got(c, "hipDeviceGetByPCIBusId", b"0:10:6.0rest") == 1
        assert c.hipDeviceGetPCIBusId(12, 1) == (INVALID, None)
        assert c.hipDeviceGetByPCIBusId(b"0000:10:07.0") == (INVALID, None)
        assert c.hipSetDeviceFlags(3) == (INVALID,)
        assert c.hipSetDevice(2) == (DEVICE,)

    on(profile, program)


@BOTH
def test_peers(profile: str) -> None:
    """The table is a device's; the calls for contexts do nothing."""

    def program(a: Any) -> None:
        c = a.c
        assert [got(c, "hipDeviceGetP2PAttribute", attribute, 0, 1) for attribute in (0, 1)] == [4, 1]
        assert c.hipDeviceGetP2PAttribute(9, 0, 1) == (INVALID, None)
        assert c.hipDeviceGetP2PAttribute(0, 1, 1) == (DEVICE, None)
        assert c.hipDeviceGetP2PAttribute(0, 0, 2) == c.hipDeviceGetP2PAttribute(99, 0, 2) == (DEVICE, None)
        assert c.hipDeviceGetP2PAttribute(99, -1, 0) == (INVALID, None)
        assert c.hipDeviceGetP2PAttribute(0, -1, 0) == (DEVICE, None)
        assert c.hipCtxEnablePeerAccess(NOWHERE, 9) == c.hipCtxDisablePeerAccess(NOWHERE) == (0,)
        assert c.hipDeviceDisablePeerAccess(1) == (NOT_ENABLED,)
        got(c, "hipDeviceEnablePeerAccess", 1, 0)
        assert c.hipDeviceEnablePeerAccess(1, 0) == (ENABLED,)

    on(profile, program)
    with fakecuda.Machine(attrs.evolve(load(profile), peers={})) as machine:
        assert machine.spawn().c.hipDeviceGetP2PAttribute(0, 0, 1) == (0, 0)
        assert machine.spawn().c.hipDeviceEnablePeerAccess(1, 0) == (DEVICE,)


@BOTH
def test_events(profile: str) -> None:
    """What is refused of them, and flags for graphs."""

    def program(a: Any) -> None:
        c, event = a.c, got(a.c, "hipEventCreate")
        got(c, "hipEventRecord", event, 0)
        if profile == NEW:
            got(c, "hipEventRecordWithFlags", event, 0, 1)
            assert c.hipEventRecordWithFlags(event, 0, 2) == (INVALID,)
        assert c.hipEventQuery(0) == (HANDLE,)
        other = got(c, "hipEventCreate")
        assert c.hipEventElapsedTime(event, other) == (HANDLE, None)
        got(c, "hipEventDestroy", other)
        assert c.hipEventDestroy(other) == (DESTROYED,)

    on(profile, program)
    with pytest.raises(fakecuda.UndefinedBehaviour, match=r"clr\s+uses\s+the\s+value"):
        on(profile, lambda a: a.c.hipEventQuery(NOWHERE))
    assert on(profile, lambda a: a.c.hipEventQuery(NOWHERE), strict=False) == (DESTROYED,)


def test_times_of_work_that_is_not_done() -> None:
    """They are not known yet."""
    with fakecuda.Machine(NEW, completion="manual") as machine:
        c = machine.spawn().c
        ptr, event = got(c, "hipMalloc", SIZE), got(c, "hipEventCreate")
        got(c, "hipMemsetAsync", ptr, 0, SIZE, 0)
        got(c, "hipEventRecord", event, 0)
        assert c.hipEventElapsedTime(event, event) == (CODES["hipErrorNotReady"], None)
        got(c, "hipDeviceSynchronize")
        assert got(c, "hipEventElapsedTime", event, event) == 0


@BOTH
def test_streams(profile: str) -> None:
    """Default streams cannot be destroyed; each stream has a number, which came later."""

    def program(a: Any) -> None:
        c, stream, event = a.c, got(a.c, "hipStreamCreate"), got(a.c, "hipEventCreate")
        for handle in (0, 1, 2):
            assert c.hipStreamDestroy(handle) == (HANDLE,)
        assert c.hipStreamWaitEvent(stream, event, 9) == (INVALID,)
        if profile == NEW:
            numbers = [got(c, "hipStreamGetId", handle) for handle in (stream, 0, 2, stream)]
            assert len(set(numbers)) == 3
            assert numbers[0] == numbers[3]
            assert c.hipStreamGetId(NOWHERE) == (HANDLE, None)

    on(profile, program)
