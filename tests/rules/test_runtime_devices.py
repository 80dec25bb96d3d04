"""Devices of the runtime API: what the first call makes, what each thread uses, flags, properties, reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.rules.runtime.properties import MEMBERS, MEMBERS_IN_12, NUMBERS
from fakecuda.spec.runtime import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Process
    from fakecuda.reach.bindings.c import CLevel

MAP_HOST = 8


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine of two devices that answers as the driver does."""
    with Machine("h200-x2", strict=False, seed=1) as machine:
        yield machine


@pytest.fixture
def process(machine: Machine) -> Process:
    """A process that has made no call."""
    return machine.spawn()


@pytest.fixture
def c(process: Process) -> CLevel:
    """Its calls."""
    return process.c


def test_a_thread_has_a_context_after_calls_that_look_for_one(process: Process) -> None:
    """Those that refuse a null pointer before leave none; the capture mode is of a context."""
    process.c.cudaSetDevice(0)
    current = process.c.cuCtxGetCurrent()[1]
    for number, (call, args, null, code, there) in enumerate(
        (
            ("cudaStreamGetCaptureInfo", (2,), "captureStatus_out", 1, 0),
            ("cudaStreamGetCaptureInfo", (2,), "", 0, current),
            ("cudaThreadExchangeStreamCaptureMode", (2,), "", 0, current),
            ("cudaDeviceGetAttribute", (1, 0), "", 0, 0),
            ("cudaProfilerStop", (), "", 0, 0),
            ("cudaGraphNodeGetType", (0,), "pType", 1, 0),
            ("cudaGraphNodeGetType", (0,), "", 1, current),
        )
    ):
        c = process.thread(f"thread {number}").c
        assert getattr(c, call)(*args, null=null)[0] == code
        assert c.cuCtxGetCurrent() == (0, there)


def test_the_first_call_initialises_the_driver(c: CLevel) -> None:
    """One that asks of devices makes no context."""
    assert c.cuDeviceGetCount() == (3, None)
    assert c.cudaGetDeviceCount() == (0, 2)
    assert c.cuDeviceGetCount() == (0, 2)
    assert c.cuDevicePrimaryCtxGetState(0) == (0, 0, 0)
    assert c.cudaGetDevice() == (0, 0)
    assert c.cuCtxGetCurrent() == (0, 0)


def test_a_thread_in_which_nothing_is_current_uses_the_first_device(c: CLevel) -> None:
    """Whatever it chose: cudaGetDevice tells that until another call makes a context current."""
    assert c.cudaSetDevice(1) == (0,)
    assert c.cuCtxSetCurrent(0) == (0,)
    assert c.cudaGetDevice() == (0, 1)
    assert c.cudaDeviceSynchronize() == (0,)
    assert c.cudaGetDevice() == c.cuCtxGetDevice() == (0, 0)


def test_a_call_that_needs_a_context_retains_the_primary_one(c: CLevel) -> None:
    """Once per device and process, however many calls and threads there are; it is current then."""
    assert c.cudaFree(0) == (0,)
    assert c.cuDevicePrimaryCtxGetState(0)[2] == 1
    _, context = c.cuCtxGetCurrent()
    assert context
    assert c.cudaMalloc(64)[0] == 0
    assert c.cuDevicePrimaryCtxRelease(0) == (0,)
    assert c.cuDevicePrimaryCtxGetState(0)[2] == 0, "one reference was the runtime's"


def test_a_released_primary_context_is_made_anew(c: CLevel) -> None:
    """The next call of the runtime API finds it inactive."""
    c.cudaFree(0)
    c.cuDevicePrimaryCtxRelease(0)
    assert c.cudaMalloc(64)[0] == 0
    assert c.cuDevicePrimaryCtxGetState(0)[2] == 1


def test_threads_share_the_primary_context(process: Process) -> None:
    """Each has it current after its own first call."""
    one, two = process.thread("one").c, process.thread("two").c
    one.cudaFree(0)
    assert two.cuCtxGetCurrent() == (0, 0)
    two.cudaFree(0)
    assert one.cuCtxGetCurrent() == two.cuCtxGetCurrent()


def test_set_device_makes_its_context_current(c: CLevel) -> None:
    """At once; a number that is no device's leaves everything as it is."""
    assert c.cudaSetDevice(1) == (0,)
    assert c.cuDevicePrimaryCtxGetState(1)[2] == 1
    assert c.cuDevicePrimaryCtxGetState(0)[2] == 0
    assert c.cuCtxGetDevice() == (0, 1)
    assert c.cudaSetDevice(2) == c.cudaSetDevice(-1) == (101,)
    assert c.cudaGetDevice() == (0, 1)


