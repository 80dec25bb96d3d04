"""Devices in the runtime API: the thread's device, flags, reset.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import PAGE, destroyed, fresh, memory
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, Thread, World

DEVICE_ORDINAL = ENUMS["CUpointer_attribute"]["CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL"]

count = Entry.of("cudaGetDeviceCount")
count.null("count", "RESULTS_ARE_GIVEN")

which = Entry.of("cudaGetDevice")
which.null("device", "RESULTS_ARE_GIVEN")

choose = Entry.of("cudaSetDevice", lambda _: (0,))
choose.breaks("DEVICE_IS_THERE", device=99)
choose.breaks("DEVICE_IS_THERE", "negative", device=-1)

start = Entry.of("cudaInitDevice", lambda _: (0, 0, 0))
start.breaks("DEVICE_IS_THERE", device=99)
start.breaks("FLAGS_ARE_KNOWN", deviceFlags=3, flags=1)
start.also("flags that do not count", deviceFlags=3)
start.also("flags of the call that mean nothing", flags=2)
start.also("flags that count", deviceFlags=4, flags=1)

prefer = Entry.of("cudaSetValidDevices", lambda _: ((0,), 1))
prefer.breaks("VALID_DEVICES_FIT", "no list", device_arr=None)
prefer.breaks("VALID_DEVICES_FIT", "negative", len=-1)
prefer.breaks("VALID_DEVICES_FIT", "more than there are", device_arr=(0,) * 64, len=64)
prefer.breaks("DEVICE_IS_THERE", device_arr=(99,))
prefer.also("none", device_arr=None, len=0)

flags = Entry.of("cudaSetDeviceFlags", lambda _: (4,))
flags.breaks("FLAGS_ARE_KNOWN", flags=3)
flags.breaks("FLAGS_ARE_KNOWN", "unknown", flags=256)
for value in (0, 8, 16, 128):
    flags.also(f"flags-{value}", flags=value)

told = Entry.of("cudaGetDeviceFlags")
told.null("flags", "RESULTS_ARE_GIVEN")

version = Entry.of("cudaRuntimeGetVersion")
version.null("runtimeVersion", "RESULTS_ARE_GIVEN")

library = Entry.of("cudaDriverGetVersion")
library.without("torn_down")
library.null("driverVersion", "RESULTS_ARE_GIVEN")

reset = Entry.of("cudaDeviceReset")


count.answers_inside()


@choose.after("its primary context is current")
def current(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    made = i.c.cuCtxGetCurrent()[1]
    assert made
    assert i.c.cuDevicePrimaryCtxRetain(0) == (0, made)


@start.also("nothing is current")
def nothing(w: World, _i: Invocation) -> Invocation:
    return fresh(w).call("cudaInitDevice", device=0, deviceFlags=0, flags=0)


def beside_another(w: World) -> Process:
    """Return a new process with two visible devices."""
    w.needs_devices(2)
    return fresh(w)


def used(a: Process | Thread) -> tuple[int, int]:
    """Return a thread's device, and the device of its next allocation."""
    _, current = a.c.cudaGetDevice()
    ordinal: int = a.ok.cuPointerGetAttribute(DEVICE_ORDINAL, a.ok.cudaMalloc(PAGE))
    return current, ordinal


@prefer.after("the first one is used, in this thread alone, until there is no list")
def first_of_the_list(w: World, _i: Invocation, _results: tuple[Plain, ...]) -> None:
    a = beside_another(w)
    a.ok.cudaSetValidDevices((1, 0), 2)
    assert a.c.cuCtxGetCurrent() == (0, 0)
    assert a.c.cuDevicePrimaryCtxGetState(1) == (0, 0, 0)
    assert used(a) == (1, 1)
    assert used(a.thread("other")) == (0, 0)
    assert a.c.cudaSetValidDevices((0, 7), 2) == (101,)
    assert used(a) == (1, 1)
    a.ok.cudaSetValidDevices(None, 0)
    assert used(a) == (0, 0)


