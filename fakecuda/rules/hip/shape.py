"""Rules of structs that describe copies of rows, as clr checks them.

Either side is of a memory type: of a device, where the address must be known; of the host, where it may be anything; or
unified, where it is what it is found to be. From row to row it is a pitch, from slice to slice a number of rows, and either
may be 0 for what follows at once. clr compares the span with the memory as if the address were its first, so that an
address further in leaves the end to the device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fakecuda.model.memory.space import READ, WRITE
from fakecuda.rules.core import Rule, guard, source, undefined
from fakecuda.rules.driver.copy.plan import Plan, queue
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import waited
from fakecuda.rules.hip.active import acting
from fakecuda.rules.hip.reach import reached
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.work.stream import Stream
    from fakecuda.rules.driver.copy.range import Piece

HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 10, 11
"""hipMemoryType."""
KNOWN = frozenset({HOST, DEVICE, ARRAY, UNIFIED})
SIDES = {
    0: (HOST, HOST),
    1: (HOST, DEVICE),
    2: (DEVICE, HOST),
    3: (DEVICE, DEVICE),
    4: (UNIFIED, UNIFIED),
    1024: (DEVICE, DEVICE),
}
"""The memory types of source and destination, by hipMemcpyKind."""
WRAP = 1 << 64
"""The number of values of a size_t."""

MEMORY_TYPE_IS_KNOWN = Rule(
    "the memory types of source and destination are host, device, unified or array",
    Result.INVALID_VALUE,
    undefined("hipDrvMemcpy3D", "the manual says nothing about this; clr ends the process at any other type"),
    fix="set srcMemoryType and dstMemoryType to a hipMemoryType",
)
ARRAY_IS_GIVEN = Rule(
    "the source or destination array is not null if the memory type of that side is array",
    Result.INVALID_VALUE,
    source("hipDrvMemcpy3D", "clr answers hipErrorInvalidValue to null"),
    fix="set the array of that side, or another memory type",
)
ARRAY_IS_KNOWN = Rule(
    "each array of the copy is an array of this process",
    Result.INVALID_VALUE,
    undefined("hipDrvMemcpy3D", "the manual says nothing about any other value, which clr uses as a pointer"),
    fix="pass an array of this process",
)
ADDRESS_IS_GIVEN = Rule(
    "neither source nor destination address is null; a side that is an array needs no address",
    Result.INVALID_VALUE,
    source("hipDrvMemcpy3D", "clr answers hipErrorInvalidValue to null"),
    fix="pass an address for each side: a host or a device address, as its memory type says",
)
PITCH_SPANS_THE_ROW = Rule(
    "each pitch is 0 or at least the width",
    Result.INVALID_VALUE,
    source("hipDrvMemcpy3D", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass a pitch of 0, or of at least the width in bytes",
)
HEIGHT_SPANS_THE_SLICE = Rule(
    "the height of a slice of each side is 0 or at least the number of copied rows",
    Result.INVALID_VALUE,
    source("hipDrvMemcpy3D", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="set srcHeight and dstHeight to 0, or to at least the number of copied rows",
)
MEMORY_IS_KNOWN = Rule(
    "each address of type device lies in memory that HIP allocated, registered, mapped or imported in this process",
    Result.INVALID_VALUE,
    source("hipDrvMemcpy3D", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass device memory that has not been freed, or hipMemoryTypeHost with a host address",
)
SPAN_FITS = Rule(
    "on each side, the offset (x, y, z) plus the range of the copy, gaps included, is at most the size of the allocation",
    Result.INVALID_VALUE,
    source("hipDrvMemcpy3D", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="copy at most the rows that the allocation has after its start",
)
END_FITS = Rule(
    "the last byte of the copy lies in the source's allocation and in the destination's",
    Result.INVALID_VALUE,
    undefined(
        "hipDrvMemcpy3D",
        "the manual says nothing about this; clr ignores the offset of the address in its memory, and the "
        "device faults",
    ),
    fix="copy at most the bytes, rows and slices from the address to the end of its allocation",
)


class Side(NamedTuple):
    """One side of a copy.

    Attributes:
        kind: hipMemoryType.
        host: The address of host memory.
        device: The address of other memory.
        array: The array.
        x: Where the first byte is in its row.
        y: Its row in the slice.
        z: Its slice.
        pitch: Bytes from row to row.
        rows: Rows from slice to slice.
    """

    kind: int
    host: int
    device: int
    array: int
    x: int
    y: int
    z: int
    pitch: int
    rows: int


class Laid(NamedTuple):
    """The memory range and the steps of one side of a copy.

    Attributes:
        start: The first address that is copied.
        span: Bytes from there to behind the last.
        pitch: Bytes from row to row.
        slice: Bytes from slice to slice.
    """

    start: int
    span: int
    pitch: int
    slice: int


@guard
def laid(call: Call, side: Side, size: tuple[int, int, int]) -> Laid:
    """Check one side of a copy, and return its memory range.

    Args:
        call: The call.
        side: The side.
        size: Bytes of a row, rows, slices.
    """
    width, height, depth = size
    if side.kind not in KNOWN:
        call.undefined(MEMORY_TYPE_IS_KNOWN, type=side.kind)
        raise MEMORY_TYPE_IS_KNOWN.broken(type=side.kind)
    if side.kind == ARRAY:
        no_array(call, side.array)
    base = side.host if side.kind == HOST else side.device
    if not base:
        raise ADDRESS_IS_GIVEN.broken(side=side)
    pitch = side.pitch or width
    step = pitch * (side.rows or height) % WRAP
    if pitch < width:
        raise PITCH_SPANS_THE_ROW.broken(pitch=pitch, width=width)
    if step < height * pitch:
        raise HEIGHT_SPANS_THE_SLICE.broken(rows=side.rows, height=height)
    start = side.z * step + side.y * pitch + side.x
    span = (depth - 1) * step + (height - 1) * pitch + width
    item = call.process.memory.at(base)
    if item is None and side.kind == DEVICE:
        raise MEMORY_IS_KNOWN.broken(pointer=base, found=call.process.freed.get(base))
    if item is not None and start + span > item.size:
        raise SPAN_FITS.broken(pointer=base, start=start, span=span, found=item)
    if item is not None and base + start + span > item.end:
        call.undefined(END_FITS, pointer=base, start=start, span=span, found=item)
        raise END_FITS.broken(pointer=base, start=start, span=span, found=item)
    return Laid(base + start, span, pitch, step)


@guard
def no_array(call: Call, array: int) -> None:
    """Refuse every array, because no modelled call creates one."""
    if not array:
        raise ARRAY_IS_GIVEN.broken()
    call.undefined(ARRAY_IS_KNOWN, array=array)
    raise ARRAY_IS_KNOWN.broken(array=array)


@guard
def planned(call: Call, stream: Stream, dst: Side, src: Side, size: tuple[int, int, int]) -> Plan:
    """Return a copy between two sides, after checks of the source, then destination."""
    width, height, depth = size
    read = laid(call, src, size)
    into = laid(call, dst, size)
    sources: list[Piece] = reached(call, stream.context, read.start, read.span, READ)
    targets: list[Piece] = reached(call, stream.context, into.start, into.span, WRITE)
    shape = width, height, depth, into.pitch, into.slice, read.pitch, read.slice
    return Plan(into[:2], read[:2], targets, sources, None if height == depth == 1 else shape)


@guard
def moved(
    call: Call, dst: Side, src: Side, size: tuple[int, int, int], stream: Stream, *, name: str, asynchronous: bool
) -> None:
    """Have a stream copy rows; the host waits unless the copy is asynchronous.

    Args:
        call: The call.
        dst: Where to.
        src: Where from.
        size: Bytes of a row, rows, slices; a copy of 0 of any of them does nothing.
        stream: The stream.
        name: The call.
        asynchronous: Whether the call leaves the copy to the stream.
    """
    if not (size[0] and size[1] and size[2]):
        return
    acting(call)
    plan = planned(call, stream, dst, src, size)
    queue(call, stream, name, plan)
    if asynchronous:
        return
    if call.machine.scheduler.pending:
        waited(stream.context, stream, by=orders.COPIED_BY_HIP, last=True)
    race.seen(call, stream, orders.COPIED_BY_HIP)
