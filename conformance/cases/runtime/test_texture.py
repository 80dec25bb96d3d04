"""Texture and surface objects in the runtime API: creation and queries.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TEXTURE__OBJECT.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.runtime.fixtures import BYTES, FLOATS
from conformance.cases.runtime.test_array import GARBAGE, gone
from conformance.cases.runtime.test_library import current
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result
from fakecuda.spec.resources import ARRAY, LINEAR, MIPMAPPED, PITCHED

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

SIDE = 64
THREE, NO_KIND = (8, 8, 8, 0, 1), (8, 0, 0, 0, 99)
"""cudaChannelFormatDesc structs that textures refuse."""
BC1, NORMALIZED = (8, 8, 8, 8, 17), (8, 0, 0, 0, 5)
NAMES = (
    *("modes", "near", "read", "srgb", "border", "normalized", "anisotropy", "between"),
    *("bias", "least", "most", "rough", "seamless"),
)
PLAIN = ((1, 1, 1), 0, 0, 0, (0.0,) * 4, 0, 0, 0, 0.0, 0.0, 0.0, 0, 0)
"""A cudaTextureDesc: clamped, the nearest element."""
BYTE_VIEW = (1, SIDE, SIDE, 0, 0, 0, 0, 0)
"""A cudaResourceViewDesc of all of an array of bytes."""


def sampled(**changed: Any) -> tuple[Any, ...]:
    """Return a cudaTextureDesc with other members."""
    return tuple(changed.get(name, value) for name, value in zip(NAMES, PLAIN, strict=True))


def of_array(a: Process, channels: tuple[int, ...] = BYTES) -> tuple[Any, ...]:
    """Return the resource of a new array."""
    return ARRAY, (a.ok.cudaMallocArray(channels, SIDE, SIDE, 0),), 0


def of_levels(a: Process) -> tuple[Any, ...]:
    """Return the resource of a new mipmapped array."""
    return MIPMAPPED, (a.ok.cudaMallocMipmappedArray(BYTES, (SIDE, SIDE, 0), 3, 0),), 0


def linear(a: Process, channels: tuple[int, ...] = BYTES, plus: int = 0, size: int = 4096) -> tuple[Any, ...]:
    """Return the resource of new linear memory, with an offset of ``plus``."""
    return LINEAR, (a.ok.cudaMalloc(1 << 20) + plus, *channels, size), 0


def pitched(a: Process, channels: tuple[int, ...] = BYTES, pitch: int = 512) -> tuple[Any, ...]:
    """Return the resource of new pitched memory."""
    return PITCHED, (a.ok.cudaMalloc(1 << 20), *channels, SIDE, SIDE, pitch), 0


def texture(a: Process, view: tuple[int, ...] | None = None) -> int:
    """Return a new texture object."""
    made: int = a.ok.cudaCreateTextureObject(of_array(a), PLAIN, view)
    return made


def surface(a: Process) -> int:
    """Return a new surface object."""
    made: int = a.ok.cudaCreateSurfaceObject(of_array(a))
    return made


def described(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the object's description, and destroy it."""
    a, (made,) = i.process, results
    a.ok.cudaGetTextureObjectResourceDesc(made)
    a.ok.cudaGetTextureObjectTextureDesc(made)
    a.ok.cudaDestroyTextureObject(made)


