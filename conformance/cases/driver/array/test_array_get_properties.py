"""Queries of sparse, deferred-mapping and planar arrays.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.array.fixtures import (
    BC1,
    DEFERRED,
    FLOAT,
    GARBAGE,
    LAYERED,
    ROW,
    SPARSE,
    UINT8,
    array,
    gone,
    gone_mipmapped,
    later,
    level,
    mipmapped,
)
from conformance.cases.driver.context.fixtures import spoil
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


SOUND = "CONTEXT_IS_SOUND_TO_DESCRIBE"
MOST_LEVELS = 20
"""More levels than an array can have."""


def entry_of(
    call: str, argument: str, made: Callable[[Process], int], result: str, code: Result = Result.SUCCESS, **args: Any
) -> Entry:
    """Return the entry of a query.

    Args:
        call: The call.
        argument: The argument that is the array.
        made: Makes it.
        result: The result.
        code: What the valid call answers.
        args: The other arguments.
    """

    def valid(w: World) -> Invocation:
        a = w.process()
        given: dict[str, Any] = {argument: made(a), **args}
        return a.call(call, **given)

    entry = Entry(call, valid, answers=code)
    entry.null(result, "RESULT_IS_GIVEN")
    dead = gone_mipmapped if argument == "mipmap" else gone
    entry.undefined("ARRAY_IS_KNOWN", code=Result.INVALID_HANDLE, **{argument: GARBAGE})
    entry.undefined("ARRAY_IS_LIVE", code=Result.CONTEXT_IS_DESTROYED, **{argument: lambda i: dead(i.process)})
    entry.without("not_initialized")  # to such a process the array is garbage, which the driver follows
    return entry


def answers(*expected: Plain) -> Callable[[World, Invocation, tuple[Plain, ...]], None]:
    """Return a check that a call returned this value."""

    def check(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
        assert results == expected

    return check


needs = entry_of("cuArrayGetMemoryRequirements", "array", lambda a: later(a, DEFERRED), "memoryRequirements", device=0)
mipmapped_needs = entry_of(
    "cuMipmappedArrayGetMemoryRequirements", "mipmap", lambda a: mipmapped(a, DEFERRED), "memoryRequirements", device=0
)
for one, name, plain in ((needs, "array", array), (mipmapped_needs, "mipmap", mipmapped)):
    one.also("no such device", device=99)
    one.breaks("ARRAY_TO_DESCRIBE_IS_GIVEN", **{name: 0})
    one.breaks("ARRAY_IS_DEFERRED", **{name: lambda i, plain=plain: plain(i.process)})
needs.breaks("ARRAY_IS_DEFERRED", "sparse", array=lambda i: later(i.process, SPARSE))
tiles = entry_of("cuArrayGetSparseProperties", "array", later, "sparseProperties")
mipmapped_tiles = entry_of(
    "cuMipmappedArrayGetSparseProperties", "mipmap", lambda a: mipmapped(a, SPARSE), "sparseProperties"
)
for one, name, plain in ((tiles, "array", array), (mipmapped_tiles, "mipmap", mipmapped)):
    one.breaks("ARRAY_TO_DESCRIBE_IS_GIVEN", **{name: 0})
    one.breaks("ARRAY_IS_SPARSE", **{name: lambda i, plain=plain: plain(i.process)})
needs.breaks("ARRAY_IS_DEFERRED", "a level", array=lambda i: level(i.process, DEFERRED))
tiles.breaks("ARRAY_IS_SPARSE", "deferred", array=lambda i: later(i.process, DEFERRED))
tiles.breaks("ARRAY_IS_SPARSE", "a level", array=lambda i: level(i.process, SPARSE))
needs.also("a square of four tiles", then=answers((4 << 16, 1 << 16)))
tiles.also("of two dimensions", then=answers(((256, 256, 1), 0, 0, 0)))
Extents = tuple[int, int, int]
TILES: tuple[tuple[int, int, Extents, Extents], ...] = (
    (UINT8, 1, (256, 256, 1), (64, 32, 32)),
    (UINT8, 2, (256, 128, 1), (32, 32, 32)),
    (FLOAT, 1, (128, 128, 1), (32, 32, 16)),
    (FLOAT, 2, (128, 64, 1), (32, 16, 16)),
    (FLOAT, 4, (64, 64, 1), (16, 16, 16)),
    (BC1, 4, (512, 256, 1), (128, 64, 16)),
)
"""Extents of a 64 KiB tile by element format and channels: 2D, and 3D."""
for form, channels, flat, deep in TILES:
    for shape, flags, extents in (((600, 300, 0), 0, flat), ((600, 300, 3), LAYERED, flat), ((200, 140, 70), 0, deep)):
        tiles.also(
            f"tiles of {form} by {channels} in {shape[2]}",
            array=lambda i, given=(*shape, form, channels, SPARSE | flags): i.process.ok.cuArray3DCreate(given),
            then=answers((extents, 0, 0, 0)),
        )
TAILS: tuple[tuple[str, tuple[int, ...], tuple[Extents, int, int, int]], ...] = (
    ("of levels below a tile", (512, 512, 0, UINT8, 1, SPARSE), ((256, 256, 1), 2, 1 << 16, 0)),
    ("of two tiles", (1000, 1000, 0, UINT8, 1, SPARSE), ((256, 256, 1), 2, 2 << 16, 0)),
    ("of each layer", (300, 700, 9, UINT8, 1, SPARSE | LAYERED), ((256, 256, 1), 1, 3 << 16, 0)),
    ("of all levels", (40, 40, 40, UINT8, 1, SPARSE), ((64, 32, 32), 0, 3 << 16, 1)),
    ("of levels with depth", (40, 40, 40, FLOAT, 1, SPARSE), ((32, 32, 16), 1, 3 << 16, 0)),
    ("of all layers", (64, 16, 7, FLOAT, 4, SPARSE | LAYERED), ((64, 64, 1), 0, 3 << 16, 1)),
    ("of blocks with depth", (200, 140, 70, BC1, 4, SPARSE), ((128, 64, 16), 1, 8 << 16, 0)),
)
"""Mip tails from the first level below a tile on, for each layer or for all."""
for where, descriptor, properties in TAILS:
    mipmapped_tiles.also(
        f"a tail {where}",
        mipmap=lambda i, given=descriptor: i.process.ok.cuMipmappedArrayCreate(given, MOST_LEVELS),
        then=answers(properties),
    )
SLICES = (200, 140, 70, UINT8, 2, DEFERRED)
"""Slices and rows of such an array lie together in groups."""
needs.also("slices in groups", array=lambda i: i.process.ok.cuArray3DCreate(SLICES), then=answers((79 << 16, 1 << 16)))
for where, descriptor, size in (
    ("slices of levels in smaller groups", SLICES, 95 << 16),
    ("levels with depth", (128, 128, 128, UINT8, 1, DEFERRED), 38 << 16),
    ("layers of whole groups of rows", (128, 128, 128, UINT8, 1, DEFERRED | LAYERED), 64 << 16),
):
    mipmapped_needs.also(
        where,
        mipmap=lambda i, given=descriptor: i.process.ok.cuMipmappedArrayCreate(given, MOST_LEVELS),
        then=answers((size, 1 << 16)),
    )
tiles.also("one tail", array=lambda i: later(i.process, SPARSE, ROW), then=answers(((256, 256, 1), 0, 1 << 16, 1)))


def failing(entry: Entry, rule: str, argument: str, made: Callable[[Process], int]) -> None:
    """Add the case of an array in a context with a sticky error."""

    @entry.world(rule, "a failed context", argument)
    def lost(_w: World, i: Invocation, made: Callable[[Process], int] = made) -> Invocation:
        of = made(i.process)
        spoil(i.process)
        return i.evolve(**{argument: of})


failing(needs, SOUND, "array", lambda a: later(a, DEFERRED))
failing(mipmapped_needs, SOUND, "mipmap", lambda a: mipmapped(a, DEFERRED))
failing(tiles, SOUND, "array", later)
failing(mipmapped_tiles, SOUND, "mipmap", lambda a: mipmapped(a, SPARSE))
plane = entry_of("cuArrayGetPlane", "hArray", array, "pPlaneArray", Result.INVALID_VALUE, planeIdx=0)
failing(plane, "context.current.CONTEXT_IS_SOUND", "hArray", array)
plane.breaks("ARRAY_IS_GIVEN", hArray=0)
plane.breaks("ARRAY_HAS_PLANES", planeIdx=1)

test_array_get_memory_requirements = needs.test()
test_mipmapped_array_get_memory_requirements = mipmapped_needs.test()
test_array_get_sparse_properties = tiles.test()
test_mipmapped_array_get_sparse_properties = mipmapped_tiles.test()
test_array_get_plane = plane.test()
