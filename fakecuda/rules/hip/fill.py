"""Memsets of 16-bit and 32-bit values, of rows and of slices.

clr compares the bytes that are set with the memory, not the bytes that they span: rows that lie further apart than the
memory reaches are found by the device alone, when the call has succeeded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import transfer
from fakecuda.model.memory.memory import Allocation
from fakecuda.model.work import timed
from fakecuda.model.work.accesses import WRITES
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.rules.core import Rule, guard, hip_tests, source, undefined
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import enqueue
from fakecuda.rules.hip.active import acting, arrived, entered
from fakecuda.rules.hip.reach import set_at
from fakecuda.rules.hip.stream import stream_of
from fakecuda.rules.registry import HIP
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.work.stream import Memory

    Pitched = tuple[int, int, int, int]
    Extent = tuple[int, int, int]

WRAP = 1 << 64
"""The number of values of a size_t."""

POINTER_IS_IN_MEMORY = Rule(
    "the pointer lies in memory that HIP allocated, registered, mapped or imported in this process",
    Result.INVALID_VALUE,
    hip_tests("hipMemset", "all memsets answer hipErrorInvalidValue to null, to a host address and to freed memory"),
    fix="pass an address in memory of hipMalloc, before hipFree; memset of C sets ordinary host memory",
)
SIZE_FITS = Rule(
    "the bytes to set (without row padding) end in the pointer's allocation, or in adjoining allocations or mappings",
    Result.INVALID_VALUE,
    hip_tests("hipMemset3D", "HIP answers hipErrorInvalidValue to an extent that is larger than what was allocated"),
    fix="set at most the bytes from the address to the end of its allocation",
)
HEIGHT_FITS = Rule(
    "the pitch is not 0; if hipMallocPitch or hipMalloc3D returned the pitch, the height is at most the requested "
    "height",
    Result.INVALID_VALUE,
    source(
        "hipMemset3D",
        "clr answers hipErrorInvalidValue if the pitch is the pitch of the allocation, or 0 for memory without a pitch",
    ),
    fix="set at most as many rows as hipMallocPitch or hipMalloc3D allocated",
)
PITCH_SPANS_THE_ROW = Rule(
    "in 2D calls, the pitch is at least the width; in 3D calls, the pitch is extent.width, or positive and at least "
    "xsize",
    Result.INVALID_VALUE,
    source("hipMemset3D", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="set pitch as hipMalloc3D or hipMallocPitch returned it: not 0, and at least xsize",
)
ROWS_LIE_IN_MEMORY = Rule(
    "the last row to set ends in the allocation or mapping of the pointer, or in adjoining allocations or mappings",
    Result.INVALID_VALUE,
    undefined(
        "hipMemset3D",
        "the manual says nothing about this; clr compares only the number of bytes, and the device faults",
    ),
    fix="set at most the rows and slices from the address to the end of its allocation",
)


@guard
def item_at(call: Call, ptr: int, size: int) -> Memory:
    """Return the memory of a pointer, which must have enough bytes from there."""
    item = call.process.memory.at(ptr) if ptr else None
    if item is None:
        raise POINTER_IS_IN_MEMORY.broken(pointer=ptr, found=call.process.freed.get(ptr))
    # What adjoins a mapping counts: clr asks the whole reservation there.
    if ptr + size > item.end and call.process.memory.at(item.end) is None:
        raise SIZE_FITS.broken(pointer=ptr, size=size, found=item)
    return item


@guard
@orders.makes(orders.FILL)
def values_set(call: Call, dst: int, value: int, width: int, count: int, handle: int) -> None:
    """Have a stream set values of ``size`` bytes; the call waits as clr does."""
    entered(call)
    stream = stream_of(call, handle)
    size = count * width % WRAP
    if not size:
        return
    if handle > PER_THREAD:  # the others have looked it up
        acting(call)
    item = item_at(call, dst, size)
    targets = set_at(call, stream.context, item, dst, size)
    race.in_stream(call, stream, ((WRITES, (dst, size), targets, None),))
    enqueue(call, stream, lambda: timed.fill(call.machine, targets, value, width), (dst, size))


@HIP.op("hipMemsetD16", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d16(call: Call, dst: int, value: int, count: int) -> None:
    """Set ``count`` values of 16 bits."""
    values_set(call, dst, value, 2, count, 0)


@HIP.op("hipMemsetD16Async", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d16_async(call: Call, dst: int, value: int, count: int, stream: int) -> None:
    """Have a stream set 16-bit values, as hipMemsetD16 does."""
    values_set(call, dst, value, 2, count, stream)


@HIP.op("hipMemsetD32", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d32(call: Call, dst: int, value: int, count: int) -> None:
    """Set ``count`` values of 32 bits."""
    values_set(call, dst, value, 4, count, 0)


@HIP.op("hipMemsetD32Async", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d32_async(call: Call, dst: int, value: int, count: int, stream: int) -> None:
    """Have a stream set 32-bit values, as hipMemsetD32 does."""
    values_set(call, dst, value, 4, count, stream)


@guard
@orders.makes(orders.FILL)
def slices_set(call: Call, place: Pitched, value: int, width: int, extent: Extent, handle: int) -> None:
    """Have a stream set the rows of slices.

    Args:
        call: The call.
        place: hipPitchedPtr: the address, bytes from row to row, bytes of a row, rows from slice to slice.
        value: The value.
        width: Its bytes.
        extent: Values of a row, rows, slices.
        handle: The stream.
    """
    stream = stream_of(call, handle)
    dst, pitch, xsize, ysize = place
    columns, height, depth = extent
    count = columns * height * depth % WRAP
    if not count:
        return
    if handle > PER_THREAD:  # the others have looked it up
        acting(call)
    item = item_at(call, dst, count)
    rows = item.rows if isinstance(item, Allocation) else (0, 0, 0)
    if pitch == rows[0] and height > rows[1]:
        raise HEIGHT_FITS.broken(pitch=pitch, height=height, found=item)
    row = columns * width
    if pitch == columns:
        # All is set at once, and where slices are further apart than they are high clr does not check.
        span, pitch, row, height, depth = count, count, count, 1, 1
    else:
        if not pitch or xsize > pitch:
            raise PITCH_SPANS_THE_ROW.broken(pitch=pitch, xsize=xsize)
        span = (depth - 1) * pitch * ysize + (height - 1) * pitch + row
    if dst + span > item.end and call.process.memory.at(item.end) is None:
        call.undefined(ROWS_LIE_IN_MEMORY, pointer=dst, size=span, found=item)
        raise ROWS_LIE_IN_MEMORY.broken(pointer=dst, size=span, found=item)
    targets = set_at(call, stream.context, item, dst, span)

    def fill() -> None:
        for number in range(depth):
            one = targets if depth == 1 else transfer.part(targets, number * pitch * ysize, (height - 1) * pitch + row)
            timed.set_rows(call.machine, one, value, width, row, height, pitch)
        call.machine.clock.moved(targets[0][0].memory, None, row * height * depth)

    race.in_stream(call, stream, ((WRITES, (dst, span), targets, (row, height, depth, pitch, pitch * ysize)),))
    enqueue(call, stream, fill, (dst, span))


@HIP.op("hipMemset3D", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset3d(call: Call, place: Pitched, value: int, extent: Extent) -> None:
    """Set the bytes in slices of rows."""
    entered(call)
    slices_set(call, place, value, 1, extent, 0)


@HIP.op("hipMemset3DAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset3d_async(call: Call, place: Pitched, value: int, extent: Extent, stream: int) -> None:
    """Have a stream set slices of rows, as hipMemset3D does."""
    entered(call)
    slices_set(call, place, value, 1, extent, stream)


@HIP.op("hipMemsetD2D8", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d2d8(call: Call, dst: int, pitch: int, value: int, width: int, height: int) -> None:
    """Set ``height`` rows of ``width`` bytes, ``pitch`` bytes apart."""
    arrived(call, "hipMemsetD2D8")
    slices_set(call, (dst, pitch, width, height), value, 1, (width, height, 1), 0)


@HIP.op("hipMemsetD2D8Async", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d2d8_async(call: Call, dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    """Have a stream set rows, as hipMemsetD2D8 does."""
    arrived(call, "hipMemsetD2D8Async")
    slices_set(call, (dst, pitch, width, height), value, 1, (width, height, 1), stream)


@HIP.op("hipMemsetD2D16", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d2d16(call: Call, dst: int, pitch: int, value: int, width: int, height: int) -> None:
    """Set ``height`` rows of ``width`` values of 16 bits, ``pitch`` bytes apart."""
    arrived(call, "hipMemsetD2D16")
    slices_set(call, (dst, pitch, width, height), value, 2, (width, height, 1), 0)


@HIP.op("hipMemsetD2D16Async", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d2d16_async(call: Call, dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    """Have a stream set rows of 16-bit values, as hipMemsetD2D16 does."""
    arrived(call, "hipMemsetD2D16Async")
    slices_set(call, (dst, pitch, width, height), value, 2, (width, height, 1), stream)


@HIP.op("hipMemsetD2D32", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d2d32(call: Call, dst: int, pitch: int, value: int, width: int, height: int) -> None:
    """Set ``height`` rows of ``width`` values of 32 bits, ``pitch`` bytes apart."""
    arrived(call, "hipMemsetD2D32")
    slices_set(call, (dst, pitch, width, height), value, 4, (width, height, 1), 0)


@HIP.op("hipMemsetD2D32Async", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d2d32_async(call: Call, dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    """Have a stream set rows of 32-bit values, as hipMemsetD2D32 does."""
    arrived(call, "hipMemsetD2D32Async")
    slices_set(call, (dst, pitch, width, height), value, 4, (width, height, 1), stream)
