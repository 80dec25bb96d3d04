"""cuMulticastBindMem: bind memory to a range of a multicast object.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.multicast.fixtures import (
    RUBIN,
    SIZE,
    bound,
    check_described,
    holds,
    mapped,
    memory,
    refuse_bindings,
    team,
)
from conformance.cases.driver.va.fixtures import HOST_NUMA, content, released
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, POSIX
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

HALF = SIZE // 2


def valid(w: World) -> Invocation:
    a = w.process()
    object_ = team(w, a)
    args: dict[str, Plain] = {"mcOffset": 0, "memHandle": memory(a), "memOffset": 0, "size": HALF, "flags": 0}
    return a.call("cuMulticastBindMem", mcHandle=object_, **args)


def unbound(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the memory can be unbound, only by its device."""
    i.process.ok.cuMulticastUnbind(i.args["mcHandle"], 0, i.args["mcOffset"], i.args["size"])


entry = Entry("cuMulticastBindMem", valid, unbound)
refuse_bindings(entry)
entry.breaks("HANDLE_IS_GIVEN", "memHandle", memHandle=0)
entry.undefined("HANDLE_IS_HELD", "memory", code=Result.INVALID_VALUE, memHandle=lambda i: released(i.process))
entry.breaks("MEMORY_IS_NO_MULTICAST", memHandle=lambda i: i.args["mcHandle"])
entry.breaks("MEMORY_IS_ALIGNED", memOffset=4096)
entry.breaks("MEMORY_IS_ALIGNED", "256 bytes", memOffset=256)
entry.breaks("RANGE_LIES_IN_THE_MEMORY", memOffset=SIZE)
entry.breaks("RANGE_LIES_IN_THE_MEMORY", "by a granule", memOffset=HALF + GRANULE)
entry.breaks("DEVICE_IS_OF_THE_TEAM", "the host's", memHandle=lambda i: memory(i.process, kind=HOST_NUMA))
entry.breaks("MEMORY_IS_SHAREABLE", memHandle=lambda i: memory(i.process, handle_types=0))
entry.also("at the end of both", mcOffset=HALF, memOffset=HALF, then=unbound)
entry.also("all of both", size=SIZE, then=unbound)


