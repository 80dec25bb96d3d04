"""Memsets of HIP: of values, of rows and of slices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.hip.fixtures import (
    NEW,
    SIZE,
    content,
    entries,
    freed,
    host,
    mapped,
    memory,
    new,
    rows,
    slices,
    stream,
    there,
)
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World

WIDTHS = {"": 1, "D8": 1, "D16": 2, "D32": 4}
"""Bytes of a value, by the suffix of the call."""


def values(a: Process, width: int, *, queued: bool = False) -> tuple[int, ...]:
    """Return the arguments of a memset of values of a size."""
    return memory(a), 7, SIZE // width, *([stream(a)] if queued else [])


VALUES = entries(
    {
        f"hipMemset{bits}{end}": partial(values, width=width, queued=bool(end))
        for bits, width in WIDTHS.items()
        for end in ("", "Async")
    }
)
PITCH, ROW, HEIGHT = 512, 16, 4
AREAS = entries(
    {
        **{
            f"hipMemset{kind}": lambda a: (memory(a), PITCH, 7, ROW // 4, HEIGHT)
            for kind in ("2D", "D2D8", "D2D16", "D2D32")
        },
        **{
            f"hipMemset{kind}Async": lambda a: (memory(a), PITCH, 7, ROW // 4, HEIGHT, stream(a))
            for kind in ("2D", "D2D8", "D2D16", "D2D32")
        },
    }
)
SLICES = entries(
    {
        "hipMemset3D": lambda a: (slices(a), 7, (100, 4, 3)),
        "hipMemset3DAsync": lambda a: (slices(a), 7, (100, 4, 3), stream(a)),
    }
)

for one in VALUES.values():
    width = WIDTHS[one.call.removeprefix("hipMemset").removesuffix("_spt").removesuffix("Async")]
    dst, _, count = one.inputs[:3]
    one.breaks("POINTER_IS_IN_MEMORY", "the host's", **{dst: new(host)})
    one.breaks("POINTER_IS_IN_MEMORY", "freed", **{dst: new(freed)})
    one.breaks("POINTER_IS_IN_MEMORY", "null", **{dst: 0})
    one.breaks("SIZE_FITS", **{count: SIZE // width + 1})
    one.undefined("MEMORY_IS_REACHED", code=0, **{dst: new(there)})
    nothing: dict[str, Any] = {dst: 0, count: 0}
    one.also("nothing at null", **nothing)
for one in AREAS.values():
    pitch = one.inputs[1]
    one.breaks("POINTER_IS_IN_MEMORY", dst=new(host))
    one.breaks("SIZE_FITS", width=512, height=9)
    one.breaks("HEIGHT_FITS", dst=lambda i: rows(i.process)[0], **{pitch: lambda i: rows(i.process)[1]}, height=5)
    one.breaks("PITCH_SPANS_THE_ROW", **{pitch: ROW // 4 - 1})
    one.breaks("ROWS_LIE_IN_MEMORY", width=2, height=9)
    one.undefined("MEMORY_IS_REACHED", code=0, dst=new(there))
for one in SLICES.values():
    one.breaks("POINTER_IS_IN_MEMORY", pitchedDevPtr=lambda i: (host(i.process), 100, 100, 4))
    one.breaks("SIZE_FITS", extent=(100, 4, 99))
    one.breaks("HEIGHT_FITS", extent=(100, 5, 1))
    one.breaks("HEIGHT_FITS", "no pitch", pitchedDevPtr=lambda i: (memory(i.process), 0, 100, 4))
    one.breaks("PITCH_SPANS_THE_ROW", pitchedDevPtr=lambda i: (memory(i.process), 99, 100, 4), extent=(98, 4, 3))
    one.breaks("PITCH_SPANS_THE_ROW", "of nothing", pitchedDevPtr=lambda i: (i.args["pitchedDevPtr"][0], 0, 0, 4))
    one.breaks("ROWS_LIE_IN_MEMORY", pitchedDevPtr=lambda i: (memory(i.process), 1000, 100, 4))
    one.undefined("MEMORY_IS_REACHED", code=0, pitchedDevPtr=lambda i: (there(i.process), 100, 100, 4))
    one.breaks("ACCESS_IS_GIVEN", pitchedDevPtr=lambda i: (mapped(i.process), 512, 100, 4))

VALUES["hipMemset"].also("nothing, whatever its place", dst=0, sizeBytes=0)
SLICES["hipMemset3D"].also("nothing at null", pitchedDevPtr=(0, 0, 0, 0), extent=(1, 0, 1))


@VALUES["hipMemsetD16"].after("one value behind the other")
def values_of_16_and_32_bits(_w: World, i: Invocation, _r: tuple[()]) -> None:
    """Check that memsets of rows leave the gaps unchanged."""
    c, ptr, queue = i.process.ok, memory(i.process), stream(i.process)
    c.hipMemsetD8(ptr, 0, SIZE)
    c.hipMemsetD16(ptr, 0x0102, 2)
    c.hipMemsetD32Async(ptr + 4, 0x01020304, 1, queue)
    c.hipMemsetD2D16(ptr + 16, 8, 0x0506, 2, 2)
    c.hipMemsetD2D32Async(ptr + 32, 8, 0x0708090A, 1, 2, queue)
    assert content(i.process, ptr, 48).hex(" ", 8).split() == [
        "0201020104030201",
        "0000000000000000",
        "0605060500000000",
        "0605060500000000",
        "0a09080700000000",
        "0a09080700000000",
    ]


@SLICES["hipMemset3D"].after("what lies between rows stays")
def between_rows(_w: World, i: Invocation, _r: tuple[()]) -> None:
    c = i.process.ok
    ptr, pitch, *size = c.hipMalloc3D((3, 2, 2))
    assert size == [3, 2]
    c.hipMemset(ptr, 0, pitch * 4)
    c.hipMemset3D((ptr, pitch, 3, 2), 7, (3, 2, 2))
    assert content(i.process, ptr, pitch * 4) == (bytes([7] * 3) + bytes(pitch - 3)) * 4
    # A pitch as wide as the extent: all is set at once, whatever ysize says.
    c.hipMemset3D((ptr, 3, 3, 9), 8, (3, 2, 2))
    assert content(i.process, ptr, 13) == bytes([8] * 12) + bytes(1)


SLICES["hipMemset3D"].only(NEW, "what-lies-between-rows-stays", "nothing-at-null")
VALUES["hipMemsetD16"].only(NEW, "one-value-behind-the-other")

test_fill = suite(*VALUES.values(), *AREAS.values(), *SLICES.values())