def seen(w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the object's resource view and description."""
    i.process.ok.cudaGetTextureObjectResourceViewDesc(*results)
    described(w, i, results)


def told(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the object's description, and destroy it."""
    i.process.ok.cudaGetSurfaceObjectResourceDesc(*results)
    i.process.ok.cudaDestroySurfaceObject(*results)


creates = Entry.of("cudaCreateTextureObject", lambda a: (of_array(a), PLAIN, None), then=described)
surfaces = Entry.of("cudaCreateSurfaceObject", lambda a: (of_array(a),), then=told)
destroys = Entry.of("cudaDestroyTextureObject", lambda a: (texture(a),))
destroys_surface = Entry.of("cudaDestroySurfaceObject", lambda a: (surface(a),))
resource = Entry.of("cudaGetTextureObjectResourceDesc", lambda a: (texture(a),))
sampling = Entry.of("cudaGetTextureObjectTextureDesc", lambda a: (texture(a),))
views = Entry.of("cudaGetTextureObjectResourceViewDesc", lambda a: (texture(a, BYTE_VIEW),))
resource_of_surface = Entry.of("cudaGetSurfaceObjectResourceDesc", lambda a: (surface(a),))
ALL = (creates, surfaces, destroys, destroys_surface, resource, sampling, views, resource_of_surface)


def refuse(one: Entry) -> None:
    """Add the cases of a call with an unusable resource."""
    one.breaks("RESOURCE_IS_THERE", pResDesc=None)
    one.breaks("TYPE_IS_KNOWN", pResDesc=(9, (), 0))
    one.breaks("ARRAY_IS_THERE", pResDesc=(ARRAY, (0,), 0))
    one.undefined("ARRAY_IS_KNOWN", code=Result.INVALID_HANDLE, pResDesc=(ARRAY, (GARBAGE,), 0))
    one.undefined("ARRAY_IS_LIVE", code=Result.CONTEXT_IS_DESTROYED, pResDesc=lambda i: (ARRAY, (gone(i.process),), 0))
    for name, channels in {"three channels": THREE, "no kind": NO_KIND}.items():
        one.breaks("CHANNELS_ARE_A_FORMAT", name, pResDesc=lambda i, channels=channels: linear(i.process, channels))
    one.breaks("CHANNELS_ARE_A_FORMAT", "rows", pResDesc=lambda i: pitched(i.process, THREE))


for one in (creates, surfaces):
    refuse(one)
creates.null("pTexObject", "RESULT_IS_GIVEN")
surfaces.undefined("SURFACE_HAS_A_PLACE", code=Result.INVALID_VALUE)(lambda _w, i: attrs.evolve(i, null="pSurfObject"))
for name, made in {"mipmapped": of_levels, "linear": linear, "pitched": pitched}.items():
    surfaces.breaks("SURFACES_ARE_ARRAYS", name, pResDesc=lambda i, made=made: made(i.process))
    creates.also(name, pResDesc=lambda i, made=made: made(i.process), then=described)
creates.breaks("COMPONENTS_ARE_PLAIN", pResDesc=lambda i: linear(i.process, BC1))
creates.breaks("COMPONENTS_ARE_PLAIN", "normalized numbers", pResDesc=lambda i: linear(i.process, NORMALIZED))
creates.breaks("MEMORY_IS_ALIGNED", pResDesc=lambda i: linear(i.process, BYTES, 8))
creates.breaks("LINEAR_MEMORY_IS_SHORT", pResDesc=lambda i: linear(i.process, BYTES, 0, 1 << 31))
creates.breaks("ROWS_ARE_WITHIN_LIMITS", pResDesc=lambda i: pitched(i.process, BYTES, 16))
creates.breaks("SAMPLING_IS_THERE", pTexDesc=None)
creates.also("a read mode that is none", pTexDesc=sampled(read=2))
creates.breaks("MODES_ARE_KNOWN", pTexDesc=sampled(modes=(4, 1, 1)))
creates.breaks("FILTERS_ARE_KNOWN", pTexDesc=sampled(near=2))
creates.breaks("SAMPLING_FLAGS_SUIT", pTexDesc=sampled(seamless=1))
creates.breaks("VIEW_SUITS", pResViewDesc=(1, SIDE, 1, 0, 0, 0, 0, 0))
creates.also("two floats", pResDesc=lambda i: linear(i.process, FLOATS), then=described)
creates.also("a view", pResViewDesc=BYTE_VIEW, then=seen)
OTHERS: dict[str, dict[str, Any]] = {
    "normalized floats": {"read": 1, "normalized": 1},
    "normalized by another number": {"normalized": 7},
    "linear filters": {"near": 1, "between": 1, "read": 1},
    "all else": {"srgb": 1, "rough": 1, "anisotropy": 99, "bias": 0.5, "least": 1.0, "most": 2.0, "border": (0.5,) * 4},
}
for name, changed in OTHERS.items():
    creates.also(name, pTexDesc=sampled(**changed), then=described)
for one, argument in ((destroys, "texObject"), (destroys_surface, "surfObject")):
    for name, number in {"null": 0, "unknown": 0x7777}.items():
        given: dict[str, Any] = {argument: number}
        one.also(name, **given)
for one, argument, result, rule in (
    (resource, "texObject", "pResDesc", "RESULT_IS_GIVEN"),
    (sampling, "texObject", "pTexDesc", "SAMPLING_HAS_A_PLACE"),
    (views, "texObject", "pResViewDesc", None),
    (resource_of_surface, "surfObject", "pResDesc", "SURFACE_S_RESOURCE_HAS_A_PLACE"),
):
    one.null(result, rule)
    for number in (0, 0x7777):
        one.breaks("OBJECT_IS_THERE", f"{number}", **{argument: number})


@views.also("null and no view")
def nothing_to_tell(_w: World, i: Invocation) -> Invocation:
    """Query the view of a texture without one; the result stays unchanged."""
    return attrs.evolve(i.evolve(texObject=texture(i.process)), null="pResViewDesc")


for one in ALL[:2]:
    one.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))

test_texture = suite(*ALL)
