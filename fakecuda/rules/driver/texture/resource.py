"""Rules of the resources of textures and surfaces: arrays of the current context, or linear memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.memory.array import Array, Mipmapped
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.array.array_create import PLAIN
from fakecuda.rules.driver.array.handle import ARRAY_IS_KNOWN, ARRAY_IS_LIVE
from fakecuda.spec.codes import Result
from fakecuda.spec.resources import ARRAY, LINEAR, MIPMAPPED, PITCHED

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.memory.array import Grid

    Resource = tuple[int, tuple[int, ...], int]

CREATE = "cuTexObjectCreate"
ALIGNMENT, PITCH_ALIGNMENT = 14, 51
"""CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT and _TEXTURE_PITCH_ALIGNMENT."""
WIDTH, HEIGHT, PITCH = 70, 71, 72
"""CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH, _HEIGHT and _PITCH."""
MOST_ELEMENTS, MOST_BYTES = 1 << 30, 1 << 32
"""The maximum elements and bytes of a 1D linear texture."""
SHARED_EXPONENT = 80
"""The shared-exponent format, which counts as one channel in memory."""
CHANNELS = frozenset({1, 2, 4})

RESOURCE_IS_GIVEN = Rule(
    "`pResDesc` is not null",
    Result.INVALID_VALUE,
    observed(CREATE, "the driver answers INVALID_VALUE to a null argument"),
    fix="pass the address of a CUDA_RESOURCE_DESC",
)
TYPE_IS_KNOWN = Rule(
    "`resType` is a CUresourcetype",
    Result.INVALID_VALUE,
    manual(CREATE, "CUDA_RESOURCE_DESC.resType specifies the type of resource to texture from"),
    fix="set resType to a CUresourcetype",
)
RESOURCE_FLAGS_ARE_ZERO = Rule(
    "`flags` of `pResDesc` is 0",
    Result.INVALID_VALUE,
    manual(CREATE, "flags must be set to zero"),
    fix="set flags of the resource to 0",
)
ARRAY_IS_A_RESOURCE = Rule(
    "the array or mipmapped array in `pResDesc` is not null",
    Result.INVALID_VALUE,
    observed(CREATE, "the driver answers INVALID_VALUE to a null texture descriptor"),
    fix="pass the handle of an array",
)
ARRAY_IS_THE_CONTEXT_S = Rule(
    "the array in `pResDesc` belongs to the current context",
    Result.PEER_ACCESS_NOT_ENABLED,
    observed(CREATE, "the driver answers PEER_ACCESS_NOT_ENABLED to an array of another context"),
    fix="make the array's context current first",
)
MEMORY_HAS_A_FORMAT = Rule(
    "linear or pitched memory in `pResDesc` has elements of 1, 2 or 4 channels of whole bytes",
    Result.INVALID_VALUE,
    observed(
        CREATE,
        "the driver answers INVALID_VALUE to compressed formats, and to formats that prescribe their number of channels",
    ),
    fix="use a format of whole bytes with 1, 2 or 4 channels",
)
MEMORY_IS_ALIGNED = Rule(
    "`devPtr` of linear or pitched memory is not null and is a multiple of CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT",
    Result.INVALID_VALUE,
    manual(
        CREATE,
        "CUDA_RESOURCE_DESC.res.linear.devPtr must be set to a valid device pointer, that is aligned to CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT",
    ),
    fix="pass an address that is a multiple of CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT",
)
LINEAR_MEMORY_IS_SHORT = Rule(
    "linear memory in `pResDesc` has at most 2^30 elements and at most 2^32 bytes",
    Result.INVALID_VALUE,
    manual(
        CREATE,
        "The total number of elements in the linear address range cannot exceed CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH",
    ),
    fix="use less memory, or more channels for each element",
)
ROWS_ARE_WITHIN_LIMITS = Rule(
    "`width`, `height`, `pitchInBytes` of 2D memory are within device limits; `pitchInBytes` is a multiple of the "
    "alignment",
    Result.INVALID_VALUE,
    manual(CREATE, "Pitch cannot exceed CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH"),
    fix="keep within CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH, _HEIGHT and _PITCH",
)


@guard
def typed(resource: Resource | None) -> Resource:
    """Return a resource descriptor, which must not be null and have a known type."""
    if resource is None:
        raise RESOURCE_IS_GIVEN.broken()
    kind, _, flags = resource
    if kind not in {ARRAY, MIPMAPPED, LINEAR, PITCHED}:
        raise TYPE_IS_KNOWN.broken(type=kind)
    if flags:
        raise RESOURCE_FLAGS_ARE_ZERO.broken(flags=flags)
    return resource


@guard
def grid_in(call: Call, resource: Resource) -> Grid:
    """Return the array or mipmapped array of a resource."""
    kind, (handle,), _ = resource
    if not handle:
        raise ARRAY_IS_A_RESOURCE.broken()
    grid = call.process.arrays.get(handle)
    wanted = Array if kind == ARRAY else Mipmapped
    if grid is None and isinstance(call.process.freed.get(handle), wanted):
        call.undefined(ARRAY_IS_LIVE, array=call.process.freed[handle])
        raise ARRAY_IS_LIVE.broken(array=call.process.freed[handle])
    if not isinstance(grid, wanted):
        call.undefined(ARRAY_IS_KNOWN, array=grid or handle)
        raise ARRAY_IS_KNOWN.broken(array=grid or handle)
    return grid


@guard
def of_context(grid: Grid, context: Context) -> None:
    """Check that an array belongs to the current context."""
    if grid.context is not context:
        raise ARRAY_IS_THE_CONTEXT_S.broken(array=grid, context=context)


def element_of(form: int, channels: int) -> int:
    """Return the element size of linear or pitched memory; 0 for an invalid element."""
    if (form, channels) == (SHARED_EXPONENT, 1):
        return 4
    return PLAIN[form] * channels if form in PLAIN and channels in CHANNELS else 0


def longest(element: int) -> int:
    """Return the maximum number of elements of a size in 1D memory."""
    return min(MOST_ELEMENTS, MOST_BYTES // element)


@guard
def memory_suits(context: Context, resource: Resource) -> None:
    """Check linear or pitched memory of a texture, without looking it up."""
    kind, (address, form, channels, *sizes), _ = resource
    has = context.device.profile.attributes
    element = element_of(form, channels)
    if not element:
        raise MEMORY_HAS_A_FORMAT.broken(format=form, channels=channels)
    if not address or address % has[ALIGNMENT]:
        raise MEMORY_IS_ALIGNED.broken(address=address, alignment=has[ALIGNMENT])
    if kind == LINEAR:
        if sizes[0] > MOST_BYTES or sizes[0] // element > MOST_ELEMENTS:
            raise LINEAR_MEMORY_IS_SHORT.broken(size=sizes[0], element=element)
        return
    width, height, pitch = sizes
    if width > has[WIDTH] or height > has[HEIGHT] or pitch > has[PITCH] or pitch % has[PITCH_ALIGNMENT]:
        raise ROWS_ARE_WITHIN_LIMITS.broken(width=width, height=height, pitch=pitch)


def dimensions(resource: Resource, grid: Any) -> int:
    """Return the number of dimensions of a resource, without layers and faces."""
    if grid is None:
        return 1 if resource[0] == LINEAR else 2
    shape = grid.shape
    return 1 + bool(shape.height) + bool(shape.depth and not shape.flags & LAYERS)


LAYERS = 1 | 4
"""CUDA_ARRAY3D_LAYERED and _CUBEMAP."""
