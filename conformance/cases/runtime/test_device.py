"""Devices of the runtime API: which one a thread uses, its flags, its reset.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import PAGE, destroyed, fresh, memory
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

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


test_device = suite(count, which, choose, start, flags, told, version, library, reset)
