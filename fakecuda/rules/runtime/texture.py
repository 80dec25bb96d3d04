"""Texture and surface objects in the runtime API: driver objects with other descriptors.

A cudaChannelFormatDesc says what memory is made of, and members of their own what the driver has as flags.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.call import NO_NULLS
from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.driver.texture.surf_object import (
    surf_object_create,
    surf_object_destroy,
    surf_object_get_resource_desc,
)
from fakecuda.rules.driver.texture.tex_object import (
    tex_object_create,
    tex_object_destroy,
    tex_object_get_resource_desc,
    tex_object_get_resource_view_desc,
    tex_object_get_texture_desc,
)
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active
from fakecuda.rules.runtime.array import KINDS, channels_of, element_of
from fakecuda.rules.runtime.through import through
from fakecuda.spec.codes import Error, Result
from fakecuda.spec.resources import ARRAY, LINEAR, MIPMAPPED, PITCHED

if TYPE_CHECKING:
    from fakecuda.model.call import Call

    Resource = tuple[int, tuple[int, ...], int]
    """A cudaResourceDesc in the form of :mod:`fakecuda.spec.resources`."""
    Sampling = tuple[Any, ...]
    """A cudaTextureDesc."""

AS_INTEGER, NORMALIZED, SRGB, NO_TRILINEAR, SEAMLESS = 1, 2, 16, 32, 64
"""CU_TRSF_READ_AS_INTEGER, _NORMALIZED_COORDINATES, _SRGB, _DISABLE_TRILINEAR_OPTIMIZATION and _SEAMLESS_CUBEMAP."""
CHANNELS = slice(1, 6)
"""The slice of a memory resource's values that is a cudaChannelFormatDesc."""
NAMED = frozenset(KINDS)
"""Array formats that have a cudaChannelFormatKind of their own."""

RESOURCE_IS_THERE = Rule(
    "`pResDesc` is not null",
    Result.INVALID_VALUE,
    observed(
        "cudaCreateTextureObject",
        "the library answers cudaErrorInvalidValue to a null descriptor, before every other check",
    ),
    fix="pass the address of a cudaResourceDesc",
)
SAMPLING_IS_THERE = Rule(
    "`pTexDesc` is not null",
    Result.INVALID_HANDLE,
    observed(
        "cudaCreateTextureObject",
        "the library answers cudaErrorInvalidResourceHandle to a null array, before it checks the resource type and "
        "the result pointer",
    ),
    fix="pass the address of a cudaTextureDesc",
)
ARRAY_IS_THERE = Rule(
    "the array in `pResDesc` is not null if the resource is an array or a mipmapped array",
    Result.INVALID_HANDLE,
    observed(
        "cudaCreateTextureObject",
        "the library answers cudaErrorInvalidResourceHandle to a null descriptor, also for surfaces, before it checks "
        "the result pointer",
    ),
    fix="pass the array that cudaMallocArray returned",
)
COMPONENTS_ARE_PLAIN = Rule(
    "the channel kind of a linear or pitch2D resource is signed, unsigned or float, not normalized or compressed",
    Error.INVALID_NORM_SETTING,
    observed(
        "cudaCreateTextureObject",
        "the library answers cudaErrorInvalidNormSetting to memory with a normalized or block-compressed channel "
        "kind, before it checks the result pointer, the address and the modes",
    ),
    fix="use a cudaChannelFormatDesc of signed, unsigned or floating-point numbers, or create the texture of an array",
)
SAMPLING_HAS_A_PLACE = Rule(
    "`pTexDesc` is not null",
    Result.INVALID_HANDLE,
    observed(
        "cudaGetTextureObjectTextureDesc",
        "the library answers cudaErrorInvalidResourceHandle to a null result pointer, before it checks the object",
    ),
    fix="pass the address of a cudaTextureDesc for the result",
)
SURFACE_S_RESOURCE_HAS_A_PLACE = Rule(
    "`pResDesc` is not null",
    Result.INVALID_DEVICE,
    observed(
        "cudaGetSurfaceObjectResourceDesc",
        "the library answers cudaErrorInvalidDevice to a null result pointer, before it checks the object",
    ),
    fix="pass the address of a cudaResourceDesc for the result",
)


@guard
def there(resource: Resource | None) -> Resource:
    """Return a resource descriptor; neither it nor its array may be null."""
    if resource is None:
        raise RESOURCE_IS_THERE.broken()
    if resource[0] in {ARRAY, MIPMAPPED} and not resource[1][0]:
        raise ARRAY_IS_THERE.broken()
    return resource


