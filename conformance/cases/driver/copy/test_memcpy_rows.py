"""Copies that a struct describes: rows, slices, and between contexts.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.driver.array.fixtures import BC1, array
from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.copy.fixtures import (
    LARGEST,
    LATER,
    NEW,
    OLD,
    ROOM,
    any_side,
    blocked,
    device_side,
    filled,
    host,
    host_side,
    in_stream,
    left_to_the_stream,
    struct,
    waits_for_managed_memory,
)
from conformance.cases.driver.copy.test_memcpy_peer import destroyed
from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.cases.driver.va.fixtures import NOWHERE, adjoining, content
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import CALLS, STRUCTS

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4
"""CUmemorytype."""
MEMORY_OF_HOST = 2
"""CU_MEM_LOCATION_TYPE_HOST."""
FLAT, SOLID, BETWEEN = "CUDA_MEMCPY2D", "CUDA_MEMCPY3D", "CUDA_MEMCPY3D_PEER"
WIDTH, HEIGHT, DEPTH, PITCH, ROWS = 8, 3, 2, 16, 4
"""Row bytes, rows and slices of a copy, with pitch and slice height."""
AREA = PITCH * ROWS
SPACE = 4 * AREA
"""Bytes to fill on each side."""
MOST = 0x7FFF_FFFF
"""CU_DEVICE_ATTRIBUTE_MAX_PITCH of every known device."""


def entry_of(call: str) -> Entry:
    """Return the entry of a call with such a struct, with its cases."""
    entry = Entry(call, partial(valid, call), arrived)
    kind = CALLS[call].inputs[0].type
    if kind == BETWEEN:
        entry.undefined("DESCRIPTION_IS_READ", "null", code=Result.INVALID_VALUE, pCopy=None)
    else:
        entry.breaks("DESCRIPTION_IS_GIVEN", pCopy=None)
    for side in ("dst", "src"):
        _description(entry, side)
        _memory(entry, side, kind)
    if kind == FLAT:
        _pitched(entry)
    else:
        _slices(entry)
    if kind == SOLID:
        for name in ("reserved0", "reserved1"):
            entry.undefined("RESERVED_IS_NULL", name, code=Result.SUCCESS, **changed(**{name: 8}))
    if kind == BETWEEN:
        _contexts(entry)
    _shapes(entry)
    _nothing_is_copied(entry)
    _hosts(entry)
    if call.endswith("Async"):
        _streams(entry)
    return entry


def valid(call: str, w: World) -> Invocation:
    """Return a copy between two allocations with offsets in x, y and z."""
    a, kind = w.process(), CALLS[call].inputs[0].type
    sides = {"XInBytes": 1, "Y": 1, "Pitch": PITCH, "MemoryType": DEVICE}
    sides |= {"Height": ROWS, "Z": 1} if kind != FLAT else {}
    sides |= {"Context": a.context} if kind == BETWEEN else {}
    members = {f"{side}{name}": value for side in ("src", "dst") for name, value in sides.items()}
    members |= {"Depth": DEPTH} if kind != FLAT else {}
    dst, src = filled(a, OLD, SPACE), filled(a, NEW, SPACE)
    copy = struct(kind, **members, dstDevice=dst, srcDevice=src, WidthInBytes=WIDTH, Height=HEIGHT)
    queued: dict[str, Any] = {"hStream": 0} if call.endswith("Async") else {}
    return a.call(call, pCopy=copy, **queued)


def _labels(i: Invocation) -> list[str]:
    return [label for _, label in STRUCTS[CALLS[i.call].inputs[0].type]]


def member(i: Invocation, name: str) -> Any:
    """Return a member of the call's struct."""
    return i.args["pCopy"][_labels(i).index(name)]


def changed(**members: Any) -> dict[str, Any]:
    """Return the valid struct with other members, as far as it has them.

    Args:
        members: Values, or functions of the invocation.
    """

    def make(i: Invocation) -> tuple[Plain, ...]:
        values = dict(zip(_labels(i), i.args["pCopy"], strict=True))
        return tuple(
            (members[name](i) if callable(members[name]) else members[name]) if name in members else value
            for name, value in values.items()
        )

    return {"pCopy": make}


