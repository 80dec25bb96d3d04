"""Queries of arrays that are sparse, mapped later or made of planes.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.array.fixtures import (
    DEFERRED,
    GARBAGE,
    ROW,
    SPARSE,
    array,
    gone,
    gone_mipmapped,
    later,
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


def level(a: Process, flags: int) -> int:
    """Return a level of a mipmapped array."""
    made: int = a.ok.cuMipmappedArrayGetLevel(mipmapped(a, flags), 0)
    return made


def answers(*expected: Plain) -> Callable[[World, Invocation, tuple[Plain, ...]], None]:
    """Return a check that a call returned this."""

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
tiles.also("one tail", array=lambda i: later(i.process, SPARSE, ROW), then=answers(((256, 256, 1), 0, 1 << 16, 1)))


def failing(entry: Entry, rule: str, argument: str, made: Callable[[Process], int]) -> None:
    """Add the case of an array whose context has failed."""

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
