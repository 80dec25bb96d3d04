"""cuSurfObject* calls: surface objects, by which kernels write arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model import history
from fakecuda.model.memory import texture
from fakecuda.rules.core import Rule, manual, observed, undefined
from fakecuda.rules.driver.array.array_create import COMPRESSED
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.texture.object import ended, told
from fakecuda.rules.driver.texture.resource import grid_in, of_context, typed
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.resources import ARRAY

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.driver.texture.resource import Resource

SURFACES_ARE_ARRAYS = Rule(
    "the resource in `pResDesc` is an array, with `resType` CU_RESOURCE_TYPE_ARRAY",
    Result.INVALID_VALUE,
    manual("cuSurfObjectCreate", "must be CU_RESOURCE_TYPE_ARRAY"),
    fix="create the surface object of an array",
)
SURFACES_SHOW_ELEMENTS = Rule(
    "the array in `pResDesc` does not have a block-compressed format",
    Result.INVALID_VALUE,
    observed("cuSurfObjectCreate", "the driver answers INVALID_VALUE to an array with a BC format"),
    fix="create the surface object of an array whose format is not compressed",
)
SURFACE_HAS_A_PLACE = Rule(
    "`pSurfObject` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuSurfObjectCreate",
        "the manual says nothing about a null argument; driver 580 writes to the null pointer (segmentation fault)",
    ),
    fix="pass the address of a CUsurfObject",
)


@DRIVER.op("cuSurfObjectCreate")
def surf_object_create(call: Call, resource: Resource | None) -> int:
    """Return a new surface object of the current context; its array need not have been made for surfaces.

    Args:
        call: The call.
        resource: What it is made of, as :mod:`fakecuda.spec.resources` has it.
    """
    # CHECK
    context = current(call)
    given = typed(resource)
    if given[0] != ARRAY:
        raise SURFACES_ARE_ARRAYS.broken(type=given[0])
    grid = grid_in(call, given)
    of_context(grid, context)
    if grid.shape.format in COMPRESSED:
        raise SURFACES_SHOW_ELEMENTS.broken(array=grid)
    if call.nulls:
        call.undefined(SURFACE_HAS_A_PLACE)
        raise SURFACE_HAS_A_PLACE.broken(nulls=call.nulls)
    # EFFECT
    return texture.create_surface(context, given, history.here()).number


@DRIVER.op("cuSurfObjectDestroy")
def surf_object_destroy(call: Call, number: int) -> None:
    """Destroy a surface object. The call ignores numbers that are not texture objects of the current context."""
    # CHECK
    ending = ended(call, number, "surfaces")
    # EFFECT
    if ending is not None:
        texture.end(ending, history.here())


@DRIVER.op("cuSurfObjectGetResourceDesc")
def surf_object_get_resource_desc(call: Call, number: int) -> tuple[Any, ...]:
    """Return the resource of a surface object, in the form of :mod:`fakecuda.spec.resources`."""
    # CHECK
    return told(call, number, "surfaces").resource
