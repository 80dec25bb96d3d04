"""What is asked of arrays that are sparse, mapped later or made of planes: these here are none.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.array.fixtures import GARBAGE, array, gone, gone_mipmapped, mipmapped
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Invocation, Process, World


def entry_of(call: str, argument: str, made: Callable[[Process], int], result: str, **args: Any) -> Entry:
    """Return the entry of a call that answers INVALID_VALUE to every array here.

    Args:
        call: The call.
        argument: The argument that is the array.
        made: Makes it.
        result: The result.
        args: The other arguments.
    """

    def valid(w: World) -> Invocation:
        a = w.process()
        given: dict[str, Any] = {argument: made(a), **args}
        return a.call(call, **given)

    entry = Entry(call, valid, answers=Result.INVALID_VALUE)
    entry.null(result, "RESULT_IS_GIVEN")
    dead = gone if made is array else gone_mipmapped
    entry.undefined("ARRAY_IS_KNOWN", code=Result.INVALID_HANDLE, **{argument: GARBAGE})
    entry.undefined("ARRAY_IS_LIVE", code=Result.CONTEXT_IS_DESTROYED, **{argument: lambda i: dead(i.process)})
    entry.without("not_initialized")  # to such a process the array is garbage, which the driver follows
    return entry


needs = entry_of("cuArrayGetMemoryRequirements", "array", array, "memoryRequirements", device=0)
mipmapped_needs = entry_of("cuMipmappedArrayGetMemoryRequirements", "mipmap", mipmapped, "memoryRequirements", device=0)
for one in (needs, mipmapped_needs):
    one.also("no such device", code=Result.INVALID_VALUE, device=99)
tiles = entry_of("cuArrayGetSparseProperties", "array", array, "sparseProperties")
mipmapped_tiles = entry_of("cuMipmappedArrayGetSparseProperties", "mipmap", mipmapped, "sparseProperties")
for one, name in ((needs, "array"), (tiles, "array"), (mipmapped_needs, "mipmap"), (mipmapped_tiles, "mipmap")):
    made = array if name == "array" else mipmapped
    one.breaks("ARRAY_TO_DESCRIBE_IS_GIVEN", **{name: 0})
    one.breaks("ARRAY_IS_MAPPED_LATER", **{name: lambda i, made=made: made(i.process)})
plane = entry_of("cuArrayGetPlane", "hArray", array, "pPlaneArray", planeIdx=0)
plane.breaks("ARRAY_IS_GIVEN", hArray=0)
plane.breaks("ARRAY_HAS_PLANES", planeIdx=1)

test_array_get_memory_requirements = needs.test()
test_mipmapped_array_get_memory_requirements = mipmapped_needs.test()
test_array_get_sparse_properties = tiles.test()
test_mipmapped_array_get_sparse_properties = mipmapped_tiles.test()
test_array_get_plane = plane.test()