@guard
def driven(resource: Resource) -> Resource:
    """Convert a resource descriptor to the driver's form."""
    if resource[0] not in {LINEAR, PITCHED}:
        return resource
    kind, used, flags = resource
    x, y, z, w, form = used[CHANNELS]
    return kind, (used[0], *element_of((x, y, z, w, form)), *used[CHANNELS.stop :]), flags


@guard
def plain(resource: Resource) -> Resource:
    """Check that a texture's memory has plain components; return the resource."""
    if resource[0] in {LINEAR, PITCHED} and resource[1][1] in NAMED:
        raise COMPONENTS_ARE_PLAIN.broken(format=resource[1][1])
    return resource


def told(resource: Resource) -> Resource:
    """Convert a driver resource descriptor to the runtime's form."""
    kind, used, flags = resource
    if kind not in {LINEAR, PITCHED}:
        return resource
    address, form, count, *sizes = used
    return kind, (address, *channels_of(form, count), *sizes), flags


def flagged(sampling: Sampling) -> Sampling:
    """Convert a texture descriptor to the driver's form; unknown read modes normalize."""
    modes, near, read, srgb, border, normalized, anisotropy, between, *levels, rough, seamless = sampling
    flags = (
        AS_INTEGER * (not read)
        | NORMALIZED * bool(normalized)
        | SRGB * bool(srgb)
        | NO_TRILINEAR * bool(rough)
        | SEAMLESS * bool(seamless)
    )
    return modes, near, flags, anisotropy, between, *levels, border


@RUNTIME.op("cudaCreateTextureObject")
def create_texture_object(
    call: Call, resource: Resource | None, sampling: Sampling | None, view: tuple[int, ...] | None
) -> int:
    """Create a texture object in the current context, and return it.

    Args:
        call: The call.
        resource: What it is made of, a cudaResourceDesc.
        sampling: How it is read, a cudaTextureDesc.
        view: What of an array is seen, a cudaResourceViewDesc; None for all of it.
    """
    active(call)
    if resource is not None and sampling is None:
        raise SAMPLING_IS_THERE.broken()
    given = plain(driven(there(resource)))
    assert sampling is not None
    return tex_object_create(call, given, flagged(sampling), view)


@RUNTIME.op("cudaGetTextureObjectResourceDesc")
def get_texture_object_resource_desc(call: Call, number: int) -> Resource:
    """Return the resource of a texture object."""
    active(call)
    kind, used, flags = tex_object_get_resource_desc(call, number)
    return told((kind, used, flags))


@RUNTIME.op("cudaGetTextureObjectTextureDesc")
def get_texture_object_texture_desc(call: Call, number: int) -> Sampling:
    """Return the texture descriptor of a texture object, without its border colour."""
    active(call)
    if call.nulls:
        raise SAMPLING_HAS_A_PLACE.broken(nulls=call.nulls)
    modes, near, flags, anisotropy, between, *levels, border = tex_object_get_texture_desc(call, number)
    read, normalized, srgb, rough, seamless = (
        int(bool(flags & one)) for one in (AS_INTEGER, NORMALIZED, SRGB, NO_TRILINEAR, SEAMLESS)
    )
    return modes, near, 1 - read, srgb, border, normalized, anisotropy, between, *levels, rough, seamless


@RUNTIME.op("cudaGetTextureObjectResourceViewDesc")
def get_texture_object_resource_view_desc(call: Call, number: int) -> tuple[int, ...]:
    """Return the resource view of a texture object; zeros without a view.

    The place of the result may be null.
    """
    active(call)
    view: tuple[int, ...] = tex_object_get_resource_view_desc(call.without(NO_NULLS), number)
    return view


@RUNTIME.op("cudaCreateSurfaceObject")
def create_surface_object(call: Call, resource: Resource | None) -> int:
    """Create a surface object of an array in the current context, and return it."""
    active(call)
    return surf_object_create(call, driven(there(resource)))


@RUNTIME.op("cudaGetSurfaceObjectResourceDesc")
def get_surface_object_resource_desc(call: Call, number: int) -> Resource:
    """Return the resource of a surface object."""
    active(call)
    if call.nulls:
        raise SURFACE_S_RESOURCE_HAS_A_PLACE.broken(nulls=call.nulls)
    kind, used, flags = surf_object_get_resource_desc(call, number)
    return kind, used, flags


through("cudaDestroySurfaceObject", surf_object_destroy)
through("cudaDestroyTextureObject", tex_object_destroy)
