"""cuTexObject* calls: creation, destruction and queries of texture objects.

An object is a number of its context: where another context is current, that is another object, or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model import history
from fakecuda.model.memory import texture
from fakecuda.model.memory.array import Mipmapped, is_level
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.array.array_create import COMPRESSED, known_element
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.texture.object import ended, told
from fakecuda.rules.driver.texture.resource import CREATE, dimensions, grid_in, memory_suits, of_context, typed
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.resources import ARRAY, MIPMAPPED

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.array import Grid
    from fakecuda.rules.driver.texture.resource import Resource

    View = tuple[int, ...]

SRGB, SEAMLESS, FLAGS = 16, 64, 127
"""CU_TRSF_SRGB, CU_TRSF_SEAMLESS_CUBEMAP, and all bits of CU_TRSF."""
ONLY_SRGB = frozenset({146, 148, 150, 158})
"""Formats that must be read as sRGB."""
LAST_MODE, LAST_FILTER = 3, 1
"""The last values of CUaddress_mode and CUfilter_mode."""
CLAMP = 1
"""CU_TR_ADDRESS_MODE_CLAMP."""
LAYERED, CUBEMAP = 1, 4
VIEWS = {
    **{
        1 + 3 * kind + place: (size * channels, channels)
        for kind, size in enumerate((1, 1, 2, 2, 4, 4, 2, 4))
        for place, channels in enumerate((1, 2, 4))
    },
}
"""Bytes of an element and channels, by CUresourceViewFormat."""
SMALL_BLOCKS = frozenset({25, 28, 29})
BLOCKS = frozenset(range(25, 35))
"""View formats of 4x4 blocks, those of 8 bytes first.

They view arrays with two or four 32-bit channels.
"""
WORDS = 3
"""CU_AD_FORMAT_UNSIGNED_INT32."""
NO_VIEW: View = (0,) * 8

SAMPLING_IS_GIVEN = Rule(
    "`pTexDesc` is not null",
    Result.INVALID_VALUE,
    observed(CREATE, "the driver answers INVALID_VALUE to a null argument"),
    fix="pass the address of a CUDA_TEXTURE_DESC",
)
MODES_ARE_KNOWN = Rule(
    "each `addressMode` of the resource's dimensions is a CUaddress_mode",
    Result.INVALID_VALUE,
    manual(
        CREATE, "CUDA_TEXTURE_DESC.addressMode specifies the addressing mode for each dimension of the texture data"
    ),
    fix="set addressMode to members of CUaddress_mode",
)
FILTERS_ARE_KNOWN = Rule(
    "`filterMode` and `mipmapFilterMode` are members of CUfilter_mode",
    Result.INVALID_VALUE,
    manual(
        CREATE, "CUDA_TEXTURE_DESC.filterMode specifies the filtering mode to be used when fetching from the texture"
    ),
    fix="set filterMode and mipmapFilterMode to members of CUfilter_mode",
)
SAMPLING_FLAGS_SUIT = Rule(
    "`flags` has only bits of CU_TRSF, has SEAMLESS_CUBEMAP only for cubemaps, and has SRGB if the format requires sRGB",
    Result.INVALID_VALUE,
    manual(CREATE, "CUDA_TEXTURE_DESC.flags can be any combination of the following:"),
    fix="set only bits of CU_TRSF that the resource allows",
)
VIEW_SUITS = Rule(
    "`pResViewDesc`, if not null, has the array's element size, channels, extents, and no first level or layer past "
    "the last",
    Result.INVALID_VALUE,
    observed(
        CREATE,
        "the driver answers INVALID_VALUE to a format of another size, to other extents, to a first level or layer "
        "after the last, and to levels or layers that the array does not have",
    ),
    fix="pass a view with the array's extents and a format of the same size",
)


@guard
def sampled(sampling: tuple[Any, ...] | None, resource: Resource, grid: Grid | None) -> tuple[Any, ...]:
    """Check how a texture is read from its resource, and return that."""
    if sampling is None:
        raise SAMPLING_IS_GIVEN.broken()
    modes, near, flags, _, between, *_ = sampling
    if any(not 0 <= mode <= LAST_MODE for mode in modes[: dimensions(resource, grid)]):
        raise MODES_ARE_KNOWN.broken(modes=modes)
    if not 0 <= near <= LAST_FILTER or not 0 <= between <= LAST_FILTER:
        raise FILTERS_ARE_KNOWN.broken(filter=near, between=between)
    cube = grid is not None and grid.shape.flags & CUBEMAP
    srgb = grid is not None and grid.shape.format in ONLY_SRGB
    if flags & ~FLAGS or (flags & SEAMLESS and not cube) or (srgb and not flags & SRGB):
        raise SAMPLING_FLAGS_SUIT.broken(flags=flags)
    return sampling


@guard
def viewed(view: View | None, grid: Grid | None) -> View:
    """Return the part of an array that a texture reads: all of it, or a view.

    Whether a view has a format at all is asked later, by :func:`formed`.
    """
    if view is None or grid is None:
        return NO_VIEW
    form, width, height, depth, first_level, last_level, first_layer, last_layer = view
    shape, blocks = grid.shape, form in BLOCKS
    element = known_element(shape.format, shape.channels)
    assert element is not None  # as the array was created with it
    size = element.size
    if blocks:
        suits = shape.format == WORDS and shape.channels == (2 if form in SMALL_BLOCKS else 4)
    else:
        suits = not form or (VIEWS.get(form) == (size, shape.channels) and shape.format not in COMPRESSED)
    scale = 4 if blocks else 1
    extents = (width, height, depth) == (shape.width * scale, shape.height * scale, shape.depth)
    levels = first_level <= last_level and (isinstance(grid, Mipmapped) or is_level(grid) or not last_level)
    layers = first_layer <= last_layer and (shape.flags & LAYERED or not last_layer)
    if not (suits and extents and levels and layers):
        raise VIEW_SUITS.broken(view=view, array=grid)
    return view


@guard
def formed(view: View | None, grid: Grid) -> None:
    """Check that a view's format suits an array."""
    if view is not None and not view[0]:
        raise VIEW_SUITS.broken(view=view, array=grid)