def evolved(i: Invocation, **members: Any) -> Invocation:
    """Return the call with other members of its struct."""
    return i.evolve(pCopy=changed(**members)["pCopy"](i))


def at(side: str, kind: int, address: Any) -> dict[str, Any]:
    """Return members for a side at an address of a kind of memory."""
    name = f"{side}{'Host' if kind == HOST else 'Device'}"
    return {f"{side}MemoryType": kind, name: address, f"{side}XInBytes": 0, f"{side}Y": 0, f"{side}Z": 0}


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check every byte of every row, and the gaps."""
    a = i.process
    a.ok.cuCtxSynchronize()
    expected = bytearray([OLD]) * SPACE
    for z in range(1, 1 + DEPTH) if "Depth" in _labels(i) else (0,):
        for y in range(1, 1 + HEIGHT):
            start = z * AREA + y * PITCH + 1
            expected[start : start + WIDTH] = bytes([NEW]) * WIDTH
    assert content(a, member(i, "dstDevice"), SPACE) == bytes(expected)


def _description(entry: Entry, side: str) -> None:
    for wrong in (0, 5):
        entry.breaks("MEMORY_TYPE_IS_KNOWN", f"{side} {wrong}", **changed(**{f"{side}MemoryType": wrong}))
    entry.breaks("ARRAY_IS_GIVEN", side, **changed(**{f"{side}MemoryType": ARRAY}))
    garbage = changed(**{f"{side}MemoryType": ARRAY, f"{side}Array": GARBAGE})
    entry.undefined("ARRAY_IS_KNOWN", side, code=Result.INVALID_VALUE, **garbage)
    small = {f"{side}MemoryType": ARRAY, f"{side}Array": lambda i: array(i.process, 8, 1)}
    entry.breaks("BOX_IS_IN_THE_ARRAY", side, **changed(**small))
    blocks = {f"{side}MemoryType": ARRAY, f"{side}Array": lambda i: i.process.ok.cuArrayCreate((64, 16, BC1, 4))}
    entry.breaks("BLOCKS_ARE_WHOLE", side, **changed(**blocks))
    entry.breaks(
        "BLOCKS_ARE_WHOLE", f"{side} at a block", **changed(**blocks, **{f"{side}XInBytes": 0}, WidthInBytes=4)
    )
    other = "src" if side == "dst" else "dst"
    plain = {f"{other}MemoryType": ARRAY, f"{other}Array": lambda i: array(i.process, 8, 1)}
    entry.breaks("BLOCKS_ARE_ALIKE", side, **changed(**blocks, **plain))
    if entry.call.removesuffix("Async") in {"cuMemcpy3D", "cuMemcpy3DPeer"}:
        entry.breaks("LEVEL_OF_AN_ARRAY_IS_ZERO", side, **changed(**small, **{f"{side}LOD": 1}))
    entry.breaks("PITCH_SPANS_THE_ROW", side, **changed(**{f"{side}Pitch": WIDTH}))
    entry.breaks("PITCH_SPANS_THE_ROW", f"{side} x", **changed(**{f"{side}XInBytes": LARGEST}))
    entry.breaks(
        "RANGE_IS_ALLOCATED", f"{side}, a pitch that leads behind the end", **changed(**{f"{side}Pitch": MOST + 1})
    )
    one = {"Height": 1, "Depth": 1, f"{side}Y": 0, f"{side}Z": 0}
    entry.also(f"{side}: the pitch of one row is not limited", **changed(**{f"{side}Pitch": MOST + 1, **one}))
    entry.breaks("PITCH_SPANS_THE_ROW", f"{side} of one row", **changed(**{f"{side}Pitch": WIDTH, **one}))


def _memory(entry: Entry, side: str, kind: int | str) -> None:
    writes = side == "dst"
    device_side(entry, f"{side}Device", lambda value: changed(**at(side, DEVICE, value)), writes=writes)
    any_side(entry, f"{side}Unified", lambda value: changed(**at(side, UNIFIED, value)), writes=writes)
    host_side(entry, f"{side}Host", lambda value: changed(**at(side, HOST, value)), writes=writes)
    entry.breaks("POINTERS_ARE_GIVEN", f"{side}Host", **changed(**at(side, HOST, 0)))
    end = changed(**at(side, DEVICE, lambda i: member(i, f"{side}Device") + ROOM - PITCH))
    entry.breaks("RANGE_IS_ALLOCATED", f"{side}Device past the end", **end)
    height = {} if kind == FLAT else {f"{side}Height": 0}
    entry.breaks("HEIGHT_SPANS_THE_SLICE", f"{side} y that wraps", **changed(**{f"{side}Y": LARGEST}, **height))
    if kind == FLAT:
        return
    entry.breaks("RANGE_IS_ALLOCATED", f"{side}Device slices behind the end", **changed(**{f"{side}Z": 1 << 40}))
    middle = {f"{side}Device": lambda i: member(i, f"{side}Device") + ROOM // 2, f"{side}Z": LARGEST}
    entry.also(f"{side}Device, a slice before the address", **changed(**middle))


def _pitched(entry: Entry) -> None:
    @entry.also("pitches of cuMemAllocPitch")
    def pitched(_w: World, i: Invocation) -> Invocation:
        dst, pitch = i.process.ok.cuMemAllocPitch(WIDTH + 1, HEIGHT + 1, 4)
        src, _ = i.process.ok.cuMemAllocPitch(WIDTH + 1, HEIGHT + 1, 4)
        return evolved(i, dstDevice=dst, srcDevice=src, dstPitch=pitch, srcPitch=pitch)


def _slices(entry: Entry) -> None:
    for side in ("dst", "src"):
        entry.undefined("LEVEL_IS_ZERO", side, code=Result.SUCCESS, **changed(**{f"{side}LOD": 1}))
        entry.breaks("HEIGHT_SPANS_THE_SLICE", side, **changed(**{f"{side}Height": HEIGHT}))
        height = changed(**{f"{side}Height": 0})
        entry.also(f"{side}: slices without a height follow each other at once", **height, then=arrived)
        entry.also(f"{side} of one slice needs no height", **changed(Depth=1, **{f"{side}Height": 0}))
    entry.also("no slices at null", **changed(Depth=0, dstDevice=0, srcDevice=0))
    pitch = {f"{side}{name}": value for side in ("dst", "src") for name, value in (("Pitch", WIDTH), ("XInBytes", 0))}
    entry.also("slices without gaps in their rows", **changed(**pitch), then=_slices_arrived)


def _nothing_is_copied(entry: Entry) -> None:
    """Add copies without bytes, rows or slices, with another invalid member."""
    wrong: dict[str, dict[str, Any]] = {
        "memory of no kind": {"dstMemoryType": 0},
        "a null array": {"srcMemoryType": ARRAY, "srcArray": 0},
        "a pitch that is small": {"srcPitch": 1, "dstPitch": 1},
        "a pitch that is large": {"srcPitch": MOST + 1},
        "a height that is small": {"srcHeight": 1, "dstHeight": 1},
        "addresses of nothing": {"srcDevice": NOWHERE, "dstDevice": NOWHERE},
    }
    for empty in ("WidthInBytes", "Height", "Depth"):
        for name, members in wrong.items():
            if empty != "Depth" or CALLS[entry.call].inputs[0].type != FLAT:
                entry.also(f"no {empty}: {name}", **changed(**{empty: 0}, **members))


def _slices_arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check the slices and the gaps between them."""
    a, area = i.process, WIDTH * ROWS
    a.ok.cuCtxSynchronize()
    gap = bytes([OLD]) * WIDTH
    slice_ = gap + bytes([NEW]) * WIDTH * HEIGHT
    assert content(a, member(i, "dstDevice") + area, (DEPTH + 1) * area) == slice_ * DEPTH + bytes([OLD]) * area


