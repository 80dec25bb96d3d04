"""cuMemHostRegister: page-lock host memory that the caller owns.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.memory.fixtures import (
    DEVICE_MAP,
    PAGE,
    PORTABLE,
    READ_ONLY,
    pointers,
    registered,
    seen_alike,
)
from conformance.cases.driver.va.fixtures import content, freed, on_model
from conformance.kit.case import Entry
from fakecuda.profiles import load
from fakecuda.rules.driver.memory.mem_host_register import IO_MEMORY, SUPPORTED
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

ROOM = 16 * PAGE


def valid(w: World) -> Invocation:
    """Register the first two pages of sixteen."""
    a = w.process()
    return a.call("cuMemHostRegister", p=a.host_memory(ROOM), bytesize=2 * PAGE, Flags=0)


def to_the_byte(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that devices know exactly the bytes of the range."""
    ptr, size = i.args["p"], i.args["bytesize"]
    assert i.c.cuMemGetAddressRange(ptr + size - 1) == (Result.SUCCESS, ptr, size)
    assert i.c.cuMemHostGetFlags(ptr + size) == (Result.INVALID_VALUE, None)
    assert i.c.cuMemHostGetFlags(ptr - 1) == (Result.INVALID_VALUE, None)
    assert i.c.cuMemHostGetDevicePointer(ptr, 0) == (Result.SUCCESS, ptr)


entry = Entry("cuMemHostRegister", valid, to_the_byte)
entry.breaks("POINTER_IS_GIVEN", p=0)
entry.breaks("SIZE_IS_POSITIVE", bytesize=0)
entry.breaks("FLAGS_ARE_KNOWN", Flags=16)
entry.breaks("FLAGS_ARE_KNOWN", "high", Flags=1 << 31)
for kind, args in pointers("p", "linear", "pinned", "managed", "mapped"):
    entry.breaks("RANGE_IS_THE_CALLERS", kind, **args)
entry.breaks("MEMORY_IS_IO_MEMORY", Flags=IO_MEMORY)
entry.breaks("RANGE_DOES_NOT_WRAP", bytesize=(1 << 64) - 1)
entry.breaks("SIZE_IS_SUPPORTED", bytesize=1 << 62)
entry.breaks("SIZE_IS_SUPPORTED", "half of all addresses", bytesize=1 << 63)
entry.breaks("RANGE_IS_MAPPED", "nowhere", p=0x3FF0_0000_0000)
entry.breaks("RANGE_IS_MAPPED", "low", p=1 << 16)
entry.breaks("RANGE_IS_MAPPED", "reserved", p=lambda i: i.process.ok.cuMemAddressReserve(2 << 20, 0, 0, 0))
entry.breaks("RANGE_IS_MAPPED", "freed", p=lambda i: freed(i.process, 4 << 20))
entry.breaks("RANGE_IS_NOT_REGISTERED", "another", p=lambda i: registered(i.process, 2 * PAGE))