@DRIVER.op("cuTexObjectCreate")
def tex_object_create(
    call: Call, resource: Resource | None, sampling: tuple[Any, ...] | None, view: View | None
) -> int:
    """Create a texture object in the current context, and return it.

    Args:
        call: The call.
        resource: What it is made of, as :mod:`fakecuda.spec.resources` has it.
        sampling: How it is read: a CUDA_TEXTURE_DESC.
        view: What of an array is seen: a CUDA_RESOURCE_VIEW_DESC; None for all of it.
    """
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    given = typed(resource)
    grid = None
    if given[0] in {ARRAY, MIPMAPPED}:
        grid = grid_in(call, given)
    else:
        memory_suits(context, given)
    how = sampled(sampling, given, grid)
    seen = viewed(view, grid)
    if grid is not None:
        of_context(grid, context)
        formed(view, grid)
    # EFFECT
    return texture.create(context, given, how, seen, history.here()).number


@DRIVER.op("cuTexObjectDestroy")
def tex_object_destroy(call: Call, number: int) -> None:
    """Destroy a texture object. The call ignores numbers that are not texture objects of the current context."""
    # CHECK
    ending = ended(call, number, "textures")
    # EFFECT
    if ending is not None:
        texture.end(ending, history.here())


@guard
def texture_of(call: Call, number: int) -> texture.Texture:
    """Return a texture object for a query."""
    seen = told(call, number, "textures")
    assert isinstance(seen, texture.Texture)
    return seen


@DRIVER.op("cuTexObjectGetResourceDesc")
def tex_object_get_resource_desc(call: Call, number: int) -> tuple[Any, ...]:
    """Return the resource of a texture object, in the form of :mod:`fakecuda.spec.resources`."""
    # CHECK
    return texture_of(call, number).resource


@DRIVER.op("cuTexObjectGetTextureDesc")
def tex_object_get_texture_desc(call: Call, number: int) -> tuple[Any, ...]:
    """Return the texture descriptor of a texture object, without its border colour.

    Modes of unused dimensions are CLAMP.
    """
    # CHECK
    seen = texture_of(call, number)
    # EFFECT
    modes, *rest, _ = seen.sampling
    return (tuple(mode if 0 <= mode <= LAST_MODE else CLAMP for mode in modes), *rest, (0.0,) * 4)


@DRIVER.op("cuTexObjectGetResourceViewDesc")
def tex_object_get_resource_view_desc(call: Call, number: int) -> tuple[int, ...]:
    """Return the resource view of a texture object; zeros without a view."""
    # CHECK
    return texture_of(call, number).view
