"""Memsets of bytes, words and rows, with or without a stream.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.copy.fixtures import (
    OLD,
    ROOM,
    SIZE,
    device_side,
    filled,
    in_stream,
    left_to_the_stream,
    with_peers,
)
from conformance.cases.driver.stream.fixtures import in_its_turn
from conformance.cases.driver.va.fixtures import NOWHERE, READ, adjoining, content, freed, half_mapped
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

VALUES = {1: ("uc", 0xFF), 2: ("us", 0x1234), 4: ("ui", 0x12345678)}
"""The value argument and its value, by its size in bytes."""
PITCH, ROW, ROWS = 32, 16, 3
"""Pitch, row bytes and rows."""


def values(call: str, width: int) -> Entry:
    """Return the entry of a memset, with its cases.

    Args:
        call: The call.
        width: Bytes of a value.
    """
    entry = Entry(call, partial(_values, call, width), partial(_values_arrived, width))
    entry.breaks("RANGE_IS_ALLOCATED", dstDevice=NOWHERE)
    entry.breaks("RANGE_IS_ALLOCATED", "null", dstDevice=0)
    entry.breaks("RANGE_IS_ALLOCATED", "past the end", N=ROOM // width + 1)
    entry.breaks("RANGE_IS_ALLOCATED", "past the mapping", dstDevice=lambda i: half_mapped(i.process) + GRANULE - 8)
    entry.breaks("RANGE_IS_ALLOCATED", "freed", dstDevice=lambda i: freed(i.process))
    entry.breaks("RANGE_IS_ALLOCATED", "reserved", dstDevice=lambda i: half_mapped(i.process) + GRANULE)
    entry.breaks("ACCESS_IS_GRANTED", dstDevice=lambda i: half_mapped(i.process, 0))
    entry.breaks("ACCESS_IS_GRANTED", "to read", dstDevice=lambda i: half_mapped(i.process, READ))
    _alignment(entry, width)
    none = "no bytes" if width == 1 else "no values"
    entry.also("a mapping", dstDevice=lambda i: half_mapped(i.process))
    entry.also("the whole allocation", N=ROOM // width)
    entry.also("one value", N=1)
    entry.also(none, N=0)
    entry.also(f"{none} at null", dstDevice=0, N=0)
    entry.also("across mappings that adjoin")(partial(_values_across, width))
    _peers(entry)
    in_its_turn(entry, "dstDevice", _said_often(width, 4))
    return entry


def values_in_stream(call: str, width: int) -> Entry:
    """Return the entry of a memset in a stream; arguments as of :func:`values`."""
    entry = Entry(call, partial(_values, call, width), partial(_values_arrived, width))
    in_stream(entry)
    device_side(entry, "dstDevice", writes=True)
    entry.breaks("RANGE_IS_ALLOCATED", "past the end", N=ROOM // width + 1)
    _alignment(entry, width)
    left_to_the_stream(entry, lambda i: i.args["dstDevice"])
    entry.also("the whole allocation", N=ROOM // width)
    entry.also("no values at null", dstDevice=0, N=0)
    _peers(entry)
    return entry


def rows(call: str, width: int) -> Entry:
    """Return the entry of a memset of rows; arguments as of :func:`values`."""
    entry = Entry(call, partial(_rows, call, width), partial(_rows_arrived, width))
    queued = call.endswith("Async")
    if queued:
        in_stream(entry)
    device_side(entry, "dstDevice", writes=True)
    entry.breaks("PITCH_SPANS_THE_ROW", dstPitch=ROW - width)
    entry.breaks("PITCH_SPANS_THE_ROW", "of 0", dstPitch=0)
    entry.breaks("RANGE_IS_ALLOCATED", "rows past the end", Height=ROOM // PITCH + 1)
    entry.breaks("RANGE_IS_ALLOCATED", "a pitch past the end", dstPitch=ROOM)
    for offset in range(1, width):
        entry.breaks("POINTER_IS_ALIGNED", f"by {offset}", dstDevice=lambda i, o=offset: i.args["dstDevice"] + o)
        entry.breaks("PITCH_IS_ALIGNED", f"by {offset}", dstPitch=PITCH + offset)
    if width > 1:
        entry.also("one row with a pitch that is no multiple", dstPitch=1, Height=1)
    if queued:
        left_to_the_stream(entry, lambda i: i.args["dstDevice"])
    entry.also("one row", dstPitch=0, Height=1)
    entry.also("rows without gaps", dstPitch=ROW)
    last = ROOM - 2 * PITCH - ROW
    entry.also("the last row ends with the allocation", dstDevice=lambda i: i.args["dstDevice"] + last)
    entry.also("no values at null", dstDevice=0, Width=0)
    entry.also("no rows at null", dstDevice=0, Height=0)
    entry.also("across mappings that adjoin")(partial(_rows_across, width))
    _peers(entry)
    return entry


def _values(call: str, width: int, w: World) -> Invocation:
    a = w.process()
    name, value = VALUES[width]
    value_said: dict[str, Any] = {name: value}
    return a.call(call, dstDevice=filled(a, OLD), **value_said, N=SIZE // width, **_stream(call))


def _rows(call: str, width: int, w: World) -> Invocation:
    a = w.process()
    name, value = VALUES[width]
    shape: dict[str, Any] = {"dstPitch": PITCH, name: value, "Width": ROW // width, "Height": ROWS}
    return a.call(call, dstDevice=filled(a, OLD), **shape, **_stream(call))


def _stream(call: str) -> dict[str, Any]:
    return {"hStream": 0} if call.endswith("Async") else {}


def _said_often(width: int, size: int) -> bytes:
    """Return the bytes of a value, repeatedly, in little-endian order."""
    return VALUES[width][1].to_bytes(width, "little") * (size // width)


def _values_arrived(width: int, _: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check the number of values in memory."""
    i.process.ok.cuCtxSynchronize()
    assert content(i.process, i.args["dstDevice"], SIZE + 2) == _said_often(width, SIZE) + bytes([OLD, OLD])