def _contexts(entry: Entry) -> None:
    entry.without("not_initialized")  # the driver follows the contexts before it looks

    @entry.world("DRIVER_IS_INITIALIZED")
    def before_init(w: World, i: Invocation) -> Invocation:
        return attrs.evolve(evolved(i, dstContext=0, srcContext=0), process=w.process(init=False))

    code = Result.INVALID_CONTEXT
    for side in ("dstContext", "srcContext"):
        entry.undefined("CONTEXTS_ARE_LIVE", side, code=code, **changed(**{side: lambda i: destroyed(i.process)}))
        entry.undefined("CONTEXT_IS_KNOWN", side, code=code, **changed(**{side: GARBAGE}))
        entry.also(f"no {side}", then=arrived, **changed(**{side: 0}))


def _shapes(entry: Entry) -> None:
    """Add copies of rows with other pitches and offsets."""
    tight = {f"{side}{name}": 0 for side in ("dst", "src") for name in ("XInBytes", "Y", "Z")}
    entry.also("no bytes at null", **changed(WidthInBytes=0, dstDevice=0, srcDevice=0))
    entry.also("no rows at null", **changed(Height=0, dstDevice=0, srcDevice=0))
    for name, pitch in (("rows without gaps", WIDTH), ("pitches that are not specified", 0)):
        members = {**tight, "dstPitch": pitch, "srcPitch": pitch, "dstHeight": HEIGHT, "srcHeight": HEIGHT}
        entry.also(name, **changed(**members), then=_arrived_tight)
    entry.also("rows that have gaps on one side", **changed(**tight, srcPitch=WIDTH, srcHeight=HEIGHT))
    entry.also("one row", **changed(Height=1, Depth=1, dstPitch=0, srcPitch=0))
    unused = {f"{side}{name}": GARBAGE for side in ("dst", "src") for name in ("Array", "Host")}
    entry.also("members that are not used", **changed(**unused), then=arrived)
    never = changed(srcDevice=lambda i: i.process.ok.cuMemAlloc(ROOM))
    entry.also("from memory that nobody has written", **never)

    @entry.also("between mappings that adjoin")
    def across(w: World, i: Invocation) -> None:
        dst, src = (adjoining(i.process) + GRANULE - AREA - PITCH - WIDTH // 2 for _ in range(2))
        i.process.ok.cuMemsetD8(dst, OLD, SPACE)
        i.process.ok.cuMemsetD8(src, NEW, SPACE)
        i.process.ok.cuCtxSynchronize()
        i = evolved(i, dstDevice=dst, srcDevice=src)
        assert i.run() == (0,)
        arrived(w, i, ())

    @entry.also("to another device without peer access", then=arrived)
    def to_peer(w: World, i: Invocation) -> Invocation:
        w.needs_devices(2)
        i.process.ok.cuCtxCreate(None, 0, 1)
        dst = filled(i.process, OLD, SPACE)
        i.process.ok.cuCtxPopCurrent()
        return evolved(i, dstDevice=dst)


def _arrived_tight(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check the bytes of all rows, and nothing more."""
    a = i.process
    a.ok.cuCtxSynchronize()
    count = WIDTH * HEIGHT * (DEPTH if "Depth" in _labels(i) else 1)
    assert content(a, member(i, "dstDevice"), count + 4) == bytes([NEW]) * count + bytes([OLD]) * 4


def _hosts(entry: Entry) -> None:
    """Add copies with host memory: pageable, pinned, and by unified addressing."""
    places = {
        "pageable": lambda i: host(i.process, OLD, SPACE),
        "pinned": lambda i: i.process.ok.cuMemAllocHost(PAGE),
    }
    for name, made in places.items():
        for kind in (HOST, UNIFIED):
            label = f"{name} memory{' by unified addressing' if kind == UNIFIED else ''}"
            entry.also(f"by way of {label}")(partial(_by_way, kind, made))


def _by_way(kind: int, made: Any, w: World, i: Invocation) -> None:
    """Copy to host memory, to other host memory, and back."""
    first, second = made(i), made(i)
    key = "Host" if kind == HOST else "Device"
    source, between, target = (
        {f"{side}MemoryType": kind, f"{side}{key}": place}
        for side, place in (("src", first), ("dst", second), ("src", second))
    )
    for members in ({"dstMemoryType": kind, f"dst{key}": first}, source | between, target):
        assert evolved(i, **members).run() == (0,)
    arrived(w, i, ())


def _streams(entry: Entry) -> None:
    """Add copies in streams, and copies that must wait."""
    in_stream(entry)
    waits_for_managed_memory(
        entry,
        lambda i, place: evolved(i, srcMemoryType=HOST, srcHost=place),
        lambda i, place: evolved(i, dstMemoryType=HOST, dstHost=place),
    )
    left_to_the_stream(entry, lambda i: member(i, "dstDevice"), SPACE)

    @entry.also("from host memory that changes while the stream waits")
    def staged(w: World, i: Invocation) -> None:
        source, later = host(i.process, NEW, SPACE), filled(i.process, LATER, SPACE)
        i, unblock = blocked(w, evolved(i, srcMemoryType=HOST, srcHost=source))
        assert i.run() == (0,)
        i.process.ok.cuMemcpyDtoH(source, later, SPACE)
        unblock()
        arrived(w, i, ())

    @entry.also("without gaps, from host memory that changes while the stream waits")
    def staged_whole(w: World, i: Invocation) -> None:
        source, later = host(i.process, NEW, SPACE), filled(i.process, LATER, SPACE)
        i = evolved(i, **at("src", HOST, source), **at("dst", DEVICE, member(i, "dstDevice")))
        members = {
            f"{side}{name}": value for side in ("dst", "src") for name, value in (("Pitch", WIDTH), ("Height", 3))
        }
        i, unblock = blocked(w, evolved(i, **members))
        assert i.run() == (0,)
        i.process.ok.cuMemcpyDtoH(source, later, SPACE)
        unblock()
        _arrived_tight(w, i, ())

    @entry.also("to the host: it has arrived when the call returns")
    def to_host(w: World, i: Invocation) -> None:
        working, target = stream(i.process, NON_BLOCKING), host(i.process, OLD, SPACE)
        i = i.evolve(hStream=working)
        assert evolved(i, dstMemoryType=HOST, dstHost=target).run() == (0,)
        i.process.ok.cuMemcpyHtoD(member(i, "dstDevice"), target, SPACE)
        arrived(w, i, ())


def _of_host_pools(entry: Entry) -> Entry:
    """Add copies of memory of a host pool, with null contexts or not."""

    def pooled(i: Invocation, **members: Any) -> Invocation:
        a = i.process
        memory = a.ok.cuMemAllocFromPoolAsync(ROOM, a.ok.cuMemGetMemPool((MEMORY_OF_HOST, 0), 1), 0)
        a.ok.cuCtxSynchronize()
        return evolved(i, **at("src", UNIFIED, memory), **at("dst", UNIFIED, memory), **members)

    @entry.undefined("CONTEXT_OF_A_HOST_POOL_IS_GIVEN", "", "pCopy", code=Result.INVALID_VALUE)
    def without_contexts(_w: World, i: Invocation) -> Invocation:
        return pooled(i, srcContext=0, dstContext=0)

    @entry.also("of memory of a pool of the host")
    def with_contexts(_w: World, i: Invocation) -> Invocation:
        return pooled(i, srcContext=i.process.context, dstContext=i.process.context)

    @entry.also("of unified addresses of device memory, without contexts")
    def of_a_device(_w: World, i: Invocation) -> Invocation:
        memory = i.process.ok.cuMemAlloc(ROOM)
        return evolved(i, **at("src", UNIFIED, memory), **at("dst", UNIFIED, memory), srcContext=0, dstContext=0)

    return entry


test_memcpy2d = entry_of("cuMemcpy2D").test()
test_memcpy2d_unaligned = entry_of("cuMemcpy2DUnaligned").test()
test_memcpy2d_async = entry_of("cuMemcpy2DAsync").test()
test_memcpy3d = entry_of("cuMemcpy3D").test()
test_memcpy3d_async = entry_of("cuMemcpy3DAsync").test()
test_memcpy3d_peer = _of_host_pools(entry_of("cuMemcpy3DPeer")).test()
test_memcpy3d_peer_async = _of_host_pools(entry_of("cuMemcpy3DPeerAsync")).test()
