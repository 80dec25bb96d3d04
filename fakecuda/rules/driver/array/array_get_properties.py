"""Queries of sparse, deferred and multi-planar arrays.

Arrays without these features refuse the queries, and no modelled array has several planes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import tiling
from fakecuda.model.memory.array import DEFERRED, SPARSE, Array, Mipmapped, is_level, levels_of
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.array.handle import ARRAY_IS_GIVEN, followed
from fakecuda.rules.driver.context.current import failed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.array import Grid

    Properties = tuple[tuple[int, int, int], int, int, int]
    """CUDA_ARRAY_SPARSE_PROPERTIES."""

SINGLE_TAIL = 1
"""CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL."""

ARRAY_TO_DESCRIBE_IS_GIVEN = Rule(
    "the handle of the array or mipmapped array is not null",
    Result.INVALID_VALUE,
    observed(
        "cuArrayGetMemoryRequirements",
        "the driver answers INVALID_VALUE to a null array, also in cuArrayGetSparseProperties",
    ),
    fix="pass the handle of an existing array",
)
CONTEXT_IS_SOUND_TO_DESCRIBE = Rule(
    "no work of the context of the array or mipmapped array has failed",
    Result.INVALID_VALUE,
    observed(
        "cuArrayGetMemoryRequirements",
        "the driver answers INVALID_VALUE for an array of a context that has failed, also in cuArrayGetSparseProperties and for "
        "mipmapped arrays",
    ),
    fix="end the process after a fault, or query the array before",
)
ARRAY_IS_DEFERRED = Rule(
    "the array has CUDA_ARRAY3D_DEFERRED_MAPPING, and is not a level of a mipmapped array",
    Result.INVALID_VALUE,
    manual(
        "cuArrayGetMemoryRequirements",
        "If the CUDA array is not allocated with flag CUDA_ARRAY3D_DEFERRED_MAPPING CUDA_ERROR_INVALID_VALUE will be returned",
    ),
    fix="create the array with CUDA_ARRAY3D_DEFERRED_MAPPING; for a level, query its mipmapped array",
)
ARRAY_IS_SPARSE = Rule(
    "the array has CUDA_ARRAY3D_SPARSE, and is not a level of a mipmapped array",
    Result.INVALID_VALUE,
    manual(
        "cuArrayGetSparseProperties",
        "If the CUDA array is not allocated with flag CUDA_ARRAY3D_SPARSE CUDA_ERROR_INVALID_VALUE will be returned",
    ),
    fix="create the array with CUDA_ARRAY3D_SPARSE; for a level, query its mipmapped array",
)
ARRAY_HAS_PLANES = Rule(
    "the array has a format of several planes, such as NV12",
    Result.INVALID_VALUE,
    observed(
        "cuArrayGetPlane", "the driver answers INVALID_VALUE for an array of one plane, whatever the plane index is"
    ),
    fix="pass an array of a multi-planar format; these formats are not modelled",
)


@guard
def answerable(call: Call, handle: int, kind: type[Grid]) -> Grid:
    """Return the array of a handle. The driver dereferences it before it checks the result pointer."""
    grid = followed(call, handle, kind)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return grid


@guard
def described(call: Call, handle: int, kind: type[Grid]) -> Grid:
    """Return the array for a query that also works in a fork and in a host function."""
    require_driver_up(call)
    if not handle:
        raise ARRAY_TO_DESCRIBE_IS_GIVEN.broken()
    grid = answerable(call, handle, kind)
    if grid.context.lost:
        raise CONTEXT_IS_SOUND_TO_DESCRIBE.broken(array=grid, context=grid.context)
    return grid


@guard
def needed(call: Call, handle: int, kind: type[Grid], device: int) -> tuple[int, int]:
    """Return the size and the alignment of memory for an array with deferred mapping."""
    grid = described(call, handle, kind)
    if not grid.shape.flags & DEFERRED or is_level(grid):
        raise ARRAY_IS_DEFERRED.broken(array=grid, device=device)
    return tiling.requirement(grid.shape, grid.element, levels_of(grid)), tiling.PAGE


@guard
def tiled(call: Call, handle: int, kind: type[Grid]) -> Properties:
    """Return the sparse properties of an array: its tile extents and its mip tail."""
    grid = described(call, handle, kind)
    if not grid.shape.flags & SPARSE or is_level(grid):
        raise ARRAY_IS_SPARSE.broken(array=grid)
    tail = tiling.tail_of(grid.shape, grid.element, levels_of(grid), mipmapped=kind is Mipmapped)
    return tiling.tile_of(grid.shape, grid.element), tail.first, tail.size, SINGLE_TAIL * tail.single


@DRIVER.op("cuArrayGetMemoryRequirements")
def array_get_memory_requirements(call: Call, handle: int, device: int) -> tuple[int, int]:
    """Return the bytes and the alignment of memory for an array with deferred mapping. The call does not check the device."""
    # CHECK
    return needed(call, handle, Array, device)


@DRIVER.op("cuArrayGetSparseProperties")
def array_get_sparse_properties(call: Call, handle: int) -> Properties:
    """Return the tile extents and the mip tail of a sparse array."""
    # CHECK
    return tiled(call, handle, Array)


@DRIVER.op("cuMipmappedArrayGetMemoryRequirements")
def mipmapped_array_get_memory_requirements(call: Call, handle: int, device: int) -> tuple[int, int]:
    """Return the bytes and the alignment of memory for a mipmapped array, as cuArrayGetMemoryRequirements does."""
    # CHECK
    return needed(call, handle, Mipmapped, device)


@DRIVER.op("cuMipmappedArrayGetSparseProperties")
def mipmapped_array_get_sparse_properties(call: Call, handle: int) -> Properties:
    """Return the tile extents and the mip tail of a sparse mipmapped array."""
    # CHECK
    return tiled(call, handle, Mipmapped)


@DRIVER.op("cuArrayGetPlane")
def array_get_plane(call: Call, handle: int, index: int) -> None:
    """Refuse to return a plane, because no modelled array has several planes."""
    # CHECK
    require_driver_up(call)
    if not handle:
        raise ARRAY_IS_GIVEN.broken()
    grid = answerable(call, handle, Array)
    if grid.context.lost:
        failed(grid.context)
    raise ARRAY_HAS_PLANES.broken(array=grid, index=index)
