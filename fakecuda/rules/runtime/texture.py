"""Texture and surface objects in the runtime API: those of the driver, with other descriptions.

A cudaChannelFormatDesc says what memory is made of, and members of their own what the driver has as flags.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.api import RUNTIME
from fakecuda.api.resources import LINEAR, PITCHED
from fakecuda.codes import Result
from fakecuda.rules.core import Rule, guard, manual
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
from fakecuda.rules.runtime.active import active
from fakecuda.rules.runtime.array import channels_of, element_of
from fakecuda.rules.runtime.through import through

if TYPE_CHECKING:
    from fakecuda.model.call import Call

    Resource = tuple[int, tuple[int, ...], int]
    """A cudaResourceDesc, as :mod:`fakecuda.api.resources` has it."""
    Sampling = tuple[Any, ...]
    """A cudaTextureDesc."""

AS_INTEGER, NORMALIZED, SRGB, NO_TRILINEAR, SEAMLESS = 1, 2, 16, 32, 64
"""CU_TRSF_READ_AS_INTEGER, _NORMALIZED_COORDINATES, _SRGB, _DISABLE_TRILINEAR_OPTIMIZATION and _SEAMLESS_CUBEMAP."""
CHANNELS = slice(1, 6)
"""The members of a resource's memory that are a cudaChannelFormatDesc."""
LAST_READ_MODE = 1
"""Of cudaTextureReadMode."""

READ_MODE_IS_KNOWN = Rule(
    "the read mode is of cudaTextureReadMode",
    Result.INVALID_VALUE,
    manual("cudaCreateTextureObject", "specifies whether integer data should be converted to floating point or not"),
)
TEXTURE_HAS_A_VIEW = Rule(
    "the texture object was made with a view",
    Result.INVALID_VALUE,
    manual(
        "cudaGetTextureObjectResourceViewDesc",
        "If no resource view was specified",
    ),
)


@guard
def driven(resource: Resource | None) -> Resource | None:
    """Return a resource as the driver has it."""
    if resource is None or resource[0] not in {LINEAR, PITCHED}:
        return resource
    kind, used, flags = resource
    x, y, z, w, form = used[CHANNELS]
    return kind, (used[0], *element_of((x, y, z, w, form)), *used[CHANNELS.stop :]), flags


def told(resource: Resource) -> Resource:
    """Return a resource of the driver as the runtime API has it."""
    kind, used, flags = resource
    if kind not in {LINEAR, PITCHED}:
        return resource
    address, form, count, *sizes = used
    return kind, (address, *channels_of(form, count), *sizes), flags


@guard
def flagged(sampling: Sampling | None) -> Sampling | None:
    """Return how a texture is read as the driver has it."""
    if sampling is None:
        return None
    modes, near, read, srgb, border, normalized, anisotropy, between, *levels, rough, seamless = sampling
    if not 0 <= read <= LAST_READ_MODE:
        raise READ_MODE_IS_KNOWN.broken(mode=read)
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
    """Return a new texture object of the current context.

    Args:
        call: The call.
        resource: What it is made of, a cudaResourceDesc.
        sampling: How it is read, a cudaTextureDesc.
        view: What of an array is seen, a cudaResourceViewDesc; None for all of it.
    """
    active(call)
    return tex_object_create(call, driven(resource), flagged(sampling), view)


@RUNTIME.op("cudaGetTextureObjectResourceDesc")
def get_texture_object_resource_desc(call: Call, number: int) -> Resource:
    """Return what a texture object is made of."""
    active(call)
    kind, used, flags = tex_object_get_resource_desc(call, number)
    return told((kind, used, flags))


@RUNTIME.op("cudaGetTextureObjectTextureDesc")
def get_texture_object_texture_desc(call: Call, number: int) -> Sampling:
    """Return how a texture object is read; the border's colour is not kept."""
    active(call)
    modes, near, flags, anisotropy, between, *levels, border = tex_object_get_texture_desc(call, number)
    read, normalized, srgb, rough, seamless = (
        int(bool(flags & one)) for one in (AS_INTEGER, NORMALIZED, SRGB, NO_TRILINEAR, SEAMLESS)
    )
    return modes, near, 1 - read, srgb, border, normalized, anisotropy, between, *levels, rough, seamless


@RUNTIME.op("cudaGetTextureObjectResourceViewDesc")
def get_texture_object_resource_view_desc(call: Call, number: int) -> tuple[int, ...]:
    """Return what of an array a texture object shows."""
    active(call)
    view = tex_object_get_resource_view_desc(call, number)
    if not view[0]:
        raise TEXTURE_HAS_A_VIEW.broken(texture=number)
    return view


@RUNTIME.op("cudaCreateSurfaceObject")
def create_surface_object(call: Call, resource: Resource | None) -> int:
    """Return a new surface object of the current context, of an array."""
    active(call)
    return surf_object_create(call, driven(resource))


@RUNTIME.op("cudaGetSurfaceObjectResourceDesc")
def get_surface_object_resource_desc(call: Call, number: int) -> Resource:
    """Return what a surface object is made of."""
    active(call)
    kind, used, flags = surf_object_get_resource_desc(call, number)
    return kind, used, flags


through("cudaDestroySurfaceObject", surf_object_destroy)
through("cudaDestroyTextureObject", tex_object_destroy)