def test_init_device_makes_no_context_current(c: CLevel) -> None:
    """The primary one is active, with the flags where these are valid."""
    assert c.cudaInitDevice(1, 4, 1) == (0,)
    assert c.cuDevicePrimaryCtxGetState(1) == (0, 4, 1)
    assert c.cuCtxGetCurrent() == (0, 0)
    assert c.cudaGetDevice() == (0, 0)
    assert c.cudaInitDevice(0, 4, 0) == (0,)
    assert c.cuDevicePrimaryCtxGetState(0) == (0, 0, 1)
    assert c.cudaInitDevice(7, 0, 0) == (101,)
    assert c.cudaInitDevice(0, 3, 2) == (0,), "of the flags of the call one bit counts"
    assert c.cudaInitDevice(0, 3, 1) == (1,)
    assert c.cudaInitDevice(0, 4, 1) == (0,)
    assert c.cuDevicePrimaryCtxGetState(0) == (0, 4, 1), "of an active one, too"


def test_init_device_that_is_refused_leaves_the_flags_as_they_were() -> None:
    """On a device that admits no contexts, and on one without memory for one."""
    with Machine("h200", strict=False) as machine:
        c = machine.spawn().c
        assert c.cudaGetDeviceCount() == (0, 1)
        machine.set_compute_mode(0, "PROHIBITED")
        before = machine.snapshot()
        assert c.cudaInitDevice(0, 4, 1) == (46,)
        assert machine.snapshot() == before
        machine.set_compute_mode(0, "DEFAULT")
        machine.exhaust_memory(0)
        before = machine.snapshot()
        assert c.cudaInitDevice(0, 4, 1) == (2,)
        assert machine.snapshot() == before


def test_the_drivers_context_is_the_current_device(c: CLevel) -> None:
    """The device of whatever context is current, else the thread's."""
    c.cuInit(0)
    _, context = c.cuCtxCreate(None, 0, 1)
    assert c.cudaGetDevice() == (0, 1)
    assert c.cudaGetDeviceFlags() == c.cuCtxGetFlags()
    c.cuCtxDestroy(context)
    assert c.cudaGetDevice() == (0, 0)


def test_flags_are_those_of_the_primary_context(c: CLevel) -> None:
    """Set before or after it is active; mapping of host memory is implied."""
    assert c.cudaGetDeviceFlags() == (0, MAP_HOST)
    assert c.cudaSetDeviceFlags(4) == (0,)
    assert c.cudaGetDeviceFlags() == (0, 4 | MAP_HOST)
    assert c.cuDevicePrimaryCtxGetState(0) == (0, 4, 1)
    assert c.cudaSetDeviceFlags(1 | MAP_HOST) == (0,)
    assert c.cudaGetDeviceFlags() == c.cuCtxGetFlags() == (0, 1 | MAP_HOST)
    assert c.cudaSetDeviceFlags(3) == c.cudaSetDeviceFlags(256) == (1,)
    assert c.cudaGetDeviceFlags() == (0, 1 | MAP_HOST)


def test_reset_destroys_the_primary_context_and_leaves_it_current(c: CLevel) -> None:
    """The driver API finds it destroyed, the runtime API makes it anew, with no further reference."""
    _, pointer = c.cudaMalloc(64)
    _, before = c.cuCtxGetCurrent()
    assert c.cudaDeviceReset() == (0,)
    assert c.cuCtxGetCurrent() == (0, before)
    assert c.cuMemAlloc(64)[0] == 709
    assert c.cuDevicePrimaryCtxGetState(0)[2] == 0
    assert c.cudaMemset(pointer, 0, 64) == (1,)
    assert c.cuDevicePrimaryCtxGetState(0)[2] == 1
    assert c.cuCtxSynchronize() == (0,)


def test_reset_of_another_context_is_of_none(c: CLevel) -> None:
    """While a context of the driver API's own is current nothing of it or the primary one goes."""
    c.cudaMalloc(64)
    _, context = c.cuCtxCreate(None, 0, 0)
    assert c.cudaDeviceReset() == (0,)
    assert c.cuDevicePrimaryCtxGetState(0)[2] == 1
    assert c.cuCtxSynchronize() == (0,)
    assert c.cuCtxDestroy(context) == (0,)


def test_reset_leaves_what_pools_gave(c: CLevel) -> None:
    """Memory of cudaMallocAsync is the pool's, and the pool the device's."""
    _, pointer = c.cudaMallocAsync(64, 0)
    assert c.cudaDeviceReset() == (0,)
    assert c.cudaMemset(pointer, 0, 64) == (0,)
    assert c.cudaFreeAsync(pointer, 0) == (0,)


def test_exclusive_and_prohibited_devices_are_refused(machine: Machine, c: CLevel) -> None:
    """By cudaSetDevice, and by what would make a context."""
    machine.set_compute_mode(0, "PROHIBITED")
    assert c.cudaGetDeviceCount() == (0, 2)
    assert c.cudaSetDevice(0) == c.cudaInitDevice(0, 0, 0) == (46,)
    machine.set_compute_mode(1, "EXCLUSIVE_PROCESS")
    assert c.cudaSetDevice(1) == (0,)
    other = machine.spawn().c
    assert other.cudaSetDevice(1) == (46,)
    assert other.cudaMalloc(64) == (46, None)


