"""Texture objects: creation and queries of resource, sampling and view.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.texture.fixtures import (
    LAYERS,
    LEVELS,
    SAMPLING,
    SIDE,
    UINT8,
    UINT32,
    linear,
    of_another,
    of_array,
    of_levels,
    pitched,
    refuse,
    texture,
)
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

LAYERED, CUBEMAP = 1, 4
"""CUDA_ARRAY3D_LAYERED and _CUBEMAP."""
SRGB, SEAMLESS = 16, 64
BC1_SRGB = 146
"""CU_AD_FORMAT_BC1_UNORM_SRGB."""
FLOATS, BYTES, BC1 = 22, 1, 25
"""CU_RES_VIEW_FORMAT_FLOAT_1X32, _UINT_1X8 and _UNSIGNED_BC1."""


def sampled(**changed: Any) -> tuple[Any, ...]:
    """Return a CUDA_TEXTURE_DESC with other members."""
    names = ("modes", "near", "flags", "anisotropy", "between")
    return tuple(changed.get(name, value) for name, value in zip(names, SAMPLING, strict=False)) + SAMPLING[5:]


def seen(form: int = FLOATS, width: int = SIDE, height: int = SIDE, depth: int = 0, *places: int) -> tuple[int, ...]:
    """Return a CUDA_RESOURCE_VIEW_DESC with first and last levels and layers."""
    return form, width, height, depth, *(places or (0, 0, 0, 0))


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuTexObjectCreate", pResDesc=of_array(a), pTexDesc=SAMPLING, pResViewDesc=None)


def described(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the texture object's description, and destroy it."""
    a, (made,) = i.process, results
    a.ok.cuTexObjectGetResourceDesc(made)
    a.ok.cuTexObjectGetTextureDesc(made)
    a.ok.cuTexObjectGetResourceViewDesc(made)
    a.ok.cuTexObjectDestroy(made)


create = Entry("cuTexObjectCreate", valid, described)
create.null("pTexObject", "RESULT_IS_GIVEN")
refuse(create)
for name, made in {
    "a compressed format": lambda i: linear(i.process, 0, 145),
    "three channels": lambda i: linear(i.process, 0, UINT8, 3),
}.items():
    create.breaks("MEMORY_HAS_A_FORMAT", name, pResDesc=made)
create.breaks("MEMORY_HAS_A_FORMAT", "no format", pResDesc=lambda i: linear(i.process, 0, 999))
for plus in (8, 256):
    create.breaks("MEMORY_IS_ALIGNED", f"{plus}", pResDesc=lambda i, plus=plus: linear(i.process, plus))
    create.breaks("MEMORY_IS_ALIGNED", f"{plus} of rows", pResDesc=lambda i, plus=plus: pitched(i.process, plus))
create.breaks("MEMORY_IS_ALIGNED", "null", pResDesc=(2, (0, UINT8, 1, 4096), 0))
create.breaks("LINEAR_MEMORY_IS_SHORT", pResDesc=lambda i: linear(i.process, 0, UINT8, 1, 1 << 31))
create.breaks("LINEAR_MEMORY_IS_SHORT", "bytes", pResDesc=lambda i: linear(i.process, 0, UINT32, 4, 1 << 34))
for width, height, pitch in ((131073, 1, 1 << 20), (1, 65001, 32), (1, 1, 2097152), (1, 1, 16)):
    create.breaks(
        "ROWS_ARE_WITHIN_LIMITS",
        f"{width} by {height} by {pitch}",
        pResDesc=lambda i, sizes=(width, height, pitch): pitched(i.process, 0, *sizes),
    )
