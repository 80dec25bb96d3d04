"""Resources of textures and surfaces, and their common refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.array.fixtures import GARBAGE, gone
from fakecuda.spec.codes import Result
from fakecuda.spec.resources import ARRAY, LINEAR, MIPMAPPED, PITCHED

if TYPE_CHECKING:
    from conformance.kit.case import Entry
    from conformance.kit.world import Invocation, Process

SIDE, LEVELS, LAYERS = 64, 4, 6
FLOAT, UINT8, UINT32 = 32, 1, 3
"""CUarray_format."""
SAMPLING: tuple[Any, ...] = ((1, 1, 1), 0, 0, 0, 0, 0.0, 0.0, 0.0, (0.0,) * 4)
"""A CUDA_TEXTURE_DESC: clamped, the nearest element."""


def array(a: Process, depth: int = 0, flags: int = 0, form: int = FLOAT, channels: int = 1) -> int:
    """Return a new array of 64 by 64 elements."""
    made: int = a.ok.cuArray3DCreate((SIDE, SIDE, depth, form, channels, flags))
    return made


def of_array(a: Process, *args: int) -> tuple[Any, ...]:
    """Return the resource of a new array; other arguments as of :func:`array`."""
    return ARRAY, (array(a, *args),), 0


def of_levels(a: Process) -> tuple[Any, ...]:
    """Return the resource of a new mipmapped array."""
    return MIPMAPPED, (a.ok.cuMipmappedArrayCreate((SIDE, SIDE, 0, FLOAT, 1, 0), LEVELS),), 0


def linear(a: Process, plus: int = 0, form: int = FLOAT, channels: int = 1, size: int = 4096) -> tuple[Any, ...]:
    """Return the resource of new linear memory, with an offset of ``plus``."""
    return LINEAR, (a.ok.cuMemAlloc(1 << 20) + plus, form, channels, size), 0


def pitched(a: Process, plus: int = 0, width: int = SIDE, height: int = SIDE, pitch: int = 512) -> tuple[Any, ...]:
    """Return the resource of new pitched memory, with an offset of ``plus``."""
    return PITCHED, (a.ok.cuMemAlloc(1 << 20) + plus, FLOAT, 1, width, height, pitch), 0


def elsewhere(a: Process) -> tuple[Any, ...]:
    """Return the resource of an array of another context that is not current."""
    a.ok.cuCtxCreate(None, 0, a.device)
    found = of_array(a)
    a.ok.cuCtxPopCurrent()
    return found


def refuse(entry: Entry) -> None:
    """Add the cases of a call with an unusable resource."""
    entry.breaks("RESOURCE_IS_GIVEN", pResDesc=None)
    for kind in (4, 99):
        entry.breaks("TYPE_IS_KNOWN", f"{kind}", pResDesc=(kind, (), 0))
    entry.breaks("RESOURCE_FLAGS_ARE_ZERO", pResDesc=lambda i: (*of_array(i.process)[:2], 1))
    entry.breaks("ARRAY_IS_A_RESOURCE", pResDesc=(ARRAY, (0,), 0))
    entry.breaks("ARRAY_IS_THE_CONTEXT_S", pResDesc=lambda i: elsewhere(i.process))
    entry.undefined("ARRAY_IS_KNOWN", code=Result.INVALID_HANDLE, pResDesc=(ARRAY, (GARBAGE,), 0))
    entry.undefined(
        "ARRAY_IS_LIVE", code=Result.CONTEXT_IS_DESTROYED, pResDesc=lambda i: (ARRAY, (gone(i.process),), 0)
    )
    # What is checked first where two things are wrong.
    entry.also("an unknown type with flags", rule="TYPE_IS_KNOWN", pResDesc=(99, (), 1))
    entry.also("no array with flags", rule="RESOURCE_FLAGS_ARE_ZERO", pResDesc=(ARRAY, (0,), 1))


def texture(a: Process) -> int:
    """Return a new texture object."""
    made: int = a.ok.cuTexObjectCreate(of_array(a), SAMPLING, None)
    return made


def surface(a: Process) -> int:
    """Return a new surface object."""
    made: int = a.ok.cuSurfObjectCreate(of_array(a))
    return made


def of_another(i: Invocation) -> None:
    """Make another context current."""
    i.process.ok.cuCtxCreate(None, 0, i.process.device)
