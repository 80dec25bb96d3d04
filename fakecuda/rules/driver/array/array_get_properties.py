"""What is asked of arrays that are sparse, mapped later or made of planes, and refused of all others: there are none of those here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.array.handle import array_of, mipmapped_of
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.device.ordinal import device_of

if TYPE_CHECKING:
    from fakecuda.model.array import Grid
    from fakecuda.model.call import Call

ARRAY_IS_MAPPED_LATER = Rule(
    "the array was allocated with CUDA_ARRAY3D_DEFERRED_MAPPING, or is sparse where its tiles are asked for",
    Result.INVALID_VALUE,
    manual(
        "cuArrayGetMemoryRequirements",
        "If the CUDA array is not allocated with flag CUDA_ARRAY3D_DEFERRED_MAPPING CUDA_ERROR_INVALID_VALUE will be returned",
    ),
)
ARRAY_HAS_PLANES = Rule(
    "the array has a format of several planes",
    Result.INVALID_VALUE,
    observed("cuArrayGetPlane", "an array of one plane answers INVALID_VALUE, whatever the index is"),
)


@guard
def refused(call: Call, grid: Grid) -> None:
    """Refuse what only arrays that are mapped later, or sparse ones, could tell.

    Raises:
        Broken: Always.
    """
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    raise ARRAY_IS_MAPPED_LATER.broken(array=grid)


@DRIVER.op("cuArrayGetMemoryRequirements")
def array_get_memory_requirements(call: Call, handle: int, device: int) -> None:
    """Refuse to tell what memory an array needs, which has its own."""
    # CHECK
    grid = array_of(call, handle)
    device_of(call, device)
    refused(call, grid)


@DRIVER.op("cuArrayGetSparseProperties")
def array_get_sparse_properties(call: Call, handle: int) -> None:
    """Refuse to tell of the tiles of an array, which is not sparse."""
    # CHECK
    refused(call, array_of(call, handle))


@DRIVER.op("cuMipmappedArrayGetMemoryRequirements")
def mipmapped_array_get_memory_requirements(call: Call, handle: int, device: int) -> None:
    """Refuse to tell what memory a mipmapped array needs, which has its own."""
    # CHECK
    grid = mipmapped_of(call, handle)
    device_of(call, device)
    refused(call, grid)


@DRIVER.op("cuMipmappedArrayGetSparseProperties")
def mipmapped_array_get_sparse_properties(call: Call, handle: int) -> None:
    """Refuse to tell of the tiles of a mipmapped array, which is not sparse."""
    # CHECK
    refused(call, mipmapped_of(call, handle))


@DRIVER.op("cuArrayGetPlane")
def array_get_plane(call: Call, handle: int, index: int) -> None:
    """Refuse to tell a plane of an array, which has one."""
    # CHECK
    grid = array_of(call, handle)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    raise ARRAY_HAS_PLANES.broken(array=grid, index=index)