create.breaks("SAMPLING_IS_GIVEN", pTexDesc=None)
create.breaks("MODES_ARE_KNOWN", pTexDesc=sampled(modes=(4, 1, 1)))
create.breaks("MODES_ARE_KNOWN", "of the second dimension", pTexDesc=sampled(modes=(1, 4, 1)))
create.breaks(
    "MODES_ARE_KNOWN",
    "of the third dimension",
    pResDesc=lambda i: of_array(i.process, 2),
    pTexDesc=sampled(modes=(1, 1, 4)),
)
create.also("a mode of no dimension", pTexDesc=sampled(modes=(1, 1, 4)))
create.also("a mode of no dimension of memory", pResDesc=lambda i: linear(i.process), pTexDesc=sampled(modes=(1, 4, 4)))
create.breaks("FILTERS_ARE_KNOWN", pTexDesc=sampled(near=2))
create.breaks("FILTERS_ARE_KNOWN", "between levels", pTexDesc=sampled(between=2))
create.breaks("SAMPLING_FLAGS_SUIT", pTexDesc=sampled(flags=128))
create.breaks("SAMPLING_FLAGS_SUIT", "seamless", pTexDesc=sampled(flags=SEAMLESS))
create.breaks("SAMPLING_FLAGS_SUIT", "SRGB", pResDesc=lambda i: of_array(i.process, 0, 0, BC1_SRGB, 4))
create.also("SRGB as such", pResDesc=lambda i: of_array(i.process, 0, 0, BC1_SRGB, 4), pTexDesc=sampled(flags=SRGB))
create.also("a seamless cube", pResDesc=lambda i: of_array(i.process, 6, CUBEMAP), pTexDesc=sampled(flags=SEAMLESS))
for name, view in {
    "format": seen(BYTES),
    "no format": seen(0),
    "blocks": seen(BC1),
    "extents": seen(FLOATS, 32, 32),
    "levels": seen(FLOATS, SIDE, SIDE, 0, 0, 1, 0, 0),
    "layers": seen(FLOATS, SIDE, SIDE, 0, 0, 0, 0, 1),
}.items():
    create.breaks("VIEW_SUITS", name, pResViewDesc=view)
create.breaks(
    "VIEW_SUITS",
    "levels the wrong way round",
    pResDesc=lambda i: of_levels(i.process),
    pResViewDesc=seen(FLOATS, SIDE, SIDE, 0, 3, 1, 0, 0),
)
create.also("a view", pResViewDesc=seen())
create.also(
    "levels", pResDesc=lambda i: of_levels(i.process), pResViewDesc=seen(FLOATS, SIDE, SIDE, 0, 1, LEVELS - 1, 0, 0)
)
create.also(
    "layers",
    pResDesc=lambda i: of_array(i.process, LAYERS, LAYERED),
    pResViewDesc=seen(FLOATS, SIDE, SIDE, LAYERS, 0, 0, 2, 3),
)
create.also(
    "blocks of numbers",
    pResDesc=lambda i: of_array(i.process, 0, 0, UINT32, 2),
    pResViewDesc=seen(BC1, 4 * SIDE, 4 * SIDE),
)
create.also("a view of memory", pResDesc=lambda i: linear(i.process), pResViewDesc=seen(99), then=described)
create.also("memory of rows", pResDesc=lambda i: pitched(i.process), then=described)
# What is checked first where two things are wrong.
create.also("no sampling and a wrong view", rule="SAMPLING_IS_GIVEN", pTexDesc=None, pResViewDesc=seen(0))
create.also("no resource and no sampling", rule="RESOURCE_IS_GIVEN", pResDesc=None, pTexDesc=None)
create.also(
    "a wrong mode and a wrong view", rule="MODES_ARE_KNOWN", pTexDesc=sampled(modes=(4, 1, 1)), pResViewDesc=seen(0)
)
test_tex_object_create = create.test()


def destroyed(w: World) -> Invocation:
    a = w.process()
    return a.call("cuTexObjectDestroy", texObject=texture(a))


destroy = Entry("cuTexObjectDestroy", destroyed)
destroy.also("null", texObject=0)
destroy.also("unknown", texObject=0x7777)
destroy.also("of another context")(lambda _, i: of_another(i))


@destroy.after("twice")
def twice(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    i.process.ok.cuTexObjectDestroy(i.args["texObject"])
    i.process.c.cuTexObjectGetTextureDesc(i.args["texObject"])


@destroy.world("CONTEXT_IS_CURRENT", "no object and no context", "texObject")
def nothing(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(texObject=0)


test_tex_object_destroy = destroy.test()


def getter(what: str, result: str) -> Entry:
    """Return the entry of a call that queries a texture object."""

    def told(w: World) -> Invocation:
        a = w.process()
        return a.call(f"cuTexObjectGet{what}Desc", texObject=texture(a))

    entry = Entry(f"cuTexObjectGet{what}Desc", told)
    entry.null(result, "RESULT_IS_GIVEN")
    for number in (0, 0x7777):
        entry.breaks("OBJECT_IS_THERE", f"{number}", texObject=number)
    entry.world("OBJECT_IS_THERE", "of another context")(lambda _, i: of_another(i))

    return entry


resource = getter("Resource", "pResDesc")
sampling = getter("Texture", "pTexDesc")
view_of = getter("ResourceView", "pResViewDesc")
test_tex_object_get_resource_desc = resource.test()
test_tex_object_get_texture_desc = sampling.test()
test_tex_object_get_resource_view_desc = view_of.test()