@entry.also("the same range for another device", then=unbound)
def other_device(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuMulticastBindMem(i.args["mcHandle"], 0, memory(i.process, 1), 0, HALF, 0)
    return i


@entry.also("ranges that adjoin", then=unbound)
def adjoining(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuMulticastBindMem(i.args["mcHandle"], HALF, i.args["memHandle"], HALF, HALF, 0)
    return i


@entry.also("memory that is not shared", then=unbound)
def private(w: World, i: Invocation) -> Invocation:
    """Return the call with memory and an object that are not shared."""
    a = i.process
    return i.evolve(mcHandle=team(w, a, handle_types=0), memHandle=memory(a, handle_types=0))


@entry.also("shareable memory to an object that is not", then=unbound)
def shareable(w: World, i: Invocation) -> Invocation:
    return i.evolve(mcHandle=team(w, i.process, handle_types=0))


@entry.also("memory of another process", then=unbound)
def imported(w: World, i: Invocation) -> Invocation:
    b = w.process()
    descriptor = b.ok.cuMemExportToShareableHandle(memory(b), POSIX, 0)
    return i.evolve(memHandle=i.process.ok.cuMemImportFromShareableHandle(descriptor, POSIX))


@entry.also("what is written reaches every device")
def everywhere(w: World, i: Invocation) -> None:
    a = i.process
    ptr, places = bound(w, a)
    a.ok.cuMemsetD8(ptr, 1, SIZE)
    holds(a, places, b"\1" * 4)
    a.ok.cuMemsetD8(ptr + HALF, 2, 16)
    holds(a, [place + HALF - 2 for place in places], b"\1\1\2\2")
    a.ok.cuMemsetD16(ptr + 4, 0x0403, 2)
    a.ok.cuMemsetD32(ptr + 8, 0x08070605, 1)
    holds(a, [place + 4 for place in places], bytes((3, 4, 3, 4, 5, 6, 7, 8)))
    a.ok.cuMemcpyHtoD(ptr + 1, b"abc", 3)
    holds(a, places, b"\1abc")
    a.ok.cuMemcpyDtoD(ptr + GRANULE, ptr, 8)
    holds(a, [place + GRANULE for place in places], b"\1abc\3\4\3\4")
    assert content(a, ptr, 8) == b"\1abc\3\4\3\4"


@entry.also("what is read is the first device's")
def first(w: World, i: Invocation) -> None:
    a = i.process
    ptr, (one, other) = bound(w, a)
    a.ok.cuMemcpyHtoD(one, b"mine", 4)
    a.ok.cuMemcpyHtoD(other, b"your", 4)
    assert content(a, ptr) == b"mine"
    a.ok.cuMemcpyDtoD(ptr + 8, ptr, 4)
    holds(a, [one + 8, other + 8], b"mine")


@entry.also("where nothing is bound nothing is written")
def holes(w: World, i: Invocation) -> None:
    a = i.process
    object_ = team(w, a)
    one, other = memory(a), memory(a, 1)
    a.ok.cuMulticastBindMem(object_, GRANULE, one, 0, HALF, 0)
    a.ok.cuMulticastBindMem(object_, HALF, other, GRANULE, GRANULE, 0)
    ptr, mine, yours = mapped(a, object_), mapped(a, one), mapped(a, other)
    a.ok.cuMemsetD8(ptr, 7, SIZE)
    assert [content(a, mine + n * GRANULE) for n in range(4)] == [b"\7" * 4, b"\7" * 4, bytes(4), bytes(4)]
    assert [content(a, yours + n * GRANULE) for n in range(4)] == [bytes(4), b"\7" * 4, bytes(4), bytes(4)]
    assert [content(a, ptr + n * GRANULE) for n in range(4)] == [bytes(4), b"\7" * 4, b"\7" * 4, bytes(4)]


test_multicast_bind_mem = entry.test()


def test_the_system_is_ready() -> None:
    """Binding needs the switches' software, and a system without errors."""
    check_described(entry, "SYSTEM_IS_READY", Result.SYSTEM_NOT_READY, state="not ready")
    check_described(entry, "SYSTEM_IS_LEGAL", Result.ILLEGAL_STATE, state="illegal")


def test_resources_suffice() -> None:
    """Unbinding releases resources, which each device has of its own."""

    def others(_: World, i: Invocation) -> None:
        a, object_ = i.process, i.args["mcHandle"]
        a.ok.cuMulticastBindMem(object_, 0, memory(a, 1), 0, HALF, 0)
        i.run()
        a.ok.cuMulticastUnbind(object_, 0, 0, HALF)
        a.ok.cuMulticastBindMem(object_, HALF, i.args["memHandle"], 0, HALF, 0)

    check_described(entry, "RESOURCES_SUFFICE", Result.OUT_OF_MEMORY, others, bindings=1)


def test_unaligned_memory() -> None:
    """Some devices accept multiples of 256 bytes, with one more granule of the object."""

    def crowded(_: World, i: Invocation) -> Invocation:
        a, object_, handle = i.process, i.args["mcHandle"], i.args["memHandle"]
        a.ok.cuMulticastBindMem(object_, 0, handle, 256, GRANULE, 0)
        assert a.c.cuMulticastBindMem(object_, GRANULE, handle, 0, GRANULE, 0) == (Result.INVALID_VALUE,)
        a.ok.cuMulticastBindMem(object_, HALF, handle, 0, GRANULE, 0)
        return i.evolve(mcOffset=HALF + GRANULE, memOffset=256, size=GRANULE)

    check_described(entry, "RANGE_LIES_IN_THE_OBJECT", Result.INVALID_VALUE, crowded, devices=RUBIN)
    check_described(
        entry,
        "MEMORY_IS_ALIGNED",
        Result.INVALID_VALUE,
        lambda _, i: i.evolve(memOffset=128),
        devices=RUBIN,
    )

    def full(_: World, i: Invocation) -> Invocation:
        a, object_, handle = i.process, i.args["mcHandle"], i.args["memHandle"]
        a.ok.cuMulticastBindMem(object_, 0, handle, 256, GRANULE, 0)
        a.ok.cuMulticastUnbind(object_, 0, 0, GRANULE)
        a.ok.cuMulticastBindMem(object_, 0, handle, 512, GRANULE, 0)
        a.ok.cuMulticastBindMem(object_, HALF, memory(a, 1), 256, GRANULE, 0)
        return i.evolve(mcOffset=HALF, memOffset=256, size=GRANULE)

    check_described(entry, "UNALIGNED_SUFFICES", Result.MULTICAST_RESOURCE_FULL, full, devices=RUBIN, unaligned=1)


def test_unaligned_memory_is_written_where_it_lies() -> None:
    """Unaligned memory is written at its place; aligned memory can still be bound."""

    def shifted(_: World, i: Invocation) -> Invocation:
        a, object_, handle = i.process, i.args["mcHandle"], i.args["memHandle"]
        a.ok.cuMulticastBindMem(object_, 0, handle, 256, GRANULE, 0)
        ptr, place = mapped(a, object_), mapped(a, handle)
        a.ok.cuMemsetD8(ptr, 9, 2 * GRANULE)
        assert content(a, place + 254) == b"\0\0\11\11"
        assert content(a, ptr + GRANULE) == bytes(4)
        assert content(a, place + 254 + GRANULE) == b"\11\11\0\0"
        a.ok.cuMulticastBindMem(object_, HALF, handle, 0, GRANULE, 0)
        return i.evolve(mcOffset=HALF - GRANULE, memOffset=256, size=GRANULE)  # it takes one granularity more

    check_described(
        entry,
        "RANGE_IS_FREE",
        Result.INVALID_VALUE,
        shifted,
        devices=RUBIN,
        unaligned=1,
    )
