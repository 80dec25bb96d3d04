"""Queries of sparse, deferred and multi-planar arrays. Other arrays refuse them, and the model has only others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.array import Array, Mipmapped
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.array.handle import ARRAY_IS_GIVEN, followed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.array import Grid

ARRAY_TO_DESCRIBE_IS_GIVEN = Rule(
    "the handle of the array or mipmapped array is not null",
    Result.INVALID_VALUE,
    observed("cuArrayGetMemoryRequirements", "null answers INVALID_VALUE, of cuArrayGetSparseProperties, too"),
    fix="pass the handle that the call which created the array returned",
)
ARRAY_IS_MAPPED_LATER = Rule(
    "the array has CUDA_ARRAY3D_DEFERRED_MAPPING for memory requirements, CUDA_ARRAY3D_SPARSE for sparse properties",
    Result.INVALID_VALUE,
    manual(
        "cuArrayGetMemoryRequirements",
        "If the CUDA array is not allocated with flag CUDA_ARRAY3D_DEFERRED_MAPPING CUDA_ERROR_INVALID_VALUE will be returned",
    ),
    fix="pass an array with CUDA_ARRAY3D_DEFERRED_MAPPING or CUDA_ARRAY3D_SPARSE; they are not modelled",
)
ARRAY_HAS_PLANES = Rule(
    "the array has a format of several planes, such as NV12",
    Result.INVALID_VALUE,
    observed("cuArrayGetPlane", "an array of one plane answers INVALID_VALUE, whatever the index is"),
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
    """Return the array for a query that needs no cuInit: it works in a fork and in a host function."""
    require_driver_up(call)
    if not handle:
        raise ARRAY_TO_DESCRIBE_IS_GIVEN.broken()
    return answerable(call, handle, kind)


@DRIVER.op("cuArrayGetMemoryRequirements")
def array_get_memory_requirements(call: Call, handle: int, device: int) -> None:
    """Refuse the memory requirements of an array with its own memory. The call does not check the device."""
    # CHECK
    grid = described(call, handle, Array)
    raise ARRAY_IS_MAPPED_LATER.broken(array=grid, device=device)


@DRIVER.op("cuArrayGetSparseProperties")
def array_get_sparse_properties(call: Call, handle: int) -> None:
    """Refuse the sparse properties of an array that is not sparse."""
    # CHECK
    grid = described(call, handle, Array)
    raise ARRAY_IS_MAPPED_LATER.broken(array=grid)


@DRIVER.op("cuMipmappedArrayGetMemoryRequirements")
def mipmapped_array_get_memory_requirements(call: Call, handle: int, device: int) -> None:
    """Refuse the memory requirements of a mipmapped array with its own memory. The call does not check the device."""
    # CHECK
    grid = described(call, handle, Mipmapped)
    raise ARRAY_IS_MAPPED_LATER.broken(array=grid, device=device)


@DRIVER.op("cuMipmappedArrayGetSparseProperties")
def mipmapped_array_get_sparse_properties(call: Call, handle: int) -> None:
    """Refuse the sparse properties of a mipmapped array that is not sparse."""
    # CHECK
    grid = described(call, handle, Mipmapped)
    raise ARRAY_IS_MAPPED_LATER.broken(array=grid)


@DRIVER.op("cuArrayGetPlane")
def array_get_plane(call: Call, handle: int, index: int) -> None:
    """Refuse a plane of an array with a single plane."""
    # CHECK
    require_driver_up(call)
    if not handle:
        raise ARRAY_IS_GIVEN.broken()
    grid = answerable(call, handle, Array)
    raise ARRAY_HAS_PLANES.broken(array=grid, index=index)