@prefer.after("nothing is current")
def none_is_current(w: World, _i: Invocation, _results: tuple[Plain, ...]) -> None:
    a = beside_another(w)
    memory(a)
    a.ok.cudaSetValidDevices((1,), 1)
    assert a.c.cuCtxGetCurrent() == (0, 0)
    assert a.c.cuDevicePrimaryCtxGetState(0) == (0, 0, 1)
    assert used(a) == (1, 1)
    a.ok.cuCtxCreate(None, 0, 0)
    assert used(a) == (0, 0)
    a.ok.cudaSetValidDevices((1,), 1)
    assert used(a) == (1, 1)


@prefer.after("a thread that has called cudaSetDevice does not use the list")
def chosen(w: World, _i: Invocation, _results: tuple[Plain, ...]) -> None:
    a = beside_another(w)
    a.ok.cudaSetDevice(0)
    a.ok.cudaSetValidDevices((1,), 1)
    assert a.c.cuCtxGetCurrent() == (0, 0)
    assert used(a) == (0, 0)
    a.ok.cudaSetDevice(1)
    a.ok.cudaSetValidDevices((1,), 1)
    assert used(a) == (1, 0)
    assert used(a.thread("other")) == (0, 0)
    a.ok.cudaDeviceReset()
    a.ok.cudaSetValidDevices((1,), 1)
    assert used(a) == (1, 0)


@prefer.after("the context beneath is current")
def beneath(w: World, _i: Invocation, _results: tuple[Plain, ...]) -> None:
    a = beside_another(w)
    a.ok.cuInit(0)
    first = a.ok.cuCtxCreate(None, 0, 1)
    a.ok.cuCtxCreate(None, 0, 1)
    a.ok.cudaSetValidDevices((0,), 1)
    assert a.c.cuCtxGetCurrent() == (0, first)
    assert used(a) == (1, 1)


@prefer.after("cudaInitDevice and cudaSetDeviceFlags choose none")
def not_chosen(w: World, _i: Invocation, _results: tuple[Plain, ...]) -> None:
    a = beside_another(w)
    a.ok.cudaInitDevice(0, 0, 0)
    a.ok.cudaSetDeviceFlags(4)
    a.ok.cudaSetValidDevices((1,), 1)
    assert a.c.cudaGetDeviceFlags() == (0, 8)
    assert used(a) == (1, 1)
    a.ok.cudaDeviceReset()
    assert used(a) == (1, 1)


@flags.after("they are those of the context")
def of_context(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.c.cuCtxGetFlags() == i.c.cudaGetDeviceFlags() == (0, 12)


@flags.world("CONTEXT_IS_PRIMARY")
def of_the_driver(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


@flags.world("CONTEXT_IS_ALIVE")
def of_a_destroyed_one(_w: World, i: Invocation) -> None:
    destroyed(i.process)


@told.also("after a reset, which makes nothing")
def after_reset(_w: World, i: Invocation) -> None:
    i.process.ok.cudaSetDeviceFlags(4)
    i.process.ok.cudaDeviceReset()


@told.also("before there is a context")
def before(w: World, _i: Invocation) -> Invocation:
    return fresh(w).call("cudaGetDeviceFlags")


@library.world("LIBRARY_IS_UP")
def ending(_w: World, i: Invocation) -> None:
    i.process.begin_exit()


@library.after("the driver is initialised")
def initialised(w: World, _i: Invocation, _results: tuple[Plain, ...]) -> None:
    a = fresh(w)
    a.ok.cudaDriverGetVersion()
    assert a.c.cuDeviceGetCount()[0] == 0


@told.also("of a context of the driver API")
def of_driver(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxCreate(None, 4, 0)
    return i


@which.also("of a context of the driver API on another device")
def elsewhere(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)


@reset.after("memory is gone and the next call starts anew")
def gone(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.c.cuMemGetAddressRange(0)[0] == Result.CONTEXT_IS_DESTROYED
    memory(i.process)
    assert i.c.cuCtxGetDevice() == (0, 0)


@reset.also("with memory")
def with_memory(_w: World, i: Invocation) -> None:
    memory(i.process, PAGE)


@reset.also("of a context of the driver API")
def other(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


test_device = suite(count, which, choose, prefer, start, flags, told, version, library, reset)
