"""Memory of HIP on devices, and host memory that devices access."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import attrs

from conformance.cases.hip.both import both
from conformance.cases.hip.fixtures import (
    ALL,
    HUGE,
    NEW,
    NOWHERE,
    OLD,
    SIZE,
    G,
    entries,
    freed,
    host,
    mapped,
    memory,
    new,
    pinned,
    pooled,
    registered,
    registered_over,
)
from conformance.kit.case import suite
from conformance.kit.program import MAIN
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.cases.hip.both import Calls
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

COHERENT = 0x40000000


def reset(a: Process, thread: str = MAIN) -> int:
    """Return the address of memory from before a thread reset its device."""
    address = memory(a)
    a.thread(thread).ok.hipDeviceReset()
    return address


def let_go(a: Process) -> int:
    """Return the address of freed page-locked memory."""
    address = pinned(a)
    a.ok.hipHostFree(address)
    return address


every = entries(
    {
        "hipMemGetInfo": None,
        **{f"hip{name}": lambda _: (SIZE,) for name in ("Malloc", "MallocHost", "MemAllocHost")},
        **{f"hip{name}": lambda _: (SIZE, 0) for name in ("ExtMallocWithFlags", "HostAlloc", "HostMalloc")},
        **{f"hip{name}": lambda a: (memory(a),) for name in ("Free", "MemGetAddressRange", "MemPtrGetInfo")},
        **{f"hip{name}": lambda a: (pinned(a),) for name in ("FreeHost", "HostFree")},
        "hipMallocManaged": lambda _: (SIZE, 1),
        "hipMallocPitch": lambda _: (64, 4),
        "hipMemAllocPitch": lambda _: (64, 4, 4),
    }
)
flagged = every["hipExtMallocWithFlags"]
flagged.breaks("MALLOC_FLAGS_ARE_KNOWN", flags=1 << 20)
flagged.breaks("MALLOC_FLAGS_ARE_KNOWN", "2", flags=2)
flagged.breaks("MALLOC_FLAGS_ARE_KNOWN", "2 of no bytes", flags=2, sizeBytes=0)
for kind in (0, 1):
    flagged.breaks("MEMORY_SUFFICES", f"all with flags {kind}", sizeBytes=ALL, flags=kind)


@flagged.also("2 without a place", rule="MALLOC_FLAGS_ARE_KNOWN")
def placeless(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i.evolve(flags=2), null="ptr")


flagged.also("finely grained", flags=1)
flagged.also("uncached", flags=3)
flagged.only(NEW, "uncached")
for call in ("hipFree", "hipFreeHost", "hipHostFree"):
    one = every[call]
    one.breaks("POINTER_IS_A_BASE", "nothing", ptr=NOWHERE)
    one.breaks("POINTER_IS_A_BASE", "the host's", ptr=new(host))
    one.breaks("POINTER_IS_A_BASE", "freed", ptr=new(freed))
    one.breaks("POINTER_IS_A_BASE", "a reset device's", ptr=new(reset))
    one.breaks("POINTER_IS_A_BASE", "reset by another thread", ptr=new(reset, "other"))
    one.breaks("POINTER_IS_A_BASE", "page-locked and freed", ptr=new(let_go))
    one.undefined("POINTER_IS_THE_FIRST", code=0, ptr=lambda i: i.args["ptr"] + 8)
    one.undefined("MEMORY_IS_ALLOCATED", "mapped", code=0, ptr=new(mapped))
for call in ("hipFreeHost", "hipHostFree"):
    every[call].breaks("POINTER_IS_A_BASE", "registered", ptr=new(registered))
    every[call].breaks("POINTER_IS_A_BASE", "registered over", ptr=new(registered_over))
every["hipHostAlloc"].breaks("ALLOC_FLAGS_ARE_KNOWN", flags=1 << 20)
every["hipHostAlloc"].breaks("ALLOC_FLAGS_ARE_KNOWN", "of no bytes", size=0, flags=8)

locked = every["hipHostMalloc"]
locked.breaks("HOST_FLAGS_AGREE", "coherent or not", flags=0xC0000000)
locked.breaks("HOST_FLAGS_AGREE", "uncached", flags=0x90000000)
locked.only(NEW, "HOST_FLAGS_AGREE-uncached")

for name, wrong in {"size": 0, "flags": 0}.items():
    every["hipMallocManaged"].breaks("MANAGED_MAKES_SENSE", name, **{name: wrong})
every["hipMallocManaged"].breaks("MANAGED_MAKES_SENSE", "unknown flags", flags=4)
every["hipMallocManaged"].breaks("MEMORY_SUFFICES", size=ALL)

for call in ("hipMallocPitch", "hipMemAllocPitch"):
    every[call].breaks("WIDTH_CAN_BE_PADDED", **{every[call].inputs[0]: ALL})
area = every["hipMemAllocPitch"]
area.breaks("AREA_IS_POSITIVE", "no width", widthInBytes=0)
area.breaks("AREA_IS_POSITIVE", "no height", height=0)
area.breaks("AREA_IS_POSITIVE", "before its elements", height=0, elementSizeBytes=3)
area.breaks("ELEMENT_SIZE_IS_KNOWN", elementSizeBytes=3)

span = every["hipMemGetAddressRange"]
span.breaks("POINTER_IS_IN_MEMORY", dptr=NOWHERE)
for name in ("pbase", "psize"):
    span.null(name, "RESULT_IS_GIVEN")
span.only(OLD, "RESULT_IS_GIVEN")
every["hipMemPtrGetInfo"].breaks("SIZE_CAN_BE_TOLD", ptr=NOWHERE)

for call in ("hipMalloc", "hipMallocManaged"):
    every[call].breaks("MEMORY_SUFFICES", "all", size=ALL)
every["hipMalloc"].breaks("MEMORY_SUFFICES", size=HUGE)
for call in ("hipHostAlloc", "hipHostMalloc"):
    every[call].breaks("MEMORY_SUFFICES", size=HUGE)
    every[call].breaks("MEMORY_SUFFICES", "all", size=ALL)
every["hipHostAlloc"].breaks("ALLOC_FLAGS_ARE_KNOWN", "of a bit", flags=0x100)
locked.breaks("HOST_FLAGS_AGREE", "all", flags=(1 << 32) - 1)
locked.also("coherent or not, no bytes", size=0, flags=0xC0000000)
every["hipMallocPitch"].breaks("MEMORY_SUFFICES", height=HUGE)
every["hipMallocPitch"].breaks("MEMORY_SUFFICES", "all", height=ALL)
span.breaks("POINTER_IS_IN_MEMORY", "freed", dptr=new(freed))
span.breaks("POINTER_IS_IN_MEMORY", "past the end", dptr=lambda i: i.args["dptr"] + SIZE + 1)
every["hipFree"].also("of a pool", ptr=new(pooled))
every["hipHostFree"].also("of a device", ptr=new(memory))
every["hipMemGetInfo"].null("free", None)
every["hipMemPtrGetInfo"].also("null", ptr=0, then=lambda _w, _i, results: _same(results[0], 0))
every["hipMemPtrGetInfo"].only(NEW, "null")


def _same(found: Plain, expected: Plain) -> None:
    assert found == expected


@both("Malloc", "sizes")
def sizes(c: Calls, first: int) -> None:
    """Check the alignment of each size, and null for 0."""
    assert first % 256 == 0
    assert all(c.Malloc(size) % 256 == 0 for size in (1, 10, 100, SIZE, G))
    assert c.Malloc(0) == 0


@flagged.after("sizes")
def flagged_sizes(_w: World, i: Invocation, _r: tuple[int]) -> None:
    c = i.process.ok
    assert all(c.hipExtMallocWithFlags(size, 0) % 256 == 0 for size in (1, 10, 100, SIZE, G))
    assert c.hipExtMallocWithFlags(0, 0) == 0


def written_by_a_device(c: Calls, address: int) -> None:
    """Check that a device can write host memory, which is then freed."""
    c.Memset(address, 6, SIZE)
    assert c.holds(address, 6)
    c.FreeHost(address)


for call in ("HostAlloc", "MallocHost"):
    both(call, "written by a device")(written_by_a_device)


def reached(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the host reads what a device has written."""
    c, address = i.process.ok, results[0]
    c.hipMemset(address, 6, SIZE)
    c.hipDeviceSynchronize()
    assert ctypes.string_at(address, SIZE) == bytes([6]) * SIZE
    c.hipHostFree(address)


