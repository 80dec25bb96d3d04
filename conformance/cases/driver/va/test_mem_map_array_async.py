"""cuMemMapArrayAsync: a stream maps memory to sparse or deferred-mapping arrays.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.array.fixtures import DEFERRED, GARBAGE, LAYERED, SIDE, SPARSE, UINT8, array, gone, later
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, refuse, stream
from conformance.cases.driver.va.fixtures import (
    MEMBERS,
    MIPMAPPED,
    PAGE,
    TAIL,
    TILE,
    TILE_POOL,
    UNMAP,
    box,
    maps,
    pool,
    prop,
    released,
)
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

    Made = Callable[[Invocation], Any]

ROW = 64
"""Bytes of a row that are copied."""


def valid(w: World) -> Invocation:
    a = w.process()
    infos = maps(later(a), pool(a))
    return a.call("cuMemMapArrayAsync", mapInfoList=infos, count=1, hStream=0)


def copied(a: Process, target: int, value: int, x: int = 0, y: int = 0, z: int = 0) -> bytes:
    """Fill a part of an array's row, and return the bytes read from it."""
    memory, seen = a.ok.cuMemAlloc(ROW), bytearray(ROW)
    a.ok.cuMemsetD8(memory, value, ROW)
    to_array = 0, 0, 0, 0, 2, 0, memory, 0, 0, ROW, 1, x, y, z, 0, 3, 0, 0, target, 0, 0, 0, ROW, 1, 1
    back = x, y, z, 0, 3, 0, 0, target, 0, 0, 0, 0, 0, 0, 0, 2, 0, memory, 0, 0, ROW, 1, ROW, 1, 1
    a.ok.cuMemcpy3D(to_array)
    a.ok.cuMemsetD8(memory, value ^ 255, ROW)
    a.ok.cuMemcpy3D(back)
    a.ok.cuMemcpyDtoH(seen, memory, ROW)
    return bytes(seen)