def test_a_device_that_admits_no_contexts_is_passed_over(machine: Machine, c: CLevel) -> None:
    """By the first call that needs a context, as the programming guide says of compute modes; cudaSetDevice names one."""
    machine.set_compute_mode(0, "PROHIBITED")
    assert c.cudaGetDevice() == (0, 0)
    assert c.cudaMalloc(64)[0] == 0
    assert c.cudaGetDevice() == (0, 1)
    machine.set_compute_mode(1, "EXCLUSIVE_PROCESS")
    c.cuCtxSetCurrent(0)
    assert c.cudaMalloc(64)[0] == 0, "its own context counts"
    machine.set_compute_mode(0, "DEFAULT")
    third = machine.spawn().c
    assert third.cudaSetValidDevices((1, 0), 2) == (0,)
    assert third.cudaGetDevice() == (0, 1)
    assert third.cudaMalloc(64)[0] == 0
    assert third.cudaGetDevice() == (0, 0)


def test_attributes_are_the_drivers(c: CLevel) -> None:
    """By the same numbers."""
    for number in sorted(set(ENUMS["cudaDeviceAttr"].values()))[:-1]:
        assert c.cudaDeviceGetAttribute(number, 0) == c.cuDeviceGetAttribute(number, 0)
    assert c.cudaDeviceGetAttribute(75, 7) == (101, None)
    assert c.cudaDeviceGetAttribute(4711, 0) == (1, None)


def test_properties_tell_what_attributes_do(machine: Machine, process: Process) -> None:
    """And name, uuid and memory; every member of the struct is set from something."""
    code, prop = process.runtime.cudaGetDeviceProperties(1)
    assert code == 0
    profile = machine.devices[1].profile
    assert (prop.name, prop.totalGlobalMem) == (profile.name.encode(), profile.total_memory)
    assert prop.uuid.bytes == profile.uuid
    known = profile.attributes
    older = dict(zip(MEMBERS_IN_12, process.c.cudaGetDeviceProperties_v2(1)[1], strict=True))
    for member, numbers in NUMBERS.items():
        values = tuple(known.get(number, 0) for number in numbers)
        value = values if len(values) > 1 else values[0]
        if member in MEMBERS:
            assert getattr(prop, member) == (list(values) if len(values) > 1 else value), member
        assert older.get(member, value) == value, member
    assert (prop.major, prop.minor, prop.warpSize) == (9, 0, 32)
    others = {"name", "uuid", "luid", "luidDeviceNodeMask", "totalGlobalMem", "unifiedFunctionPointers"}
    assert set(MEMBERS) | set(MEMBERS_IN_12) == set(NUMBERS) | others
    assert process.c.cudaGetDeviceProperties(2) == (101, None)
    assert process.c.cuDevicePrimaryCtxGetState(1) == (0, 0, 0)


def test_choose_device(process: Process) -> None:
    """The first of those that have what is desired; devices of one kind are all the same."""
    runtime = process.runtime
    assert runtime.cudaChooseDevice(runtime.cudaDeviceProp()) == (0, 0)
    assert runtime.cudaChooseDevice(runtime.cudaGetDeviceProperties(1)[1]) == (0, 0)
    assert runtime.cudaChooseDevice(None) == (1, None)


def test_entry_points_are_the_drivers(c: CLevel) -> None:
    """By the version of the library, or one that is given; what is not found is a success without an address."""
    found = c.cuGetProcAddress(b"cuMemAlloc", 13000, 0)
    assert c.cudaGetDriverEntryPoint(b"cuMemAlloc", 0) == found
    assert c.cudaGetDriverEntryPointByVersion(b"cuMemAlloc", 13000, 0) == found
    assert c.cudaGetDriverEntryPointByVersion(b"cuMemAlloc", 1000, 0) == (0, 0, 2)
    assert c.cudaGetDriverEntryPoint(b"cuNothing", 0) == (0, 0, 1)
    assert c.cudaGetDriverEntryPointByVersion(b"cuMemAlloc", 99000, 0) == (1, None, None)
    assert c.cudaGetDriverEntryPoint(b"cuMemAlloc", 3) == found
    assert c.cudaGetDriverEntryPoint(b"cuMemAlloc", 4) == (1, None, None)


def test_a_fork_has_a_driver_of_its_own_and_ends_with_it() -> None:
    """What it made is gone; after the parent's first call it has none."""
    machine = Machine("h200", strict=False)
    process = machine.spawn()
    assert process.forked.cudaMalloc(64)[0] == 0
    machine.check_invariants()
    assert not machine.devices[0].memory.used
    assert process.c.cudaFree(0) == (0,)
    assert process.forked.cudaMalloc(64) == (3, None)
