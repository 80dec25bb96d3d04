"""cuMemAllocManaged: allocate memory that host and devices share.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.memory.fixtures import (
    ATTACH_GLOBAL,
    ATTACH_HOST,
    PAGE,
    on_another_device,
    used_by_devices,
)
from conformance.cases.driver.va.fixtures import on_model
from conformance.kit.case import Entry
from fakecuda.profiles import load
from fakecuda.rules.driver.memory.mem_alloc_managed import SUPPORTED
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

MIB = 1 << 20


def valid(w: World) -> Invocation:
    return w.process().call("cuMemAllocManaged", bytesize=PAGE, flags=ATTACH_GLOBAL)


def as_requested(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the size of the range, and its alignment."""
    (ptr,) = results
    assert i.c.cuMemGetAddressRange(ptr) == (Result.SUCCESS, ptr, i.args["bytesize"])
    assert ptr % 512 == 0


def large(w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that an allocation above 1 MiB is aligned to 2 MiB."""
    as_requested(w, i, results)
    assert results[0] % (2 * MIB) == 0


entry = Entry("cuMemAllocManaged", valid, as_requested)
entry.null("dptr", "RESULT_IS_GIVEN")
entry.breaks("SIZE_IS_POSITIVE", bytesize=0)
entry.breaks("FLAGS_ARE_KNOWN", "none", flags=0)
entry.breaks("FLAGS_ARE_KNOWN", "both", flags=ATTACH_GLOBAL | ATTACH_HOST)
entry.breaks("FLAGS_ARE_KNOWN", "single", flags=4)
entry.breaks("FLAGS_ARE_KNOWN", "beyond the last", flags=8)
entry.breaks("ADDRESSES_SUFFICE", bytesize=1 << 48)

entry.also("attached to the host", flags=ATTACH_HOST, then=as_requested)
for size in (1, 513, MIB):
    entry.also(f"{size} bytes", bytesize=size, then=as_requested)
for size in (MIB + 1, 2 * MIB + 1):
    entry.also(f"{size} bytes", bytesize=size, then=large)


entry.after("devices read and write it")(used_by_devices)
entry.also("devices read and write 3 MiB", bytesize=3 * MIB, then=used_by_devices)


@entry.after("cuMemFree frees it")
def freed(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    i.process.ok.cuMemFree(results[0])
    assert i.c.cuMemGetAddressRange(results[0]) == (Result.NOT_FOUND, None, None)


@entry.after("it has no IPC handle")
def no_handle(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert i.c.cuIpcGetMemHandle(results[0]) == (Result.INVALID_VALUE, None)


entry.also("on another device")(on_another_device)


@entry.also("another context may use it")
def other_context(_: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)
    ptr = i.process.ok.cuMemAllocManaged(PAGE, ATTACH_GLOBAL)
    i.process.ok.cuCtxPopCurrent()
    i.process.ok.cuMemsetD8(ptr, 1, 16)


@entry.also("it dies with its context")
def dies_with_its_context(_: World, i: Invocation) -> None:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    ptr = i.process.ok.cuMemAllocManaged(PAGE, ATTACH_GLOBAL)
    i.process.ok.cuCtxDestroy(context)
    assert i.c.cuMemGetAddressRange(ptr) == (Result.NOT_FOUND, None, None)


@entry.also("arguments come before cuInit and the context")
def arguments_first(w: World, i: Invocation) -> None:
    bare = w.process(init=False, context=False)
    for door in (bare.c, i.process.thread("bare").c):
        assert door.cuMemAllocManaged(0, ATTACH_GLOBAL) == (Result.INVALID_VALUE, None)
        assert door.cuMemAllocManaged(PAGE, 0) == (Result.INVALID_VALUE, None)
        assert door.cuMemAllocManaged(PAGE, ATTACH_GLOBAL, null="dptr") == (Result.INVALID_VALUE, None)


test_mem_alloc_managed = entry.test()


def test_managed_memory_is_supported() -> None:
    first, *others = load("h200-x2").devices
    old = attrs.evolve(first, attributes=first.attributes | {SUPPORTED: 0})
    on_model(entry, "MANAGED_MEMORY_IS_SUPPORTED", Result.NOT_SUPPORTED, lambda *_: None, devices=(old, *others))