locked.also("coherent", flags=COHERENT, then=reached)
locked.after("written by a device")(reached)


@locked.after("freed by other threads")
def in_threads(w: World, i: Invocation, results: tuple[int]) -> None:
    for address in (*results, *(pinned(i.process) for _ in range(3))):
        i.process.thread(w.thread_name()).ok.hipHostFree(address)


@both("MallocManaged", "written by each device")
def managed_by_each(c: Calls, _first: int) -> None:
    for number in (0, 1):
        c.SetDevice(number)
        for address in [c.MallocManaged(SIZE, 1) for _ in range(4)]:
            c.Memset(address, number + 1, SIZE)
            assert c.holds(address, number + 1)
            c.Free(address)


@every["hipMallocManaged"].after("read by the host")
def managed_of_the_host(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the host reads what a device has written."""
    i.process.ok.hipMemset(results[0], 3, SIZE)
    i.process.ok.hipDeviceSynchronize()
    assert ctypes.string_at(results[0], SIZE) == bytes([3]) * SIZE


AREAS = (1, 1), (100, 7), (513, 4)
"""Widths and heights of areas."""


def lie_apart(width: int, address: int, pitch: int) -> None:
    """Check that rows are aligned and do not overlap."""
    assert address % 256 == pitch % 256 == 0
    assert pitch >= width


@both("MallocPitch", "rows lie apart")
def pitches(c: Calls, _address: int, _pitch: int) -> None:
    for width, height in AREAS:
        lie_apart(width, *c.MallocPitch(width, height))
    assert all(not c.MallocPitch(*nothing)[0] for nothing in ((0, 1), (1, 0), (0, 0)))


@area.after("rows lie apart")
def pitches_of_elements(_w: World, i: Invocation, _r: tuple[int, int]) -> None:
    for width, height in AREAS:
        lie_apart(width, *i.process.ok.hipMemAllocPitch(width, height, 4))


@both("MallocPitch", "rows that come back")
def rows(c: Calls, _address: int, _pitch: int) -> None:
    """Check that rows are unchanged after a copy to pitched memory and back."""
    padded, pitch = c.MallocPitch(100, 4)
    there, back = c.Malloc(400), c.Malloc(400)
    c.Memset(there, 2, 400)
    c.Memcpy2D(padded, pitch, there, 100, 100, 4, 3)
    c.Memcpy2D(back, 100, padded, pitch, 100, 4, 3)
    assert c.content(back, 400) == bytes([2]) * 400


@span.after("of an address in memory")
def spans(_w: World, i: Invocation, _r: tuple[int, int]) -> None:
    """Check the range of memory, for any address in it."""
    c = i.process.ok
    padded, pitch = c.hipMallocPitch(100, 4)
    for address, size in ((memory(i.process), SIZE), (pinned(i.process), SIZE), (padded, 4 * pitch)):
        for offset in (0, 1, size - 1):
            assert c.hipMemGetAddressRange(address + offset) == (address, size)


@both("MemGetInfo", "less is free than there is")
def less_is_free(c: Calls, _free: int, _total: int) -> None:
    assert c.Malloc(SIZE)
    free, total = c.MemGetInfo()
    assert free < total


@every["hipFree"].undefined("MEMORY_IS_ALLOCATED", "registered", code=0)
def of_a_registration(_w: World, i: Invocation) -> Invocation:
    return i.evolve(ptr=registered(i.process))


@every["hipFree"].undefined("MEMORY_IS_ALLOCATED", "opened", code=0)
def of_another_process(w: World, i: Invocation) -> Invocation:
    other = w.process_of("hipInit")
    handle = other.ok.hipIpcGetMemHandle(memory(other))
    return i.evolve(ptr=i.process.ok.hipIpcOpenMemHandle(handle, 1))


@every["hipFree"].after("further in, twice")
def freed_whole(_w: World, i: Invocation, _r: tuple[()]) -> None:
    """Check that memory can be freed by an address inside it."""
    address = memory(i.process)
    i.process.ok.hipFree(address + 8)
    assert i.c.hipFree(address) == (Result.INVALID_VALUE,)


test_memory = suite(*every.values())
