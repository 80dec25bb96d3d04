"""Arrays for the cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.kit.world import Process

UINT8, UINT32, FLOAT, BC1, NV12 = 1, 3, 32, 145, 176
"""CUarray_format."""
LAYERED, SURFACE, CUBEMAP, GATHER, SPARSE, DEFERRED = 1, 2, 4, 8, 64, 128
"""CUDA_ARRAY3D_*."""
GARBAGE = 0x1234_5678_9000
ROW, ROWS = 64, 16
LEVELS = 3


def array(a: Process, width: int = ROW, height: int = ROWS, form: int = UINT8) -> int:
    """Return a new array of bytes, by default."""
    made: int = a.ok.cuArrayCreate((width, height, form, 1))
    return made


def solid(a: Process) -> int:
    """Return a new array of three dimensions."""
    made: int = a.ok.cuArray3DCreate((ROW, ROWS, 4, UINT8, 1, 0))
    return made


def mipmapped(a: Process) -> int:
    """Return a new mipmapped array."""
    made: int = a.ok.cuMipmappedArrayCreate((ROW, ROWS, 0, UINT8, 1, 0), LEVELS)
    return made


def gone(a: Process) -> int:
    """Return an array that was destroyed."""
    ended = array(a)
    a.ok.cuArrayDestroy(ended)
    return ended
