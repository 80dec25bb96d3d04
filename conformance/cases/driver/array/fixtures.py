"""Arrays for the cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.case import Entry
    from conformance.kit.world import Process

UINT8, UINT32, FLOAT, BC1, NV12 = 1, 3, 32, 145, 176
"""CUarray_format."""
LAYERED, SURFACE, CUBEMAP, GATHER, SPARSE, DEFERRED = 1, 2, 4, 8, 64, 128
"""CUDA_ARRAY3D_*."""
GARBAGE = 0x1234_5678_9000
ROW, ROWS = 64, 16
SIDE = 512
"""The width and the height of two tiles of bytes."""
LEVELS = 3


def array(a: Process, width: int = ROW, height: int = ROWS, form: int = UINT8) -> int:
    """Return a new array of bytes, by default."""
    made: int = a.ok.cuArrayCreate((width, height, form, 1))
    return made


def solid(a: Process) -> int:
    """Return a new array of three dimensions."""
    made: int = a.ok.cuArray3DCreate((ROW, ROWS, 4, UINT8, 1, 0))
    return made


def mipmapped(a: Process, flags: int = 0) -> int:
    """Return a new mipmapped array."""
    made: int = a.ok.cuMipmappedArrayCreate((ROW, ROWS, 0, UINT8, 1, flags), LEVELS)
    return made


def later(a: Process, flags: int = SPARSE, size: int = SIDE) -> int:
    """Return a new square array of bytes with deferred mapping."""
    made: int = a.ok.cuArray3DCreate((size, size, 0, UINT8, 1, flags))
    return made


def level(a: Process, flags: int) -> int:
    """Return a level of a mipmapped array."""
    made: int = a.ok.cuMipmappedArrayGetLevel(mipmapped(a, flags), 0)
    return made


def gone(a: Process) -> int:
    """Return a destroyed array."""
    ended = array(a)
    a.ok.cuArrayDestroy(ended)
    return ended


def gone_mipmapped(a: Process) -> int:
    """Return a destroyed mipmapped array."""
    ended = mipmapped(a)
    a.ok.cuMipmappedArrayDestroy(ended)
    return ended


def refuse(entry: Entry, argument: str, dead: Callable[[Process], int] = gone) -> None:
    """Add the cases of a call with a destroyed array or context.

    Args:
        entry: The entry.
        argument: The argument's C name.
        dead: Returns an array that was destroyed.
    """
    entry.breaks("ARRAY_IS_GIVEN", **{argument: 0})
    entry.undefined("ARRAY_IS_KNOWN", code=Result.INVALID_HANDLE, **{argument: GARBAGE})
    entry.undefined("ARRAY_IS_LIVE", code=Result.CONTEXT_IS_DESTROYED, **{argument: lambda i: dead(i.process)})