def one_tile(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the first tile keeps data, and others read zeros."""
    a, target = i.process, i.args["mapInfoList"][0][1]
    assert copied(a, target, 7) == bytes([7]) * ROW
    assert copied(a, target, 7, TILE, TILE) == bytes(ROW)
    assert copied(a, target, 9, TILE - ROW // 2) == bytes([9]) * (ROW // 2) + bytes(ROW // 2)


def of(**members: Any) -> Made:
    """Return a function to the valid list with other members."""

    def made(i: Invocation) -> tuple[tuple[Any, ...], ...]:
        told = {name: value(i.process) if callable(value) else value for name, value in members.items()}
        (info,) = i.args["mapInfoList"]
        return (tuple({**dict(zip(MEMBERS, info, strict=True)), **told}.values()),)

    return made


def level_of(a: Process) -> int:
    """Return a level of a sparse mipmapped array."""
    made: int = a.ok.cuMipmappedArrayGetLevel(many(a), 0)
    return made


def many(a: Process, flags: int = SPARSE) -> int:
    """Return a deferred-mapping mipmapped array with a level of tiles and a tail."""
    made: int = a.ok.cuMipmappedArrayCreate((TILE, TILE, 0, UINT8, 1, flags), 3)
    return made


def small(a: Process) -> int:
    """Return a sparse array that consists of a mip tail."""
    return later(a, size=100)


entry = Entry("cuMemMapArrayAsync", valid, one_tile)
entry.breaks("LIST_IS_GIVEN", mapInfoList=None)
entry.breaks("LIST_IS_GIVEN", "no entry", count=0)
for label, flag in {"": "flags", "reserved": "zeros"}.items():
    entry.breaks("MAPS_ARE_PLAIN", label, mapInfoList=of(**{flag: 1}))
for number in (0, 3):
    entry.breaks("OPERATION_IS_KNOWN", str(number), mapInfoList=of(operation=number))
for number in (0, 3, 1 << 31):
    entry.breaks("MASK_IS_THE_DEVICE_S", str(number), mapInfoList=of(mask=number))
OTHERS: dict[str, dict[str, Any]] = {
    "": {"resource": array},
    "a level": {"resource": level_of},
    "a mipmapped array": {"resource": many},
    "an array as a mipmapped one": {"kind": MIPMAPPED},
    "linear memory": {"kind": 2},
    "null": {"resource": 0},
}
for label, member in OTHERS.items():
    entry.breaks("ARRAY_IS_MAPPED_LATER", label, mapInfoList=of(**member))
entry.undefined("ARRAY_IS_KNOWN", code=Result.INVALID_HANDLE, mapInfoList=of(resource=GARBAGE))
entry.undefined("ARRAY_IS_LIVE", code=Result.CONTEXT_IS_DESTROYED, mapInfoList=of(resource=gone))
entry.breaks("PART_IS_KNOWN", mapInfoList=of(part=2))
for label, words in {"": box(level=1), "a layer": box(layer=1)}.items():
    entry.breaks("LEVEL_HAS_TILES", label, mapInfoList=of(words=words))
entry.breaks("LEVEL_HAS_TILES", "in the tail", mapInfoList=of(kind=MIPMAPPED, resource=many, words=box(level=1)))
for label, words in {
    "": box(at=(1, 0, 0)),
    "no rows": box(size=(TILE, 0, 1)),
    "two slices": box(size=(TILE, TILE, 2)),
    "beyond the array": box(at=(TILE, 0, 0), size=(SIDE, TILE, 1)),
    "half a tile": box(size=(TILE // 2, TILE, 1)),
}.items():
    entry.breaks("BOX_IS_OF_TILES", label, mapInfoList=of(words=words))
for label, words in {
    "": (0, 0, PAGE // 2, 0),
    "nothing": (0, 0, 0, 0),
    "too much": (0, 0, 2 * PAGE, 0),
    "a layer": (1, 0, PAGE, 0),
    "an offset": (0, 4096, PAGE, 0),
}.items():
    entry.breaks("TAIL_IS_OF_PAGES", label, mapInfoList=of(resource=small, part=TAIL, words=words))
entry.breaks("HANDLE_IS_GENERIC", mapInfoList=of(form=1))
entry.undefined("MEMORY_IS_GIVEN", code=Result.INVALID_VALUE, mapInfoList=of(handle=0))
entry.undefined("HANDLE_IS_HELD", code=Result.INVALID_VALUE, mapInfoList=of(handle=released))
entry.breaks("MEMORY_IS_FOR_TILES", mapInfoList=of(handle=lambda a: a.ok.cuMemCreate(GRANULE, prop(), 0)))
for number in (1, GRANULE):
    entry.breaks("MEMORY_SPANS_THE_PART", str(number), mapInfoList=of(offset=number))
entry.undefined("OFFSET_DOES_NOT_WRAP", code=Result.SUCCESS, mapInfoList=of(offset=(1 << 64) - PAGE))
entry.undefined("MEMORY_OF_AN_UNMAP_IS_NULL", code=Result.SUCCESS, mapInfoList=of(operation=UNMAP))
refuse(entry)


@entry.world("MEMORY_IS_THE_DEVICE_S")
def of_another_device(_: World, i: Invocation) -> Invocation:
    wanted = prop(handle_types=0, location=(1, 1), capabilities=(0, 0, TILE_POOL))
    return i.evolve(mapInfoList=of(handle=i.process.ok.cuMemCreate(GRANULE, wanted, 0))(i))


def whole(flags: int) -> Made:
    """Return a function to a list that maps a whole array."""
    return of(resource=lambda a: later(a, flags), words=box(size=(SIDE, SIDE, 1)))


def filled(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that all bytes keep data, also across tiles."""
    target = i.args["mapInfoList"][0][1]
    for x, y in ((0, 0), (TILE, TILE), (TILE - ROW // 2, TILE - 1)):
        assert copied(i.process, target, 7, x, y) == bytes([7]) * ROW


entry.also("all tiles", mapInfoList=whole(SPARSE), then=filled)
entry.also("deferred mapping", mapInfoList=whole(DEFERRED), then=filled)


def one_layer(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that only the second layer has memory."""
    a, target = i.process, i.args["mapInfoList"][0][1]
    assert [copied(a, target, 7, z=layer)[0] for layer in range(3)] == [0, 7, 0]


def layered(a: Process) -> int:
    """Return a sparse array of three layers."""
    made: int = a.ok.cuArray3DCreate((TILE, TILE, 3, UINT8, 1, SPARSE | LAYERED))
    return made


entry.also("a layer", mapInfoList=of(resource=layered, words=box(layer=1)), then=one_layer)


def one_level(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the level has memory, and the tail has none."""
    a, target = i.process, i.args["mapInfoList"][0][1]
    assert copied(a, a.ok.cuMipmappedArrayGetLevel(target, 0), 7) == bytes([7]) * ROW
    assert copied(a, a.ok.cuMipmappedArrayGetLevel(target, 1), 7) == bytes(ROW)


entry.also("a level", mapInfoList=of(kind=MIPMAPPED, resource=many), then=one_level)
entry.also("a tail", mapInfoList=of(resource=small, part=TAIL, words=(0, 0, PAGE, 0)))


@entry.also("two arrays with the same memory")
def shared(_: World, i: Invocation) -> Invocation:
    a, (info,) = i.process, i.args["mapInfoList"]
    other = later(a)
    given = i.evolve(mapInfoList=(info, *maps(other, info[6])), count=2)
    given.run()
    assert copied(a, other, 7) == bytes([7]) * ROW
    seen = bytearray(ROW)
    a.ok.cuMemcpyAtoH(seen, info[1], 0, ROW)
    assert seen == bytes([7]) * ROW
    return given


@entry.also("unmapped again")
def unmapped(_: World, i: Invocation) -> Invocation:
    a, (info,) = i.process, i.args["mapInfoList"]
    i.run()
    copied(a, info[1], 7)
    given = i.evolve(mapInfoList=of(operation=UNMAP, handle=0)(i))
    given.run()
    assert copied(a, info[1], 7) == bytes(ROW)
    i.run()
    seen = bytearray(ROW)
    a.ok.cuMemcpyAtoH(seen, info[1], 0, ROW)
    assert seen == bytes([7]) * ROW
    return given


@entry.also("behind the work of a stream")
def queued(w: World, i: Invocation) -> Invocation:
    a, target = i.process, i.args["mapInfoList"][0][1]
    waiting = stream(a, NON_BLOCKING)
    unblock = block(w, a, waiting)
    i.evolve(hStream=waiting).run()
    assert copied(a, target, 7) == bytes(ROW)
    unblock()
    a.ok.cuStreamSynchronize(waiting)
    assert copied(a, target, 7) == bytes([7]) * ROW
    return i


@entry.also("memory that is released stays with the array")
def kept(_: World, i: Invocation) -> Invocation:
    a, (info,) = i.process, i.args["mapInfoList"]
    i.run()
    a.ok.cuMemRelease(info[6])
    assert copied(a, info[1], 7) == bytes([7]) * ROW
    a.ok.cuArrayDestroy(info[1])
    return i.evolve(mapInfoList=maps(later(a), pool(a)))


test_mem_map_array_async = entry.test()