def _rows_arrived(width: int, _: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check the values in each row, and the gaps."""
    i.process.ok.cuCtxSynchronize()
    row = _said_often(width, ROW) + bytes([OLD]) * (PITCH - ROW)
    assert content(i.process, i.args["dstDevice"], (ROWS + 1) * PITCH) == row * ROWS + bytes([OLD]) * PITCH


def _alignment(entry: Entry, width: int) -> None:
    """Add the cases of misaligned and aligned addresses."""
    for offset in (1, 2, 3):
        if offset % width:
            entry.breaks("POINTER_IS_ALIGNED", f"by {offset}", dstDevice=lambda i, o=offset: i.args["dstDevice"] + o)
    if width > 1:
        entry.also("at a multiple of the value's size", dstDevice=lambda i: i.args["dstDevice"] + width)


def _values_across(width: int, _: World, i: Invocation) -> None:
    middle = adjoining(i.process) + GRANULE
    assert i.evolve(dstDevice=middle - 4, N=8 // width).run() == (0,)
    assert content(i.process, middle - 4, 8) == _said_often(width, 8)


def _rows_across(width: int, _: World, i: Invocation) -> None:
    start = adjoining(i.process) + GRANULE - PITCH - ROW // 2
    assert i.evolve(dstDevice=start).run() == (0,)
    i.process.ok.cuCtxSynchronize()
    row = _said_often(width, ROW)
    assert content(i.process, start + PITCH, ROW) == row
    assert content(i.process, start, ROW) == content(i.process, start + 2 * PITCH, ROW) == row


def _peers(entry: Entry) -> None:
    """Add the cases of memory of another device, with or without peer access."""

    @entry.world("PEER_IS_ENABLED")
    def peer_not_enabled(w: World, i: Invocation) -> Invocation:
        return with_peers(w, i, "dstDevice", enable=False)

    @entry.also("memory of a peer", then=entry.then)
    def peer_enabled(w: World, i: Invocation) -> Invocation:
        return with_peers(w, i, "dstDevice")


test_memset_d8 = values("cuMemsetD8", 1).test()
test_memset_d16 = values("cuMemsetD16", 2).test()
test_memset_d32 = values("cuMemsetD32", 4).test()
test_memset_d8_async = values_in_stream("cuMemsetD8Async", 1).test()
test_memset_d16_async = values_in_stream("cuMemsetD16Async", 2).test()
test_memset_d32_async = values_in_stream("cuMemsetD32Async", 4).test()
test_memset_d2d8 = rows("cuMemsetD2D8", 1).test()
test_memset_d2d16 = rows("cuMemsetD2D16", 2).test()
test_memset_d2d32 = rows("cuMemsetD2D32", 4).test()
test_memset_d2d8_async = rows("cuMemsetD2D8Async", 1).test()
test_memset_d2d16_async = rows("cuMemsetD2D16Async", 2).test()
test_memset_d2d32_async = rows("cuMemsetD2D32Async", 4).test()