@entry.world("MEMORY_IS_IO_MEMORY", "and its last byte is registered")
def overlooked(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuMemHostRegister(i.args["p"] + 2 * PAGE - 1, PAGE, 0)
    return i.evolve(Flags=IO_MEMORY)


@entry.world("RANGE_IS_NOT_REGISTERED", "all of a registered one in I/O memory")
def in_io_memory(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuMemHostRegister(i.args["p"] + PAGE, PAGE, 0)
    return i.evolve(Flags=IO_MEMORY)


@entry.world("RANGE_IS_NOT_REGISTERED")
def again(_: World, i: Invocation) -> None:
    i.process.ok.cuMemHostRegister(i.args["p"], 2 * PAGE, 0)


@entry.world("RANGE_IS_NOT_REGISTERED", "its last byte")
def last_byte(_: World, i: Invocation) -> None:
    i.process.ok.cuMemHostRegister(i.args["p"] + 2 * PAGE - 1, PAGE, 0)


@entry.world("RANGE_IS_NOT_REGISTERED", "its first byte")
def first_byte(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuMemHostRegister(i.args["p"], PAGE, 0)
    return i.evolve(p=i.args["p"] + PAGE - 1)


@entry.world("RANGE_IS_NOT_REGISTERED", "a part inside")
def inside(_: World, i: Invocation) -> None:
    i.process.ok.cuMemHostRegister(i.args["p"] + 100, 100, 0)


@entry.world("RANGE_IS_NOT_REGISTERED", "and runs on where nothing is mapped")
def runs_on(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuMemHostRegister(i.args["p"], PAGE, 0)
    return i.evolve(bytesize=1 << 46)


entry.also("part of a page", p=lambda i: i.args["p"] + 100, bytesize=100, then=to_the_byte)
entry.also("across a page's end", p=lambda i: i.args["p"] + 100, then=to_the_byte)
for flags in (PORTABLE, DEVICE_MAP, PORTABLE | DEVICE_MAP):
    entry.also(f"flags {flags}", Flags=flags, then=to_the_byte)


@entry.also("registered memory comes before I/O memory")
def registered_first(_: World, i: Invocation) -> None:
    ptr = registered(i.process)
    assert i.c.cuMemHostRegister(ptr, PAGE, IO_MEMORY) == (Result.HOST_MEMORY_ALREADY_REGISTERED,)


@entry.also("the driver's memory comes before registered memory")
def drivers_first(_: World, i: Invocation) -> None:
    """Check that the memory of the first byte decides."""
    registered(i.process)
    assert i.c.cuMemHostRegister(i.process.ok.cuMemAlloc(PAGE), 1 << 46, 0) == (Result.INVALID_VALUE,)


@entry.also("beside others")
def beside(_: World, i: Invocation) -> None:
    """Check that parts of one page can be registered separately."""
    a, ptr = i.process, i.args["p"]
    for start, size in ((2 * PAGE, PAGE), (8 * PAGE + 100, 100), (8 * PAGE + 200, 100), (8 * PAGE + 50, 50)):
        a.ok.cuMemHostRegister(ptr + start, size, 0)
    assert a.ok.cuMemGetAddressRange(ptr + 8 * PAGE + 199) == (ptr + 8 * PAGE + 100, 100)


@entry.also("again after it was unregistered")
def once_more(_: World, i: Invocation) -> None:
    i.process.ok.cuMemHostRegister(i.args["p"], 2 * PAGE, 0)
    i.process.ok.cuMemHostUnregister(i.args["p"])


@entry.after("devices read and write it")
def contents(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    a, ptr = i.process, i.args["p"]
    a.ok.cuMemcpyHtoD(ptr, b"abcd", 4)
    a.ok.cuMemsetD8(ptr + 1, 120, 2)
    assert content(a, ptr) == b"axxd"


@entry.also("devices only read what is registered as read-only")
def read_only(_: World, i: Invocation) -> None:
    a = i.process
    ptr = registered(a, flags=READ_ONLY)
    assert a.c.cuMemcpyHtoD(ptr, b"abcd", 4)[0] == Result.INVALID_VALUE
    assert a.c.cuMemsetD8(ptr, 1, 4) == (Result.INVALID_VALUE,)
    assert content(a, ptr) == bytes(4)


@entry.after("the host keeps what devices wrote")
def stays(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the registered memory belongs to the caller."""
    a, ptr = i.process, i.args["p"]
    seen_alike(a, ptr, i.args["bytesize"])
    a.ok.cuMemHostUnregister(ptr)
    assert a.read(ptr, 6) == b"dxxice"


@entry.also("another context may use it")
def other_context(_: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)
    ptr = registered(i.process)
    i.process.ok.cuCtxPopCurrent()
    i.process.ok.cuMemsetD8(ptr, 1, 16)


@entry.also("it ends with its context")
def ends_with_its_context(_: World, i: Invocation) -> None:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    ptr = registered(i.process)
    i.process.ok.cuCtxDestroy(context)
    assert i.c.cuMemHostUnregister(ptr) == (Result.HOST_MEMORY_NOT_REGISTERED,)


test_mem_host_register = entry.test()


def test_read_only_is_supported() -> None:
    first, *others = load("h200-x2").devices
    old = attrs.evolve(first, attributes=first.attributes | {SUPPORTED: 0})
    on_model(
        entry,
        "READ_ONLY_IS_SUPPORTED",
        Result.NOT_SUPPORTED,
        lambda _, i: i.evolve(Flags=READ_ONLY),
        devices=(old, *others),
    )


def test_read_only_is_said() -> None:
    def protected(_: World, i: Invocation) -> None:
        protect = ctypes.CDLL(None).mprotect
        assert protect(ctypes.c_void_p(i.args["p"]), ctypes.c_size_t(ROOM), mmap.PROT_READ) == 0

    on_model(entry, "READ_ONLY_IS_SAID", Result.INVALID_VALUE, protected)


def test_addresses_of_cuda_3_1_run_out() -> None:
    """In a context of CUDA 3.1, memory for devices needs addresses below 4 GiB."""

    def full(w: World, i: Invocation) -> Invocation:
        a = w.process(context=False)
        a.ok.cuCtxCreate_v1(0, 0)
        a.ok.cuMemAlloc_v1(a.ok.cuMemGetInfo_v1()[0])
        return attrs.evolve(i, process=a, args={**i.args, "p": a.host_memory(ROOM), "Flags": DEVICE_MAP})

    on_model(entry, "MEMORY_SUFFICES", Result.OUT_OF_MEMORY, full)
