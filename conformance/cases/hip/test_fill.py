"""Memsets of HIP: values, rows of them and slices of rows are set."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.hip.fixtures import SIZE, entries, freed, host, mapped, memory, new, rows, slices, stream
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.kit.world import Process

WIDTHS = {"": 1, "D8": 1, "D16": 2, "D32": 4}
"""The bytes of a value, by what a call's name ends with."""


def values(a: Process, width: int, *, queued: bool = False) -> tuple[int, ...]:
    """Return the arguments of a memset of values of so many bytes."""
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
    nothing: dict[str, Any] = {dst: 0, count: 0}
    one.also("nothing at null", **nothing)
for one in AREAS.values():
    pitch = one.inputs[1]
    one.breaks("POINTER_IS_IN_MEMORY", dst=new(host))
    one.breaks("SIZE_FITS", width=512, height=9)
    one.breaks("HEIGHT_FITS", dst=lambda i: rows(i.process)[0], **{pitch: lambda i: rows(i.process)[1]}, height=5)
    one.breaks("PITCH_SPANS_THE_ROW", **{pitch: ROW // 4 - 1})
    one.breaks("ROWS_LIE_IN_MEMORY", width=2, height=9)
for one in SLICES.values():
    one.breaks("POINTER_IS_IN_MEMORY", pitchedDevPtr=lambda i: (host(i.process), 100, 100, 4))
    one.breaks("SIZE_FITS", extent=(100, 4, 99))
    one.breaks("HEIGHT_FITS", extent=(100, 5, 1))
    one.breaks("HEIGHT_FITS", "no pitch", pitchedDevPtr=lambda i: (memory(i.process), 0, 100, 4))
    one.breaks("PITCH_SPANS_THE_ROW", pitchedDevPtr=lambda i: (memory(i.process), 99, 100, 4), extent=(98, 4, 3))
    one.breaks("PITCH_SPANS_THE_ROW", "of nothing", pitchedDevPtr=lambda i: (i.args["pitchedDevPtr"][0], 0, 0, 4))
    one.breaks("ROWS_LIE_IN_MEMORY", pitchedDevPtr=lambda i: (memory(i.process), 1000, 100, 4))
    one.breaks("ACCESS_IS_GIVEN", pitchedDevPtr=lambda i: (mapped(i.process), 512, 100, 4))

test_fill = suite(*VALUES.values(), *AREAS.values(), *SLICES.values())
