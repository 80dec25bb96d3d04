"""cuMemHostAlloc: allocate page-locked host memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import (
    DEVICE_MAP,
    PAGE,
    PORTABLE,
    WRITE_COMBINED,
    on_another_device,
    used_by_devices,
)
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

MIB = 1 << 20


def valid(w: World) -> Invocation:
    return w.process().call("cuMemHostAlloc", bytesize=PAGE, Flags=0)


def as_requested(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check size, alignment and mapping of the range, for any flags."""
    (ptr,) = results
    assert i.c.cuMemGetAddressRange(ptr) == (Result.SUCCESS, ptr, i.args["bytesize"])
    assert ptr % 512 == 0
    assert i.c.cuMemHostGetDevicePointer(ptr, 0) == (Result.SUCCESS, ptr)
    assert i.process.ok.cuMemHostGetFlags(ptr) & DEVICE_MAP


def large(w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that an allocation above 1 MiB is aligned to 2 MiB."""
    as_requested(w, i, results)
    assert results[0] % (2 * MIB) == 0


def nothing(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that an allocation of 0 bytes is null."""
    assert results == (0,)


entry = Entry("cuMemHostAlloc", valid, as_requested)
entry.null("pp", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_KNOWN", Flags=8)
entry.breaks("FLAGS_ARE_KNOWN", "high", Flags=1 << 31)
entry.breaks("MEMORY_SUFFICES", bytesize=1 << 46)

entry.also("no bytes", bytesize=0, then=nothing)
entry.also("no bytes, and no memory of the others", Flags=7, bytesize=0, then=nothing)
entry.also("portable", Flags=PORTABLE, then=as_requested)
entry.also("mapped", Flags=DEVICE_MAP, then=as_requested)
entry.also("write-combined", Flags=WRITE_COMBINED, then=as_requested)
entry.also("devices read and write write-combined memory", Flags=WRITE_COMBINED, then=used_by_devices)
entry.also("devices read and write 3 MiB", bytesize=3 * MIB, then=used_by_devices)
entry.also("all flags", Flags=PORTABLE | DEVICE_MAP | WRITE_COMBINED, then=as_requested)
for size in (1, 511, 513, MIB):
    entry.also(f"{size} bytes", bytesize=size, then=as_requested)
for size in (MIB + 1, 2 * MIB, 2 * MIB + 1):
    entry.also(f"{size} bytes", bytesize=size, then=large)


entry.after("devices read and write it")(used_by_devices)


@entry.after("it has no IPC handle")
def no_handle(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert i.c.cuIpcGetMemHandle(results[0]) == (Result.INVALID_VALUE, None)


@entry.also("the flags come before the memory")
def flags_first(_: World, i: Invocation) -> None:
    assert i.c.cuMemHostAlloc(1 << 46, 8) == (Result.INVALID_VALUE, None)
    assert i.c.cuMemHostAlloc(0, 8) == (Result.INVALID_VALUE, None)


entry.also("on another device")(on_another_device)


@entry.also("it dies with its context")
def dies_with_its_context(_: World, i: Invocation) -> None:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    ptr = i.process.ok.cuMemHostAlloc(PAGE, PORTABLE)
    i.process.ok.cuCtxDestroy(context)
    assert i.c.cuMemHostGetFlags(ptr) == (Result.INVALID_VALUE, None)


@entry.also("another context may use it")
def other_context(_: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)
    ptr = i.process.ok.cuMemHostAlloc(PAGE, 0)
    i.process.ok.cuCtxPopCurrent()
    i.process.ok.cuMemsetD8(ptr, 1, 16)


test_mem_host_alloc = entry.test()
